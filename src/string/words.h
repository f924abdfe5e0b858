/* Sequences as counts of words: letters read through masks (k-mers, gapped k-mers, pairs with a
 * gap), or places that match motifs. Linear kernels on these counts are the string kernels with
 * explicit features; see MATHEMATICS.md, section 4. */
#ifndef MK_WORDS_H
#define MK_WORDS_H

#include "base/control.h"
#include "sequences.h"

#include <stdint.h>

typedef struct mk_word_spec {
  size_t masks;
  const int *mask_start; /* masks + 1: where the places of each mask begin */
  const int *offset;     /* of the letters that are read, rising from 0 */
  const uint64_t
      *fits;        /* letters that fit at each place, as bits: masks are motifs, each a word as
                       it stands, and there are no offsets, mismatches and complements. NULL: no */
  int mismatches;   /* a word counts for all words with at most so many other letters, too */
  size_t positions; /* the same letters at another of so many positions are another word; 0: no */
  int presence;     /* 1: counts are 0 or 1 */
  const int *complement; /* of each letter; a word and its reverse complement are one. NULL: no */
} mk_word_spec;

/* Counts by words: a sparse matrix by columns. */
typedef struct mk_words {
  size_t count, entries;
  uint64_t *code; /* count: which word */
  size_t *start;  /* count + 1 */
  int *row;       /* entries: sequences, rising in each column */
  double *value;  /* entries */
} mk_words;

/* The largest number of different words that codes can tell apart. */
#define MK_MOST_WORDS 9007199254740992.0 /* 2^53: exact in double precision */
double mk_word_codes(const mk_sequences *sequences, const mk_word_spec *spec);

/* What becomes of the words of sequence i, as they come: the same may come several times. */
typedef mk_status (*mk_word_visitor)(void *data, size_t i, const uint64_t *word, size_t count);
mk_status mk_words_visit(const mk_sequences *sequences, const mk_word_spec *spec,
                         const mk_control *control, mk_word_visitor visitor, void *data);

/* Words that occur; motifs' codes are their numbers. MK_TOO_LARGE: more than MK_MOST_WORDS could.
 */
mk_status mk_words_new(mk_words **words, const mk_sequences *sequences, const mk_word_spec *spec,
                       const mk_control *control);
void mk_words_free(mk_words *words);

/* A word's mask (no motif), position (0 where it doesn't tell) and letters: as many as it reads. */
void mk_word_letters(const mk_sequences *sequences, const mk_word_spec *spec, uint64_t code,
                     size_t *mask, size_t *position, int *letter);

#endif
