/* Scores of sequences from one weight per word: a linear kernel's part of the decision values of
 * one or several models, without any support vectors. */
#ifndef MK_WORD_SCORES_H
#define MK_WORD_SCORES_H

#include "words.h"

typedef struct mk_word_weights {
  size_t count, models;
  const double *code;   /* count: whole numbers, each once */
  const double *weight; /* models x count */
} mk_word_weights;

/* Computes score (models x sequences), the sums of counts times weights, and square (sequences; may
 * be NULL), the sums of squared counts. */
mk_status mk_word_scores(const mk_sequences *sequences, const mk_word_spec *spec,
                         const mk_word_weights *weights, const mk_control *control, double *score,
                         double *square);

#endif
