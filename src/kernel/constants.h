/* Constants of linear kernels, in closed form from their columns. */
#ifndef MK_CONSTANTS_H
#define MK_CONSTANTS_H

#include "kernel/set.h"

/* Computes the sum of k(i, i) over the counted samples, as defined and when centred. */
void mk_linear_moments(const mk_kernel_set *set, size_t m, const mk_counted *counted, double *trace,
                       double *spread);
/* Installs the scale and, if `centred`, the columns' means over the counted samples among the first
 * `known`. */
mk_status mk_linear_normalize(mk_kernel_set *set, size_t m, double scale, int centred, size_t known,
                              const mk_counted *counted);

#endif
