/* Exact values of feature blocks, by plain loops of their own. */
#ifndef MK_EXACT_FEATURES_H
#define MK_EXACT_FEATURES_H

#include "base/control.h"
#include "kernel/features.h"

/* What the feature blocks contribute for alpha (n x tasks by columns): added to decision, likewise,
 * and to the forms and their slack (M, or NULL). */
typedef struct mk_exact_ask {
  const mk_kernel_set *set;
  const double *theta, *alpha;
  size_t tasks;
  int level; /* as an expansion's */
  double *decision, *forms;
  double *slack, *form_slack; /* slack: tasks: what rounding may have moved a decision value by */
  double *reach;              /* as an expansion's */
} mk_exact_ask;
mk_status mk_exact_features(const mk_exact_ask *ask, const mk_control *control);

/* Values of a feature block between a sample and others, centred where it is, unscaled. */
void mk_exact_feature_row(const mk_kernel_set *set, size_t m, int row, const int *cols,
                          size_t count, double *out);

#endif
