/* Single passes over a matrix by columns, as fast as memory allows. Called by kernel/view.c and
 * rglue/columns.c. */
#ifndef MK_COLUMNS_H
#define MK_COLUMNS_H

#include "base/control.h"
#include "base/status.h"

#include <stddef.h>

/* Returns the position of the first NaN or infinite value, or `count` if there is none. */
size_t mk_first_not_finite(const double *x, size_t count, mk_team *team);

/* Computes out_j = sum_i weight_i x_ij for a rows x cols matrix. The result does not depend on the
 * number of threads. */
void mk_column_sums(const double *x, size_t rows, size_t cols, const double *weight, double *out,
                    mk_team *team);

/* Computes mean and standard deviation (divisor rows - 1) of each column. Column j has the values
 * x[start[j]] to x[start[j + 1] - 1] and is 0 elsewhere; if `start` is NULL, all rows of all
 * columns are stored. Columns of zeros and ones get centre 0 and scale 1; columns that vary by
 * rounding only get scale 1. `row` lists the `count` rows that count, if all are stored; NULL: all
 * rows. */
mk_status mk_column_scaling(const double *x, const int *start, size_t rows, size_t cols,
                            const int *row, size_t count, double *centre, double *scale,
                            mk_team *team);

/* Computes out_ij = (x_ij - centre_j) / scale_j. */
void mk_standardize(const double *x, size_t rows, size_t cols, const double *centre,
                    const double *scale, double *out, mk_team *team);

#endif
