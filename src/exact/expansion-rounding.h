/* What rounding may have done to an expansion. */
#ifndef MK_EXPANSION_ROUNDING_H
#define MK_EXPANSION_ROUNDING_H

#include "exact/expansion-job.h"

/* Roundings of a value itself: of kernel m, on a family whose distances are off by roundings of at
 * most `reach` (0: only of their own). */
double mk_value_units(const mk_expansion_job *job, size_t m, double reach);
#define MK_SUM_ROWS 8 /* rows, or columns of a matrix, whose sums are settled together */

/* Bounds for all that goes by pairs, by matrices and by features that others share. */
mk_status mk_expand_rounding(const mk_expansion_job *job);
/* sum_i x_i y_i in parts whose sums are compensated: a term suffers MK_SUM_UNITS roundings. */
double mk_long_dot(const mk_simd *simd, size_t n, const double *x, const double *y);

#endif
