/* The dictionary of a locally linear SVM: one kernel for each anchor and each map, numbered anchor
 * by anchor. The strengths follow from v = sum_j alpha_j h(x_j) (x_j - c) without any kernel value;
 * multiplied by theta, these vectors are the explicit model. */
#ifndef MK_ANCHORS_H
#define MK_ANCHORS_H

#include "sequential/stream.h"

typedef struct mk_anchor_map {
  mk_local_map map;
  double gamma;
  int componentwise;
} mk_anchor_map;

typedef struct mk_anchors {
  mk_view view;       /* view of the samples; prepared */
  size_t count, maps; /* number of anchors; maps of each anchor */
  double *point;      /* count x cols by rows; owned */
  double *centre;     /* cols: middle of the points, the origin of sums; owned */
  const mk_anchor_map *map;
} mk_anchors;

/* Makes the dictionary with anchors `given` (count x cols by columns), or with all samples as
 * anchors if NULL. The view and the maps belong to the caller. The dictionary must be cleared even
 * after a failure. */
mk_status mk_anchors_new(mk_anchors *anchors, const mk_view *view, const double *given,
                         size_t count, const mk_anchor_map *map, size_t maps, mk_team *team);
void mk_anchors_clear(mk_anchors *anchors);
mk_stream mk_anchors_stream(mk_anchors *anchors);

#endif
