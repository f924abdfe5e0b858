/* The dictionary of locally linear kernels: memory, and its kernels as a stream. Called by
 * rglue/local.c. MATHEMATICS.md, section 6.1. */
#include "anchors.h"

#include "base/memory.h"
#include "kernel/points.h"
#include "sequential/anchor-sums.h"

#include <stdint.h>

/* ---- life ---- */

/* Drops the rows that a view derived for itself, since a copy must derive its own. */
static void forget_rows(mk_view *view) {
  view->row_start = NULL;
  view->row_col = NULL;
  view->row_value = view->owned = NULL;
}

mk_status mk_anchors_new(mk_anchors *anchors, const mk_view *view, const double *given,
                         size_t count, const mk_anchor_map *map, size_t maps, mk_team *team) {
  *anchors = (mk_anchors){.view = *view, .count = count, .maps = maps, .map = map};
  forget_rows(&anchors->view);
  if (count == 0 || maps == 0 || (given == NULL && count != view->rows)) return MK_BAD_ARGUMENT;
  if (count > SIZE_MAX / maps) return MK_TOO_LARGE;
  MK_TRY(mk_view_prepare(&anchors->view, team));
  anchors->point = MK_NEW0(double, count * view->cols);
  anchors->centre = MK_NEW0(double, view->cols);
  if (anchors->point == NULL || anchors->centre == NULL) return MK_NO_MEMORY;
  mk_sample_block all = {&anchors->view, NULL, view->cols, NULL, count};
  for (size_t a = 0; a < count; a++) {
    if (given == NULL) mk_block_pack(&all, a, 1, 1, anchors->point + a * view->cols);
    for (size_t j = 0; given != NULL && j < view->cols; j++)
      anchors->point[a * view->cols + j] = given[j * count + a];
  }
  mk_points_middle(anchors->point, count, view->cols, anchors->centre);
  return MK_OK;
}

void mk_anchors_clear(mk_anchors *anchors) {
  mk_view_clear(&anchors->view);
  mk_free(anchors->point);
  mk_free(anchors->centre);
  anchors->point = anchors->centre = NULL;
}

/* ---- the stream ---- */

/* Computes strengths always in double precision, independently of the optimisers, which use kernel
 * values. */
static mk_status strengths(void *self, const mk_scan *scan, const mk_control *control) {
  return mk_anchors_sum(self, scan, control, NULL);
}

static mk_kernel_spec spec_of(const mk_anchors *anchors, size_t kernel) {
  const mk_anchor_map *map = &anchors->map[kernel % anchors->maps];
  return (mk_kernel_spec){.type = MK_LOCALLY_LINEAR,
                          .view = 0,
                          .map = map->map,
                          .gamma = map->gamma,
                          .componentwise = map->componentwise,
                          .anchor = anchors->point + kernel / anchors->maps * anchors->view.cols};
}

static mk_status select_kernels(void *self, const size_t *which, size_t count,
                                const mk_control *control, mk_kernel_set **set) {
  const mk_anchors *anchors = self;
  mk_view view = anchors->view;
  forget_rows(&view);
  *set = NULL;
  double columns = 0.0; /* columns that the set will make */
  for (size_t k = 0; k < count; k++)
    if (anchors->map[which[k] % anchors->maps].componentwise) columns += (double)view.cols;
  double bytes = columns * (double)view.rows * sizeof(double);
  if (control->cache > 0 && bytes > (double)control->cache) return MK_TOO_LARGE;
  mk_kernel_spec *spec = MK_NEW(mk_kernel_spec, count);
  if (spec == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < count; k++) spec[k] = spec_of(anchors, which[k]);
  mk_status status = mk_set_new(set, view.rows, &view, 1, spec, count, control->team);
  mk_free(spec);
  return status;
}

static void release(void *self, mk_kernel_set *set) {
  (void)self;
  mk_set_free(set);
}

mk_stream mk_anchors_stream(mk_anchors *anchors) {
  return (mk_stream){.self = anchors,
                     .size = anchors->count * anchors->maps,
                     .samples = anchors->view.rows,
                     .strengths = strengths,
                     .select = select_kernels,
                     .release = release};
}
