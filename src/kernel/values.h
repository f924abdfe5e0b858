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

/* The largest k_m(i, i) of every kernel over all samples; function kernels are called, so main
 * thread only. */
mk_status mk_set_largest_diagonal(const mk_kernel_set *set, double *largest);

#endif
