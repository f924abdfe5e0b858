/* Single kernels of a set: their normalised values from base blocks, and their diagonals. For sums
 * that no moments of a family can give (bound/). */
#ifndef MK_VALUES_H
#define MK_VALUES_H

#include "kernel/kernel.h"

/* 1: kernel m is scale * exp(-d / width), not centred. */
int mk_is_plain_gaussian(const mk_kernel_set *set, size_t m, double *width);

/* out[c] = k_m(row, c); base: of its family, in double precision, NULL for families without. */
void mk_values_from_base(const mk_kernel_set *set, size_t m, int row, const mk_columns *columns,
                         const double *base, double *out);

/* Columns of linear kernel m; 0 for other kernels. */
size_t mk_linear_width(const mk_kernel_set *set, size_t m);
/* Its k-th column, centred and scaled, at all n samples: k_m(i, j) is the sum over the columns of
 * out_i out_j. Means, where there are any, are those of the first `known` samples. */
void mk_linear_column(const mk_kernel_set *set, size_t m, size_t k, size_t known, double *out);

/* The family that kernel m belongs to. */
size_t mk_family_of(const mk_kernel_set *set, size_t m);

/* The largest k_m(i, i) of every kernel over all samples; function kernels are called, so main
 * thread only. */
mk_status mk_set_largest_diagonal(const mk_kernel_set *set, double *largest);

#endif
