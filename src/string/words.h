/* Sequences as counts of words: letters read through masks (k-mers, gapped k-mers, pairs with a
 * gap), or places that match motifs. String kernels with explicit features are linear kernels on
 * these counts. MATHEMATICS.md, section 4.1. */
#ifndef MK_WORDS_H
#define MK_WORDS_H

#include "base/control.h"
#include "base/pool.h"
#include "sequences.h"

#include <stdint.h>

typedef struct mk_word_spec {
  size_t masks;
  const int *mask_start; /* masks + 1: where the places of each mask begin */
  const int *offset;     /* places of the letters that a mask reads, rising from 0 */
  const uint64_t
      /* motifs: bits of the letters that fit at each place. Each mask is then a motif and a word,
       * and there are no offsets, mismatches and complements. NULL: no motifs */
      *fits;
  int mismatches; /* words that differ in at most so many letters count, too */
  /* number of positions that distinguish words of the same letters; 0: positions do not count */
  size_t positions;
  int presence; /* 1 if counts are cut to 1 */
  /* complement of each letter; a word and its reverse complement are then one word. NULL: none */
  const int *complement;
} mk_word_spec;

/* Counts by words: a sparse matrix by columns. */
typedef struct mk_words {
  size_t count, entries;
  uint64_t *code; /* count: code of each word */
  size_t *start;  /* count + 1 */
  int *row;       /* entries: sequences, rising in each column */
  double *value;  /* entries */
  mk_pool memory; /* owns the vectors */
} mk_words;

/* Largest number of different words that codes can distinguish. */
#define MK_MOST_WORDS 9007199254740992.0 /* 2^53: exact in double precision */
double mk_word_codes(const mk_sequences *sequences, const mk_word_spec *spec);

/* Receives the words of sequence i in their order; a word may occur several times. */
typedef mk_status (*mk_word_visitor)(void *data, size_t i, const uint64_t *word, size_t count);
mk_status mk_words_visit(const mk_sequences *sequences, const mk_word_spec *spec,
                         const mk_control *control, mk_word_visitor visitor, void *data);

/* Counts the words that occur. Codes of motifs are their numbers. MK_TOO_LARGE: there could be more
 * than MK_MOST_WORDS words. */
mk_status mk_words_new(mk_words **words, const mk_sequences *sequences, const mk_word_spec *spec,
                       const mk_control *control);
void mk_words_free(mk_words *words);

/* Computes a word's mask (not of motifs), position (0 if positions do not count) and letters, as
 * many as its mask reads. */
void mk_word_letters(const mk_sequences *sequences, const mk_word_spec *spec, uint64_t code,
                     size_t *mask, size_t *position, int *letter);

#endif
