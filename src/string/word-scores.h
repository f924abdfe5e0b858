/* What the words of sequences are worth by one weight for each word: a linear kernel's part of
 * decision values, without a look at support vectors. */
#ifndef MK_WORD_SCORES_H
#define MK_WORD_SCORES_H

#include "words.h"

typedef struct mk_word_weights {
  size_t count;
  const double *code, *weight; /* codes are whole numbers, each once */
} mk_word_weights;

/* score: for each sequence the sum of counts times weights; square: of the counts' squares, or NULL. */
mk_status mk_word_scores(const mk_sequences *sequences, const mk_word_spec *spec,
                         const mk_word_weights *weights, const mk_control *control, double *score,
                         double *square);

#endif
