/* Passes over the columns of linear kernels: X'alpha, and the responses and forms that follow from
 * it. */
#ifndef MK_FEATURE_PASS_H
#define MK_FEATURE_PASS_H

#include "base/control.h"
#include "kernel/features.h"

typedef struct mk_pass {
  size_t tasks;
  double **alpha;                   /* tasks: n values each */
  double **g;                       /* tasks: X'alpha, by column id */
  const mk_column_weights *weights; /* NULL: no responses are wanted */
  double **response;                /* tasks: n values each, overwritten */
} mk_pass;

/* Reads the columns once: computes g, then the responses X (w o g). */
mk_status mk_features_pass(const mk_kernel_set *set, const mk_pass *pass,
                           const mk_control *control);

/* Computes s_m = sum over tasks of alpha'K_m alpha for all feature blocks; others keep theirs. */
void mk_features_forms(const mk_kernel_set *set, const mk_pass *pass, double *s);

/* Computes out = K_m alpha of task 0 at all samples for the k-th feature block; returns m. */
size_t mk_features_member(const mk_kernel_set *set, const mk_pass *pass, size_t k, double *out);
/* ---- linear kernels that share their columns with others, so are no feature blocks ---- */

/* A request for s_m of linear kernels with bases by X'alpha: if s_m is small beside its terms,
 * pairs would leave only rounding errors. */
typedef struct mk_linear_ask {
  const mk_kernel_set *set;
  size_t tasks;
  double **alpha; /* tasks: n values each */
  double *s;      /* M: other kernels keep theirs */
} mk_linear_ask;
void mk_linear_forms(const mk_linear_ask *ask, mk_team *team);
double mk_linear_form_values(const mk_kernel_set *set); /* number of values that it reads */

#endif
