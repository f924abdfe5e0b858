/* Sums of locally linear kernels without pairs: v = sum_j alpha_j h_j (x_j - c) has one number per
 * feature, alpha'K alpha = v'v, and (K alpha)_i = h_i <v, x_i - c>. This applies to kernels that
 * are neither centred nor scaled by sample, which are numbered by "place" in their family. */
#ifndef MK_LOCAL_SUMS_H
#define MK_LOCAL_SUMS_H

#include "base/control.h"
#include "kernel/set.h"

/* Returns 1 if the family has no other kernels than those with a place. */
int mk_family_all_local(const mk_kernel_set *set, size_t f);
size_t mk_family_locals(const mk_kernel_set *set, size_t f); /* number of kernels with a place */
/* number of the kernel at this place */
size_t mk_family_local(const mk_kernel_set *set, size_t f, size_t place);

/* Samples and their alphas, count x tasks by columns. */
typedef struct mk_local_ask {
  const mk_kernel_set *set;
  size_t family;
  const int *sample;
  size_t count, tasks;
  const double *alpha;
} mk_local_ask;

/* Computes s[m] = sum over tasks of alpha'K_m alpha for the family's kernels. */
mk_status mk_local_forms(const mk_local_ask *ask, mk_team *team, double *s);
/* Computes out (rows x places): (K alpha) at these samples, for one task. */
mk_status mk_local_responses(const mk_local_ask *ask, const int *rows, size_t row_count,
                             mk_team *team, double *out);

#endif
