/* Expansions by feature weights, of matrices, and of what centring adds. Called by expansion*.c. */
#ifndef MK_EXPANSION_DIRECT_H
#define MK_EXPANSION_DIRECT_H

#include "exact/expansion-job.h"

double mk_alpha_sum(const mk_expansion_job *job, size_t task);

/* Returns 1 if kernel m is expanded by explicit feature weights. */
int mk_expands_by_features(const mk_expansion_job *job, size_t m);
mk_status mk_expand_features(const mk_expansion_job *job, const mk_family *family);
mk_status mk_expand_matrices(const mk_expansion_job *job, const mk_family *family);
/* Adds centring for kernels without roots and scales the forms, after all families are summed. */
mk_status mk_expand_centring(const mk_expansion_job *job);

#define MK_SUM_ROWS 8 /* rows, or columns of a matrix, that are summed without compensation */
/* Returns sum_i x_i y_i by parts whose sums are compensated: a term suffers MK_SUM_UNITS
 * roundings. */
double mk_long_dot(const mk_simd *simd, size_t n, const double *x, const double *y);

#endif
