/* Rows of feature blocks from a few reweighted columns, or from all columns if these are few. */
#ifndef MK_COLUMN_MODEL_H
#define MK_COLUMN_MODEL_H

#include "kernel/features.h"
#include "rows/base-block.h"

typedef struct mk_column_model mk_column_model;
mk_status mk_column_model_new(mk_column_model **model, const mk_kernel_set *set);
void mk_column_model_free(mk_column_model *model);
/* Returns the memory of the model with its weights. */
size_t mk_column_model_bytes(const mk_column_model *model);
/* Chooses about `most` columns for these weights. */
void mk_column_model_choose(mk_column_model *model, const mk_column_weights *weights, size_t most);
int mk_column_model_exact(const mk_column_model *model);
/* Returns the share of the mixture's mass by which two sets of weights differ. */
double mk_column_model_drift(const mk_column_model *model, const mk_column_weights *weights,
                             const mk_column_weights *base);
/* Returns the stored values, samples x samples, or NULL. */
const double *mk_column_model_stored(const mk_column_model *model);
/* Computes out[r * ld + c], the model's value between rows and columns, including dense views only
 * if `dense`. */
void mk_column_model_block(const mk_column_model *model, int dense, const int *rows,
                           size_t row_count, const mk_samples *others, double *out, size_t ld,
                           mk_scratch *scratch);
/* Adds the model's value of each sample with itself to out[r]; if values are stored, the rows must
 * be their list of samples. */
void mk_column_model_diagonal(const mk_column_model *model, const int *rows, size_t count,
                              double *out);

#endif
