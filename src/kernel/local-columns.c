/* Componentwise locally linear kernels, h(x_k) (x_k - c_k). Each becomes a linear kernel on columns
 * of its own, which everything that serves linear kernels then serves. Called by set.c.
 * MATHEMATICS.md, section 6.1. */
#include "kernel/local-columns.h"

#include "base/memory.h"
#include "kernel/points.h"

#include <stdint.h>

#define RUN ((size_t)256) /* samples at a time */

/* Computes the columns of one kernel: out is n x depth by columns. */
static mk_status make_columns(const mk_kernel_spec *spec, const mk_sample_block *block,
                              double *out) {
  double *value = MK_NEW(double, RUN * block->depth), square[RUN];
  if (value == NULL) return MK_NO_MEMORY;
  for (size_t from = 0; from < block->count; from += RUN) {
    size_t height = mk_smaller(block->count - from, RUN);
    mk_block_pack(block, from, height, RUN, value);
    for (size_t k = 0; k < block->depth; k++) {
      const double *x = value + k * RUN;
      double centre = spec->anchor[k], *to = out + k * block->count + from;
      for (size_t r = 0; r < height; r++) square[r] = (x[r] - centre) * (x[r] - centre);
      mk_local_values(spec->map, spec->gamma, height, square, to);
      for (size_t r = 0; r < height; r++) to[r] *= x[r] - centre;
    }
  }
  mk_free(value);
  return MK_OK;
}

static mk_status replace_by_columns(mk_kernel_set *set, mk_kernel_spec *spec) {
  const mk_view *from = &set->view[spec->view];
  size_t depth = spec->features != NULL ? spec->feature_count : from->cols;
  if (depth > SIZE_MAX / sizeof(double) / set->n) return MK_TOO_LARGE;
  mk_view *view = &set->view[set->views];
  mk_sample_block all = {from, spec->features, depth, NULL, set->n};
  *view = (mk_view){
      .rows = set->n, .cols = depth, .owned = MK_NEW(double, set->n *depth), .has = from->has};
  view->x = view->owned;
  if (view->owned == NULL) return MK_NO_MEMORY;
  set->views++;
  MK_TRY(make_columns(spec, &all, view->owned));
  *spec = (mk_kernel_spec){.type = MK_LINEAR, .view = (int)set->views - 1};
  return MK_OK;
}

static int is_componentwise(const mk_member *member) {
  return mk_member_is_local(member) && member->spec.componentwise;
}

mk_status mk_local_columns(mk_kernel_set *set, size_t given) {
  size_t more = 0;
  for (size_t m = 0; m < set->kernels; m++) more += (size_t)is_componentwise(&set->member[m]);
  if (more == 0) return MK_OK;
  mk_view *view = MK_TAKE0(&set->pool, mk_view, given + more);
  MK_TRY(mk_pool_status(&set->pool));
  for (size_t v = 0; v < given; v++) view[v] = set->view[v];
  set->view = view;
  for (size_t m = 0; m < set->kernels; m++)
    if (is_componentwise(&set->member[m])) MK_TRY(replace_by_columns(set, &set->member[m].spec));
  return MK_OK;
}
