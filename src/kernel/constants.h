/* Constants of normalisation; those of linear kernels in closed form from their columns. */
#ifndef MK_CONSTANTS_H
#define MK_CONSTANTS_H

#include "kernel/set.h"

/* Installs the normalisation of kernel m: scale * root_i * root_j * (k - mean_i - mean_j + total).
 * mean and root are NULL or copied (n values each). MK_BAD_ARGUMENT: roots for a Gaussian that is
 * already tabled. */
mk_status mk_set_normalization(mk_kernel_set *set, size_t m, double scale, const double *mean,
                               double total, const double *root);
const double *mk_set_root(const mk_kernel_set *set, size_t m); /* roots of kernel m, or NULL */
double mk_set_scale(const mk_kernel_set *set, size_t m);
/* Returns, by sample, 1 if it has the view of kernel m and 0 if not; NULL: all have it. */
const double *mk_set_has(const mk_kernel_set *set, size_t m);
int mk_set_zero_rows(const mk_kernel_set *set, size_t m); /* `zero_rows` of kernel m */

/* Linear kernels: computes the sum of k(i, i) over the counted samples, as defined and when
 * centred. */
void mk_linear_moments(const mk_kernel_set *set, size_t m, const mk_counted *counted, double *trace,
                       double *spread);
/* Installs the scale and, if `centred`, the columns' means over the counted samples among the first
 * `known`. */
mk_status mk_linear_normalize(mk_kernel_set *set, size_t m, double scale, int centred, size_t known,
                              const mk_counted *counted);

#endif
