/* Stored values of a column model. */
#ifndef MK_COLUMN_STORE_H
#define MK_COLUMN_STORE_H

#include "rows/column-model.h"

/* Computes all values between these samples and stores them until columns are chosen anew. */
mk_status mk_column_model_store(mk_column_model *model, const int *samples, size_t count,
                                mk_scratch *scratch, const mk_control *control);
/* Changes the stored values such that their product with `way` becomes `truth`. scratch: a value
 * for each sample. */
void mk_column_model_learn(mk_column_model *model, const double *way, const double *truth,
                           double *scratch);

#endif
