/* Passes over the columns of linear kernels: X'alpha, and the responses and forms behind it. */
#ifndef MK_FEATURE_PASS_H
#define MK_FEATURE_PASS_H

#include "base/control.h"
#include "kernel/features.h"

typedef struct mk_pass {
  size_t tasks;
  double **alpha;                   /* tasks: n values each */
  double **g;                       /* tasks: X'alpha, by column id */
  const mk_column_weights *weights; /* NULL: no responses */
  double **response;                /* tasks: n values each, overwritten */
} mk_pass;

/* One reading of the columns: g, and the responses X (w o g) behind it. */
mk_status mk_features_pass(const mk_kernel_set *set, const mk_pass *pass,
                           const mk_control *control);

/* s_m = sum over tasks of alpha'K_m alpha for all feature blocks; others are left alone. */
void mk_features_forms(const mk_kernel_set *set, const mk_pass *pass, double *s);

/* out = K_m alpha of task 0 at all samples, for the k-th feature block; returns m. */
size_t mk_features_member(const mk_kernel_set *set, const mk_pass *pass, size_t k, double *out);
/* ---- linear kernels that are no feature blocks, for they share their columns ---- */

/* Their s_m by way of X'alpha: where s_m is small beside its terms pairs leave but rounding. */
typedef struct mk_linear_ask {
  const mk_kernel_set *set;
  size_t tasks;
  double **alpha; /* tasks: n values each */
  double *s;      /* M: those of other kernels are left alone */
} mk_linear_ask;
void mk_linear_forms(const mk_linear_ask *ask, mk_team *team);
double mk_linear_form_values(const mk_kernel_set *set); /* read on the way */

#endif
