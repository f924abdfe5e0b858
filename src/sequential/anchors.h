/* The dictionary of a locally linear machine: one kernel for each anchor and each map, numbered
 * anchor by anchor. Their strengths follow from v = sum_j alpha_j h(x_j) (x_j - c) without any
 * kernel value; with the weight theta the same vectors are the explicit model. */
#ifndef MK_ANCHORS_H
#define MK_ANCHORS_H

#include "sequential/stream.h"

typedef struct mk_anchor_map {
  mk_local_map map;
  double gamma;
  int componentwise;
} mk_anchor_map;

typedef struct mk_anchors {
  mk_view view;       /* of the samples; prepared */
  size_t count, maps; /* anchors; maps of each */
  double *point;      /* count x cols by rows; owned */
  double *centre;     /* cols: middle of the points, which sums are taken from; owned */
  const mk_anchor_map *map;
} mk_anchors;

/* `given` (count x cols by columns), or NULL: all samples are anchors. The view and the maps are
 * the caller's; what is owned is to be cleared in any case. */
mk_status mk_anchors_new(mk_anchors *anchors, const mk_view *view, const double *given,
                         size_t count, const mk_anchor_map *map, size_t maps, mk_team *team);
void mk_anchors_clear(mk_anchors *anchors);
mk_stream mk_anchors_stream(mk_anchors *anchors);

/* Strengths of a scan, and out (count x cols by rows): v, which of one task is the model's. Either
 * may be NULL. */
mk_status mk_anchors_sum(const mk_anchors *anchors, const mk_scan *scan, const mk_control *control,
                         double *out);
/* v of some kernels for one task's alpha. */
mk_status mk_anchors_vectors(const mk_anchors *anchors, const size_t *which, size_t count,
                             const double *alpha, const mk_control *control, double *out);

#endif
