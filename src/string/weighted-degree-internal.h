/* The structure shared by weighted-degree.c and degree-scorer.c only. */
#ifndef MK_WEIGHTED_DEGREE_INTERNAL_H
#define MK_WEIGHTED_DEGREE_INTERNAL_H

#include "base/pool.h"
#include "string/weighted-degree.h"

#include <stdint.h>

#define MK_MOST_LETTERS 64

typedef struct mk_degree_shift {
  size_t by;
  double weight;
} mk_degree_shift;

struct mk_weighted_degree {
  mk_sequences sequences;
  /* length of the longest sequence; largest d; largest number of mismatches */
  size_t length, degree, mismatches;
  /* planes of a sequence, the last one for known letters; words of a plane */
  size_t planes, words;
  size_t sample_words;     /* planes x words */
  uint64_t *plane;         /* samples x planes x words */
  double *weight;          /* (mismatches + 1) x degree */
  double *run;             /* degree + 1: sums of the weights without a mismatch */
  double *position_weight; /* length, or NULL */
  mk_degree_shift *shift;  /* shifts with a weight */
  size_t shifts;
  mk_pool pool;
};

#endif
