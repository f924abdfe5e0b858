/* Decision values of new samples. */
#ifndef MK_PREDICT_H
#define MK_PREDICT_H

#include "base/control.h"
#include "kernel/set.h"

/* Computes out = sum_m theta_m K_m alpha, (n - known) x tasks, without offsets, for the samples
 * from `known` on. alpha (known x tasks by columns) belongs to the first `known` samples. */
mk_status mk_predict(const mk_kernel_set *set, const double *theta, const double *alpha,
                     size_t known, size_t tasks, const mk_control *control, double *out);

#endif
