/* A locally linear machine after training: f(x) = sum over anchors c of h_c(x) <w_c, x - c>, at the
 * cost of two inner products an anchor, without any support vector. */
#ifndef MK_LOCAL_MODEL_H
#define MK_LOCAL_MODEL_H

#include "kernel/local-map.h"
#include "kernel/view.h"
#include "sequential/anchors.h"

typedef struct mk_local_model {
  size_t count, cols;                 /* anchors, features */
  const double *anchor, *coefficient; /* count x cols by rows */
  const mk_anchor_map *map;           /* of each */
  double offset;
} mk_local_model;

/* out: f of all rows of a prepared view of as many columns. */
mk_status mk_local_decide(const mk_local_model *model, const mk_view *view,
                          const mk_control *control, double *out);

#endif
