/* Distances and inner products of a family's pairs, between a group of rows and strips of columns:
 * by tiles where these suit the family, otherwise by definition. Called by expansion-pairs.c and
 * means.c. MATHEMATICS.md, section 4.1. */
#include "exact/pairs.h"

#include "base/threads.h"

#include <math.h>

mk_status mk_pairs_new(mk_pairs *pairs, const mk_kernel_set *set, mk_team *team) {
  size_t block = (size_t)MK_STRIP_ROWS * MK_STRIP_COLS;
  *pairs = (mk_pairs){.set = set, .threads = mk_team_size(team)};
  pairs->bench = MK_TAKE0(&pairs->pool, mk_pair_bench, (size_t)pairs->threads);
  if (pairs->bench == NULL) return MK_NO_MEMORY;
  for (int t = 0; t < pairs->threads; t++) {
    pairs->bench[t].exact = mk_exact_new(set);
    pairs->bench[t].distance = MK_TAKE(&pairs->pool, double, block);
    pairs->bench[t].product = MK_TAKE(&pairs->pool, double, block);
    if (pairs->bench[t].exact == NULL) return MK_NO_MEMORY;
  }
  return mk_pool_status(&pairs->pool);
}

static void leave_group(mk_pairs *pairs) {
  for (int t = 0; pairs->bench != NULL && t < pairs->threads; t++) {
    mk_tile_strip_free(pairs->bench[t].strip);
    pairs->bench[t].strip = NULL;
  }
  mk_tiles_free(pairs->tiles);
  pairs->tiles = NULL;
}

void mk_pairs_free(mk_pairs *pairs) {
  leave_group(pairs);
  for (int t = 0; pairs->bench != NULL && t < pairs->threads; t++)
    mk_exact_free(pairs->bench[t].exact);
  mk_pool_free(&pairs->pool);
}

void mk_pairs_family(mk_pairs *pairs, size_t f, int distances, int products) {
  pairs->f = f;
  pairs->distances = distances;
  pairs->products = products;
  for (int t = 0; t < pairs->threads; t++) pairs->bench[t].reach = 0.0;
}

mk_status mk_pairs_group(mk_pairs *pairs, const int *row, size_t count, mk_team *team) {
  const mk_family *family = &pairs->set->family[pairs->f];
  leave_group(pairs);
  pairs->row = row;
  if (!mk_tiles_suit(family)) return MK_OK;
  MK_TRY(mk_tiles_new(&pairs->tiles, pairs->set, family, row, count, pairs->distances, team));
  for (int t = 0; t < pairs->threads; t++) {
    pairs->bench[t].strip = mk_tile_strip_new(pairs->tiles);
    if (pairs->bench[t].strip == NULL) return MK_NO_MEMORY;
  }
  return MK_OK;
}

void mk_pairs_strip(const mk_pairs *pairs, int thread, const int *col, size_t count) {
  mk_pair_bench *bench = &pairs->bench[thread];
  bench->others = mk_list(col, count);
  if (pairs->tiles == NULL) return;
  mk_tile_strip_pack(pairs->tiles, bench->strip, col, count);
  bench->reach = fmax(bench->reach, mk_tiles_reach(pairs->tiles, bench->strip));
}

mk_status mk_pairs_block(const mk_pairs *pairs, int thread, size_t first, size_t height,
                         size_t from, const double **distance, const double **product) {
  const mk_pair_bench *bench = &pairs->bench[thread];
  if (pairs->tiles == NULL) {
    *distance = mk_exact_distances(bench->exact);
    *product = mk_exact_products(bench->exact);
    return mk_exact_block(bench->exact, pairs->f, pairs->row + first, height, &bench->others);
  }
  *distance = bench->distance;
  *product = bench->product;
  mk_tiles_block(pairs->tiles, bench->strip, first, height, from,
                 pairs->distances ? bench->distance : NULL,
                 pairs->products ? bench->product : NULL);
  return MK_OK;
}

double mk_pairs_reach(const mk_pairs *pairs) {
  double reach = 0.0;
  for (int t = 0; t < pairs->threads; t++)
    reach = fmax(fmax(reach, pairs->bench[t].reach), mk_exact_reach(pairs->bench[t].exact));
  return reach;
}

double mk_pairs_largest(const mk_pairs *pairs) {
  double largest = 0.0;
  for (int t = 0; t < pairs->threads; t++)
    largest = fmax(largest, mk_exact_largest(pairs->bench[t].exact));
  return largest;
}
