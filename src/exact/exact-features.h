/* Exact values of feature blocks. */
#ifndef MK_EXACT_FEATURES_H
#define MK_EXACT_FEATURES_H

#include "base/control.h"
#include "kernel/set.h"

/* A request for the contributions of feature blocks for alpha (n x tasks by columns).
 * mk_exact_features() adds them to decision (n x tasks), to the forms and to their error bounds (M
 * each, or NULL). */
typedef struct mk_exact_ask {
  const mk_kernel_set *set;
  const double *theta, *alpha;
  size_t tasks;
  int level; /* see mk_expansion */
  double *decision, *forms;
  double *slack, *form_slack; /* slack: error bound of a task's decision values */
  double *reach;              /* see mk_expansion */
} mk_exact_ask;
mk_status mk_exact_features(const mk_exact_ask *ask, const mk_control *control);

/* Computes unscaled values of a feature block between a sample and others, centred if the kernel
 * is. */
void mk_exact_feature_row(const mk_kernel_set *set, size_t m, int row, const int *cols,
                          size_t count, double *out);

#endif
