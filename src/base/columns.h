/* Single passes over a matrix by columns, as fast as memory allows. Called by kernel/view.c and
 * rglue/columns.c. */
#ifndef MK_COLUMNS_H
#define MK_COLUMNS_H

#include "base/control.h"
#include "base/status.h"

#include <stddef.h>

/* Position of the first NaN or infinite value; `count` where there is none. */
size_t mk_first_not_finite(const double *x, size_t count, mk_team *team);

/* out_j = sum_i weight_i x_ij for a rows x cols matrix; the same for any number of threads. */
void mk_column_sums(const double *x, size_t rows, size_t cols, const double *weight, double *out,
                    mk_team *team);

/* Mean and standard deviation (of rows - 1) of each column. Column j has the values x[start[j]] to
 * x[start[j + 1] - 1] and is zero elsewhere; `start` may be NULL: all rows of all columns are
 * there. A column has centre 0 and scale 1 where all its values are 0 or 1, and scale 1 where it
 * does not vary beyond rounding. row: the `count` rows that are meant, where all are there; NULL:
 * all. */
mk_status mk_column_scaling(const double *x, const int *start, size_t rows, size_t cols,
                            const int *row, size_t count, double *centre, double *scale,
                            mk_team *team);

/* out_ij = (x_ij - centre_j) / scale_j */
void mk_standardize(const double *x, size_t rows, size_t cols, const double *centre,
                    const double *scale, double *out, mk_team *team);

#endif
