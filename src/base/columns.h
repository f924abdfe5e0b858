/* Single passes over a matrix by columns, as fast as memory allows. */
#ifndef MK_COLUMNS_H
#define MK_COLUMNS_H

#include "base/control.h"

#include <stddef.h>

/* Position of the first NaN or infinite value; `count` where there is none. */
size_t mk_first_not_finite(const double *x, size_t count, mk_team *team);

/* out_j = sum_i weight_i x_ij for a rows x cols matrix; the same for any number of threads. */
void mk_column_sums(const double *x, size_t rows, size_t cols, const double *weight, double *out,
                    mk_team *team);

#endif
