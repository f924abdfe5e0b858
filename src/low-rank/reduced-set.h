/* A sum over many support vectors, approximated by one over few of them. */
#ifndef MK_REDUCED_SET_H
#define MK_REDUCED_SET_H

#include "base/control.h"
#include "kernel/set.h"

/* f = sum_m theta_m sum_j alpha_j k_m(x_j, .), over all samples of the set. */
typedef struct mk_reduced_set {
  const mk_kernel_set *set;
  const double *theta, *alpha; /* kernels; samples */
  double goal;                 /* |f - g|^2 that is small enough */
  size_t most;                 /* largest number of samples in g */
  int *sample;                 /* out, `most`: the samples in g */
  double *beta;                /* out, `most`: their coefficients */
  size_t count;                /* out: number of samples in g */
} mk_reduced_set;

/* Finds g = sum_m theta_m sum_k beta_k k_m(x_sample[k], .), a projection of f. The norm is that of
 * the kernel sum_m theta_m k_m, up to rounding errors. MK_BAD_ARGUMENT: linear kernels on explicit
 * features, which need no support vectors. */
mk_status mk_reduce(mk_reduced_set *reduced, const mk_control *control);

#endif
