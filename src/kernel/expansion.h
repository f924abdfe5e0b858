/* Sums over support vectors j by exact kernel values, for the certificate, the
 * normalisation constants and predictions:
 *   f(x_i) = sum_m theta_m sum_j alpha_j k_m(x_j, x_i)   and   s_m = alpha'K_m alpha.
 * In double precision throughout and with no code of the optimisers' bases,
 * tables and sums. Each pair of support vectors is evaluated once. */
#ifndef MK_EXPANSION_H
#define MK_EXPANSION_H

#include "base/control.h"
#include "kernel/kernel.h"

typedef struct mk_expansion {
  const mk_kernel_set *set;
  const int *sample;     /* count different samples, the support vectors first */
  size_t support, count; /* support: how many those are */
  size_t tasks;          /* expansions with the same theta; their s_m add up */
  const double *alpha;   /* support x tasks */
  const double *theta;   /* M; NULL where only forms are wanted */
  int raw;               /* 1: kernels as defined, not as normalised */
  double *value;         /* count x tasks: f; NULL where theta is */
  double *forms;         /* M, or NULL: then f of the support vectors is not computed either */
  const int *wanted;     /* M: nonzero where a form is wanted; NULL for everywhere */
  double error;          /* out: a proved bound on what evaluation by pieces adds to the rounding
                          * of any one value exp(-d/w) */
} mk_expansion;

mk_status mk_expand(mk_expansion *expansion, const mk_control *control);

#endif
