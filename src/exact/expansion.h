/* Sums over support vectors j by exact kernel values, for the certificate, the normalisation
 * constants and predictions:
 *   f(x_i) = sum_m theta_m sum_j alpha_j k_m(x_j, x_i)   and   s_m = alpha'K_m alpha.
 * All sums are in double precision and use none of the optimisers' bases, tables and sums. Each
 * pair of support vectors is evaluated once. */
#ifndef MK_EXPANSION_H
#define MK_EXPANSION_H

#include "base/control.h"
#include "kernel/set.h"

typedef struct mk_expansion {
  const mk_kernel_set *set;
  const int *sample;     /* `count` different samples, support vectors first */
  size_t support, count; /* numbers of support vectors, and of all samples */
  size_t tasks;          /* number of expansions with the same theta; their s_m add up */
  const double *alpha;   /* support x tasks */
  const double *theta;   /* M; NULL if only forms are wanted */
  int raw;               /* 1 for kernels as defined, 0 for kernels as normalised */
  double *value;         /* count x tasks: f; NULL if theta is NULL */
  double *forms;         /* M, or NULL: then values of support vectors are not computed either */
  const int *wanted;     /* M: nonzero if a form is wanted; NULL: all are */
  size_t pieced;         /* out: number of kernels that were evaluated by pieces */
  int level;             /* 1 if an offset absorbs a constant that all values of a task share */
  double *value_slack;   /* count x tasks, or NULL: error bounds of values */
  double *form_slack;    /* M, or NULL: error bounds of forms (expansion-rounding.c) */
  double *reach;         /* M, or NULL: largest root of a form that a part of the alphas can have */
  double *rest;          /* count x tasks: second parts of the compensated sums, in progress */
} mk_expansion;

/* Roundings of a term that every bound allows for: of plain sums of at most 8 rows and 64 columns,
 * of normalisation, and of compensated sums. Kernels add their own. */
#define MK_SUM_UNITS 24.0
#define MK_SURE 4.0 /* standard deviations that bounds of a sum of roundings allow for */

mk_status mk_expand(mk_expansion *expansion, const mk_control *control);

#endif
