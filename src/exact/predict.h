/* Decision values of new samples. */
#ifndef MK_PREDICT_H
#define MK_PREDICT_H

#include "base/control.h"
#include "kernel/set.h"

/* Computes out = sum_m theta_m K_m alpha, (n - known) x tasks, without offsets, for the samples
 * from `known` on. alpha (known x tasks by columns) belongs to the first `known` samples. */
mk_status mk_predict(const mk_kernel_set *set, const double *theta, const double *alpha,
                     size_t known, size_t tasks, const mk_control *control, double *out);

/* Models of one fit: each has kernel weights of its own, and all support vectors are among the
 * known samples. */
typedef struct mk_models {
  size_t count;
  const double *theta; /* kernels x count */
  const int *start;    /* count + 1: offsets of each model into `sample` and `alpha` */
  const int *sample;   /* support vectors of all models */
  const double *alpha; /* their alphas */
} mk_models;

/* Predicts by all models at once: out is (n - known) x count. */
mk_status mk_predict_models(const mk_kernel_set *set, const mk_models *models, size_t known,
                            const mk_control *control, double *out);

#endif
