/* Cholesky factors at the speed of the tiles in simd.h. Newton steps factor systems of thousands of
 * free variables, for which R's reference LAPACK is twenty times slower than the rest of a fit.
 * Called by svm/, theta/, optimizer/ and rls/. */
#ifndef MK_CHOLESKY_H
#define MK_CHOLESKY_H

#include "base/row.h"
#include "base/control.h"

#include <stddef.h>

/* factor of a shift of the diagonal after a failure by rounding, and the largest shift in multiples
 * of the first */
#define MK_SHIFT_GROWTH 10.0
#define MK_LARGEST_SHIFT 1e3

/* Replaces A (n x n by rows; only the lower triangle is read) by its lower factor L, A + shift I =
 * LL'. The strict upper triangle is unchanged. MK_STALLED: A + shift I is not positive definite;
 * the lower triangle is then undefined. */
mk_status mk_cholesky(double *a, size_t n, double shift, mk_team *team);
/* Factors on the control's team and within its limits, for large n. If a limit ends the work, the
 * lower triangle is undefined. */
mk_status mk_cholesky_within(double *a, size_t n, double shift, const mk_control *control);

/* Compute x := L^-1 x, and x := L^-T x. */
void mk_solve_lower(const double *l, size_t n, double *x);
void mk_solve_upper(const double *l, size_t n, double *x);

/* Factors a matrix of floats or doubles within limits, in little more than half the memory: rows
 * begin at mk_factor_at() and end soon after the diagonal; right-hand sides are double. Rows of `a`
 * from n on, up to `rows`, are multiplied by L^-T. */
mk_status mk_factor(mk_row a, size_t n, size_t rows, double shift, const mk_control *control);
/* number of values before row i, which may be beyond the last row */
size_t mk_factor_at(size_t n, size_t i);
double mk_factor_most(double values); /* size n of the matrix that has so many values */
void mk_factor_lower(mk_row l, size_t n, double *x);
void mk_factor_upper(mk_row l, size_t n, double *x);

#endif
