/* Alignment of kernels: inner products of their matrices (Cristianini et al. 2001; centred ones
 * Cortes, Mohri & Rostamizadeh 2012). MATHEMATICS.md, section 4.3. */
#ifndef MK_ALIGNMENT_H
#define MK_ALIGNMENT_H

#include "base/control.h"
#include "kernel/set.h"

/* Computes out (size x size, size = M + 1): sums over all pairs of samples of products of the
 * kernels' normalised values. The last row and column belong to the kernel target_i target_j. If
 * `centred`, row means, column means and the grand mean are subtracted from each kernel first. No
 * matrix is stored. */
mk_status mk_inner_products(const mk_kernel_set *set, const double *target, int centred,
                            const mk_control *control, double *out);

#endif
