/* Rows of feature blocks: a few columns, reweighted, that stand for all of them; all of them when
 * they are few. */
#ifndef MK_COLUMN_MODEL_H
#define MK_COLUMN_MODEL_H

#include "kernel/features.h"
#include "rows/bases.h"

typedef struct mk_column_model mk_column_model;
mk_status mk_column_model_new(mk_column_model **model, const mk_kernel_set *set);
void mk_column_model_free(mk_column_model *model);
/* With the weights that go in and out. */
size_t mk_column_model_bytes(const mk_column_model *model);
/* At most about `most` columns for these weights. */
void mk_column_model_choose(mk_column_model *model, const mk_column_weights *weights, size_t most);
int mk_column_model_exact(const mk_column_model *model);
/* Share of the mixture's mass by which two sets of weights differ. */
double mk_column_model_drift(const mk_column_model *model, const mk_column_weights *weights,
                             const mk_column_weights *base);
/* Computes all values between these samples, and keeps them until columns are chosen anew. */
mk_status mk_column_model_store(mk_column_model *model, const int *samples, size_t count,
                                mk_scratch *scratch, const mk_control *control);
/* The values, samples x samples; NULL for none. */
const double *mk_column_model_stored(const mk_column_model *model);
/* out[r * ld + c] = value of the model between rows and columns, without what dense views add
 * unless `dense`. */
void mk_column_model_block(const mk_column_model *model, int dense, const int *rows,
                           size_t row_count, const mk_samples *others, double *out, size_t ld,
                           mk_scratch *scratch);
/* out[r] += the model's value of a sample with itself. */
void mk_column_model_diagonal(const mk_column_model *model, const int *rows, size_t count,
                              double *out);

#endif
