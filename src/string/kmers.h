/* What sequences are made of, counted (mathematics.md, 4): k letters in a row or read through a mask,
 * pairs of these with a gap, their relatives with a few other letters, and motifs. Each has a
 * number, its key: the letters it reads as digits, before these its position where that tells them
 * apart, and its mask. Nothing is counted that would read an unknown letter. */
#ifndef MK_KMERS_H
#define MK_KMERS_H

#include "base/status.h"
#include "string/kmer-index.h"
#include "string/sequences.h"

/* Letters that are read: offsets from where the mask begins, rising from 0. */
typedef struct mk_kmer_mask {
  const int *offset;
} mk_kmer_mask;

/* Sets of letters in a row: bit a of letters[i] for letter a at place i. */
typedef struct mk_motif {
  size_t length;
  const uint64_t *letters;
} mk_motif;

typedef struct mk_kmer_spec {
  size_t letters; /* k: that each mask reads */
  size_t masks;
  const mk_kmer_mask *mask;
  size_t motifs; /* where there are some, they take the place of masks */
  const mk_motif *motif;
  size_t mismatches;               /* k-mers with up to so many other letters count, too */
  const unsigned char *complement; /* of each letter: strands are alike (one mask); or NULL */
  int positional;                  /* a k-mer counts at its position alone */
  int presence;                    /* whether, not how often */
  size_t first, last;              /* so many letters from one end of a sequence; 0: all */
} mk_kmer_spec;

#define MK_MOST_KEY ((uint64_t)1 << 53) /* keys are whole numbers of doubles */

/* Counts the k-mers of one sequence after the other. */
typedef struct mk_kmer_counter {
  const mk_sequences *sequences;
  const mk_kmer_spec *spec;
  mk_kmer_index index;  /* of all k-mers met; the caller may add some before */
  int *times;           /* by number: in the sequence counted last; 0 between counts */
  size_t *met;          /* the numbers of its k-mers */
  size_t met_count, room;
  unsigned char *kmer; /* work space: letters of one */
} mk_kmer_counter;

/* MK_TOO_LARGE: keys would not fit. All that it points to must outlive the counter. */
mk_status mk_kmer_counter_open(mk_kmer_counter *counter, const mk_sequences *sequences,
                               const mk_kmer_spec *spec);
mk_status mk_kmer_count(mk_kmer_counter *counter, size_t sequence);
void mk_kmer_counter_close(mk_kmer_counter *counter);

#endif
