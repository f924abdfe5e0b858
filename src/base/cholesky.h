/* Cholesky factors at the speed of the tiles in simd.h: Newton steps factor
 * systems of thousands of free variables, for which R's own reference LAPACK
 * is twenty times slower than the rest of a fit. Called by svm/, theta/, optimizer/ and rls/. */
#ifndef MK_CHOLESKY_H
#define MK_CHOLESKY_H

#include "base/row.h"
#include "base/control.h"

#include <stddef.h>

/* A (n x n by rows, only the lower triangle is read) becomes its lower factor
 * L, A + shift I = LL'; the strict upper triangle is left alone. MK_STALLED: not positive
 * definite; the lower triangle is then garbage. */
mk_status mk_cholesky(double *a, size_t n, double shift, mk_team *team);
/* The same by the control's team and within its limits, for large n: the lower triangle is garbage
 * where they end it. */
mk_status mk_cholesky_within(double *a, size_t n, double shift, const mk_control *control);

/* x := L^-1 x, and L^-T x. */
void mk_solve_lower(const double *l, size_t n, double *x);
void mk_solve_upper(const double *l, size_t n, double *x);

/* The same, within limits, for a matrix of floats or doubles in little more than half the memory,
 * since its rows begin where mk_factor_at says and end soon after the diagonal; right-hand sides
 * are double. Rows of `a` beyond n, up to `rows`, become themselves times L^-T. */
mk_status mk_factor(mk_row a, size_t n, size_t rows, double shift, const mk_control *control);
size_t mk_factor_at(size_t n, size_t i); /* values before row i, which may be beyond the last */
double mk_factor_most(double values);    /* the n whose matrix has so many */
void mk_factor_lower(mk_row l, size_t n, double *x);
void mk_factor_upper(mk_row l, size_t n, double *x);

#endif
