/* Locally linear kernels h(x) h(z) <x - c, z - c> from the squared distances of their family. The
 * inner product is (|x - c|^2 + |z - c|^2 - |x - z|^2) / 2, so two numbers per sample and anchor
 * suffice. MATHEMATICS.md, section 6.1. */
#include "kernel/local.h"

#include "base/memory.h"
#include "kernel/points.h"

#include <math.h>
#include <string.h>

#define ANCHORS ((size_t)256) /* anchors measured at a time */

/* ---- numbers by sample ---- */

/* Computes the two numbers of one kernel for all samples, from distances `ld` apart. */
static void fill_slot(const mk_kernel_set *set, mk_local *local, size_t slot,
                      const double *distance, size_t ld) {
  const mk_kernel_spec *spec = &set->member[local->member[slot]].spec;
  for (size_t i = 0; i < set->n; i++) {
    double square = distance[i * ld], h = mk_local_value(spec->map, spec->gamma, square);
    local->h[i * local->padded + slot] = h;
    local->u[i * local->padded + slot] = 0.5 * h * square;
  }
}

/* Fills all slots. Consecutive kernels with the same anchor share its distances. */
static mk_status fill_slots(const mk_kernel_set *set, const mk_family *family, mk_local *local,
                            mk_team *team) {
  mk_sample_block all = {family->view, family->features, family->feature_count, NULL, set->n};
  const double *point[ANCHORS];
  double *distance = MK_NEW(double, set->n *ANCHORS);
  mk_status status = distance == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t s = 0, next; status == MK_OK && s < local->count; s = next) {
    size_t count = 0;
    for (next = s; next < local->count; next++) {
      const double *anchor = set->member[local->member[next]].spec.anchor;
      if (count > 0 && point[count - 1] == anchor) continue;
      if (count == ANCHORS) break;
      point[count++] = anchor;
    }
    status = mk_point_distances(&all, point, count, team, distance, ANCHORS);
    for (size_t slot = s, at = 0; status == MK_OK && slot < next; slot++) {
      if (point[at] != set->member[local->member[slot]].spec.anchor) at++;
      fill_slot(set, local, slot, distance + at, ANCHORS);
    }
  }
  mk_free(distance);
  return status;
}

mk_status mk_local_build(mk_kernel_set *set, mk_family *family, mk_team *team) {
  size_t count = 0;
  for (size_t k = 0; k < family->count; k++)
    count += mk_member_is_local(&set->member[family->member[k]]) != 0;
  if (count == 0) return MK_OK;
  mk_local *local = family->local = MK_TAKE0(&family->pool, mk_local, 1);
  if (local == NULL) return MK_NO_MEMORY;
  local->padded = mk_padded(count);
  local->member = MK_TAKE(&family->pool, int, count);
  local->h = MK_TAKE0(&family->pool, double, set->n * local->padded);
  local->u = MK_TAKE0(&family->pool, double, set->n * local->padded);
  MK_TRY(mk_pool_status(&family->pool));
  for (size_t k = 0; k < family->count; k++) {
    mk_member *member = &set->member[family->member[k]];
    if (!mk_member_is_local(member)) continue;
    member->slot = (int)local->count;
    local->member[local->count++] = family->member[k];
  }
  if (local->padded > set->slots) set->slots = local->padded;
  return fill_slots(set, family, local, team);
}

/* ---- values ---- */

void mk_local_plain(const mk_kernel_set *set, size_t m, int row, const mk_samples *others,
                    const double *base, double *out) {
  const mk_member *member = &set->member[m];
  const mk_local *local = set->family[member->family].local;
  const double *h = local->h + member->slot, *u = local->u + member->slot;
  double h_own = h[(size_t)row * local->padded], u_own = u[(size_t)row * local->padded];
  for (size_t c = 0; c < others->count; c++) {
    size_t j = mk_sample(others, c) * local->padded;
    /* symmetric in both samples */
    out[c] = h_own * u[j] + u_own * h[j] - 0.5 * base[c] * (h_own * h[j]);
  }
}

/* ---- the kind ---- */

static int valid(const mk_kernel_spec *spec, const mk_view *view) {
  size_t depth = spec->features != NULL ? spec->feature_count : view->cols;
  if (spec->map < 1 || spec->map > MK_LOCAL_MAPS || spec->anchor == NULL) return 0;
  for (size_t k = 0; k < depth; k++)
    if (!isfinite(spec->anchor[k])) return 0;
  return isfinite(spec->gamma) && spec->gamma > 0;
}

static void read(mk_kernel_spec *spec, const double *parameter) {
  int known = parameter[0] >= 1.0 && parameter[0] <= MK_LOCAL_MAPS; /* mk_set_new() refuses 0 */
  spec->map = known ? (mk_local_map)parameter[0] : (mk_local_map)0;
  spec->gamma = parameter[1];
  spec->componentwise = parameter[2] != 0.0;
}

static void values(const mk_value_parts *parts, double *out) {
  mk_local_plain(parts->set, parts->m, parts->row, parts->others, parts->distance, out);
}

static double units(const mk_kernel_spec *spec, const mk_part_roundings *parts) {
  (void)spec;
  return parts->units + 4.0 * parts->depth;
}

const mk_kind mk_kind_locally_linear = {.name = "locally_linear",
                                        .distances = 1,
                                        .local = 1,
                                        .valid = valid,
                                        .read = read,
                                        .values = values,
                                        .units = units};
