/* Locally linear kernels h(x) h(z) <x - c, z - c> (mathematics.md, 6) on the squared distances of
 * their family, for rows (mixture.c) and sums (sums.c). The inner product is (|x - c|^2 + |z - c|^2
 * - |x - z|^2) / 2, so that two numbers by sample and anchor are all there is to keep. */
#include "base/memory.h"
#include "internal.h"
#include "points.h"

#include <string.h>

#define ANCHORS ((size_t)256) /* measured at a time */

/* ---- numbers by sample ---- */

/* One locally linear kernel's, from distances `ld` apart. */
static void fill_slot(const mk_kernel_set *set, mk_local *local, size_t slot,
                      const double *distance, size_t ld) {
  const mk_kernel_spec *spec = &set->member[local->member[slot]].spec;
  for (size_t i = 0; i < set->n; i++) {
    double square = distance[i * ld], h = mk_local_value(spec->map, spec->gamma, square);
    local->h[i * local->padded + slot] = h;
    local->u[i * local->padded + slot] = 0.5 * h * square;
  }
}

/* Anchors that follow each other and are one point are measured once. */
static mk_status fill(const mk_kernel_set *set, const mk_family *family, mk_local *local,
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
    count += set->member[family->member[k]].spec.type == MK_LOCALLY_LINEAR;
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
    if (member->spec.type != MK_LOCALLY_LINEAR) continue;
    member->slot = (int)local->count;
    local->member[local->count++] = family->member[k];
  }
  if (local->padded > set->slots) set->slots = local->padded;
  return fill(set, family, local, team);
}

/* ---- values ---- */

void mk_local_plain(const mk_kernel_set *set, size_t m, int row, const mk_columns *columns,
                    const double *base, double *out) {
  const mk_member *member = &set->member[m];
  const mk_local *local = set->family[member->family].local;
  const double *h = local->h + member->slot, *u = local->u + member->slot;
  double h_own = h[(size_t)row * local->padded], u_own = u[(size_t)row * local->padded];
  for (size_t c = 0; c < columns->count; c++) {
    size_t j = mk_column(columns, c) * local->padded;
    out[c] = h_own * u[j] + u_own * h[j] - 0.5 * base[c] * (h_own * h[j]); /* symmetric */
  }
}

/* ---- mixtures ---- */

mk_status mk_local_mix_new(mk_local_mix *mix, const mk_kernel_set *set, const mk_local *local,
                           int single, mk_pool *pool) {
  size_t size = mk_row_size(single);
  mix->weight = MK_TAKE(pool, double, local->padded);
  mix->h = (mk_row){mk_pool_alloc(pool, set->n * local->padded, size), single};
  mix->u = (mk_row){mk_pool_alloc(pool, set->n * local->padded, size), single};
  return mk_pool_status(pool);
}

void mk_local_mix_fill(mk_local_mix *mix, const mk_kernel_set *set, const mk_local *local,
                       const double *weight) {
  size_t count = 0;
  for (size_t s = 0; s < local->count; s++) {
    int m = local->member[s];
    count += mk_goes_by_slot(&set->member[m]) && weight[m] != 0.0;
  }
  mix->padded = mk_padded(count);
  memset(mix->weight, 0, mix->padded * sizeof *mix->weight);
  mk_row_clear(mix->h, set->n * mix->padded);
  mk_row_clear(mix->u, set->n * mix->padded);
  for (size_t s = 0, to = 0; s < local->count; s++) {
    int m = local->member[s];
    if (!mk_goes_by_slot(&set->member[m]) || weight[m] == 0.0) continue;
    mix->weight[to] = weight[m];
    for (size_t i = 0; i < set->n; i++) {
      mk_row_set(mix->h, i * mix->padded + to, local->h[i * local->padded + s]);
      mk_row_set(mix->u, i * mix->padded + to, local->u[i * local->padded + s]);
    }
    to++;
  }
}

/* Weights times the row's own numbers are in the first two rows of the scratch. */
void mk_local_add(const mk_kernel_set *set, const mk_local_mix *mix, int row,
                  const mk_columns *columns, mk_row base, mk_row out, mk_scratch *scratch) {
  size_t own = (size_t)row * mix->padded;
  mk_row p = {scratch->local, mix->h.single}, q = {scratch->local + set->slots, mix->h.single};
  for (size_t s = 0; s < mix->padded; s++) {
    mk_row_set(p, s, mix->weight[s] * mk_row_at(mix->h, own + s));
    mk_row_set(q, s, mix->weight[s] * mk_row_at(mix->u, own + s));
  }
  const mk_row_loops *loops = &set->simd->rows[mix->h.single];
  for (size_t c = 0; c < columns->count; c++) {
    size_t j = mk_column(columns, c) * mix->padded;
    double value = loops->local_pair(mix->padded, p.at, q.at, mk_row_from(mix->h, j).at,
                                     mk_row_from(mix->u, j).at, -0.5 * mk_row_at(base, c));
    mk_row_set(out, c, mk_row_at(out, c) + value);
  }
}

/* ---- sums ---- */

void mk_local_sums(const mk_kernel_set *set, const mk_local *local, int row,
                   const mk_columns *columns, mk_row base, const double *weight,
                   mk_scratch *scratch) {
  const double *h = local->h + (size_t)row * local->padded;
  const double *u = local->u + (size_t)row * local->padded;
  double *sum_h = scratch->local, *sum_u = sum_h + set->slots, *sum_d = sum_u + set->slots;
  memset(sum_h, 0, MK_LOCAL_ROWS * set->slots * sizeof *sum_h);
  for (size_t c = 0; c < columns->count; c++) {
    size_t j = mk_column(columns, c) * local->padded;
    if (weight[c] != 0.0)
      set->simd->local_collect(local->padded, weight[c], weight[c] * mk_row_at(base, c),
                               local->h + j, local->u + j, sum_h, sum_u, sum_d);
  }
  for (size_t s = 0; s < local->padded; s++)
    sum_h[s] = u[s] * sum_h[s] + h[s] * (sum_u[s] - 0.5 * sum_d[s]);
}
