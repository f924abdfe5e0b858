/* Row means of kernel matrices by exact values, for centring. */
#ifndef MK_MEANS_H
#define MK_MEANS_H

#include "base/control.h"
#include "kernel/set.h"

/* mean[m][i] = average over the samples j, among the first `known`, that count, of k_m(i, j) as
 * defined, for all samples i from `from` on, for every kernel whose mean[m] is not NULL. */
mk_status mk_exact_means(const mk_kernel_set *set, size_t from, size_t known,
                         const mk_counted *counted, double *const *mean, const mk_control *control);

#endif
