/* Decision values of new samples by many models at once. */
#ifndef MK_PREDICT_MODELS_H
#define MK_PREDICT_MODELS_H

#include "base/control.h"
#include "kernel/set.h"

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
