/* A trained locally linear SVM: f(x) = sum over anchors c of h_c(x) <w_c, x - c>, at the cost of
 * two inner products per anchor, without any support vector. */
#ifndef MK_LOCAL_MODEL_H
#define MK_LOCAL_MODEL_H

#include "kernel/view.h"
#include "sequential/anchors.h"

typedef struct mk_local_model {
  size_t count, cols;                 /* numbers of anchors and features */
  const double *anchor, *coefficient; /* count x cols by rows */
  const mk_anchor_map *map;           /* map of each anchor */
  double offset;
} mk_local_model;

/* Computes f for all rows of a prepared view with as many columns. */
mk_status mk_local_decide(const mk_local_model *model, const mk_view *view,
                          const mk_control *control, double *out);

#endif
