/* The locally linear kernels of a family, evaluated together: rows of a mixture for mixture.c, and
 * sums for sums.c. MATHEMATICS.md, section 6.1. */
#include "rows/local-rows.h"

#include <string.h>

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

/* The first two rows of the scratch hold the weights times the row's own numbers. */
void mk_local_add(const mk_kernel_set *set, const mk_local_mix *mix, int row,
                  const mk_samples *others, mk_row base, mk_row out, mk_scratch *scratch) {
  size_t own = (size_t)row * mix->padded;
  mk_row p = {scratch->local, mix->h.single}, q = {scratch->local + set->slots, mix->h.single};
  for (size_t s = 0; s < mix->padded; s++) {
    mk_row_set(p, s, mix->weight[s] * mk_row_at(mix->h, own + s));
    mk_row_set(q, s, mix->weight[s] * mk_row_at(mix->u, own + s));
  }
  const mk_row_loops *loops = &set->simd->rows[mix->h.single];
  for (size_t c = 0; c < others->count; c++) {
    size_t j = mk_sample(others, c) * mix->padded;
    double value = loops->local_pair(mix->padded, p.at, q.at, mk_row_from(mix->h, j).at,
                                     mk_row_from(mix->u, j).at, -0.5 * mk_row_at(base, c));
    mk_row_set(out, c, mk_row_at(out, c) + value);
  }
}

/* ---- sums ---- */

void mk_local_sums(const mk_kernel_set *set, const mk_local *local, int row,
                   const mk_samples *others, mk_row base, const double *weight,
                   mk_scratch *scratch) {
  const double *h = local->h + (size_t)row * local->padded;
  const double *u = local->u + (size_t)row * local->padded;
  double *sum_h = scratch->local, *sum_u = sum_h + set->slots, *sum_d = sum_u + set->slots;
  memset(sum_h, 0, MK_LOCAL_ROWS * set->slots * sizeof *sum_h);
  for (size_t c = 0; c < others->count; c++) {
    size_t j = mk_sample(others, c) * local->padded;
    if (weight[c] != 0.0)
      set->simd->local_collect(local->padded, weight[c], weight[c] * mk_row_at(base, c),
                               local->h + j, local->u + j, sum_h, sum_u, sum_d);
  }
  for (size_t s = 0; s < local->padded; s++)
    sum_h[s] = u[s] * sum_h[s] + h[s] * (sum_u[s] - 0.5 * sum_d[s]);
}
