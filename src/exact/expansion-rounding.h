/* Bounds of the rounding errors of an expansion. */
#ifndef MK_EXPANSION_ROUNDING_H
#define MK_EXPANSION_ROUNDING_H

#include "exact/expansion-job.h"

/* Returns the roundings of a value of kernel m, in a family whose distances have roundings of
 * values up to `reach` (0: roundings of the distances themselves only). */
double mk_value_units(const mk_kernel_set *set, size_t m, double reach);
/* Returns the roundings of a value by exact.h, whose sparse distances are never sums of squared
 * differences. */
double mk_exact_units(const mk_kernel_set *set, size_t m, double reach);
#define MK_SUM_ROWS 8 /* rows, or columns of a matrix, that are summed without compensation */

/* Bounds the errors of all kernels but feature blocks and locally linear kernels, which have bounds
 * of their own. */
mk_status mk_expand_rounding(const mk_expansion_job *job);
/* Returns sum_i x_i y_i by parts whose sums are compensated: a term suffers MK_SUM_UNITS
 * roundings. */
double mk_long_dot(const mk_simd *simd, size_t n, const double *x, const double *y);

#endif
