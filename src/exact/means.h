/* Row means of kernel matrices by exact values, for centring. */
#ifndef MK_MEANS_H
#define MK_MEANS_H

#include "base/control.h"
#include "kernel/set.h"

/* Computes mean[m][i], the average of k_m(i, j) as defined over the counted samples j among the
 * first `known`, for all samples i from `from` on, for every kernel with mean[m] != NULL. */
mk_status mk_exact_means(const mk_kernel_set *set, size_t from, size_t known,
                         const mk_counted *counted, double *const *mean, const mk_control *control);

#endif
