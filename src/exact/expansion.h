/* Sums over support vectors j by exact kernel values, for the certificate, the
 * normalisation constants and predictions:
 *   f(x_i) = sum_m theta_m sum_j alpha_j k_m(x_j, x_i)   and   s_m = alpha'K_m alpha.
 * In double precision throughout and with no code of the optimisers' bases,
 * tables and sums. Each pair of support vectors is evaluated once. */
#ifndef MK_EXPANSION_H
#define MK_EXPANSION_H

#include "base/control.h"
#include "kernel/set.h"

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
  size_t pieced;         /* out: kernels that were evaluated by pieces */
  int level;             /* 1: a constant that all values of a task share is of no account */
  double *value_slack;   /* count x tasks, or NULL: by what rounding may have moved a value, ... */
  double *form_slack;    /* ... M, or NULL: and a form (expansion-rounding.c) */
  double *reach; /* M, or NULL: the roots of forms that part of the alphas can have, at most */
  double *rest;  /* count x tasks: of compensated sums, while they grow */
} mk_expansion;

/* Roundings of a term that slacks allow for, and perhaps more, by the kernel: of at most 8 rows and
 * 64 columns at a time, of normalisation, and of what is added up without loss. */
#define MK_SUM_UNITS 24.0
#define MK_SURE 4.0 /* standard deviations that a sum of roundings may be off by */

mk_status mk_expand(mk_expansion *expansion, const mk_control *control);

#endif
