/* Squared distances and inner products of many pairs of rows, from tiles of inner products: |x|^2 +
 * |z|^2 - 2 x'z. Dense rows are centred first; rows with few nonzero entries stay as they are and
 * meet the others entry by entry. Rounding leaves about 1e-16 (|x|^2 + |z|^2); where that is a
 * large part of a distance, the tile is computed again as sums of squared differences. Called by
 * pairs.c. MATHEMATICS.md, section 4.1. */
#include "base/memory.h"
#include "base/threads.h"
#include "exact/tiles-pack.h"
#include "kernel/geometry.h"

#include <string.h>

/* Sparse views with more columns than this are not tiled, since filled-up ones take much memory. */
#define MANY_FEATURES 16384

int mk_tiles_suit(const mk_family *family) {
  return mk_family_is_dense(family) ||
         (mk_family_is_sparse(family) && family->feature_count <= MANY_FEATURES);
}

/* ---- rows ---- */

typedef struct packing {
  mk_tiles *tiles;
  const int *samples;
} packing;

static mk_status pack_strip(void *data, size_t k, int thread) {
  const packing *p = data;
  size_t start = k * MK_STRIP_ROWS;
  (void)thread;
  mk_side_pack(p->tiles, &p->tiles->row, p->samples, start,
               mk_smaller(start + MK_STRIP_ROWS, p->tiles->row.padded));
  return MK_OK;
}

/* Copies the rows' squares, and their sample numbers, by which the family's pairs are found. */
static mk_status take_pairs(mk_tiles *tiles, const int *samples) {
  size_t count = tiles->row.count;
  tiles->how = MK_BY_GEOMETRY;
  tiles->sample = MK_TAKE(&tiles->memory, int, count);
  MK_TRY(mk_side_new(&tiles->row, count, MK_TILE_ROWS, 0));
  if (tiles->sample == NULL) return MK_NO_MEMORY;
  memcpy(tiles->sample, samples, count * sizeof *samples);
  for (size_t i = 0; i < count; i++)
    tiles->row.square[i] = tiles->family->geometry->square[samples[i]];
  return MK_OK;
}

mk_status mk_tiles_new(mk_tiles **out, const mk_kernel_set *set, const mk_family *family,
                       const int *samples, size_t count, int distances, mk_team *team) {
  mk_tiles *tiles = *out = MK_NEW0(mk_tiles, 1);
  if (tiles == NULL) return MK_NO_MEMORY;
  tiles->set = set;
  tiles->family = family;
  tiles->row.count = count;
  if (family->geometry != NULL) return take_pairs(tiles, samples);
  tiles->place = MK_TAKE0(&tiles->memory, int, family->feature_count);
  tiles->centre = MK_TAKE0(&tiles->memory, double, family->feature_count);
  if (tiles->memory.failed) return MK_NO_MEMORY;
  MK_TRY(mk_tiles_survey(tiles, samples, distances, team));
  MK_TRY(
      mk_side_new(&tiles->row, count, MK_TILE_ROWS, tiles->how == MK_BY_LISTS ? 0 : tiles->kept));
  if (tiles->how == MK_BY_LISTS) return mk_tiles_list(tiles, samples, team);
  return mk_deal_out((tiles->row.padded + MK_STRIP_ROWS - 1) / MK_STRIP_ROWS, team, pack_strip,
                     &(packing){tiles, samples});
}

void mk_tiles_free(mk_tiles *tiles) {
  if (tiles == NULL) return;
  mk_side_free(&tiles->row);
  mk_pool_free(&tiles->memory);
  mk_free(tiles);
}

/* ---- strips ---- */

static int is_by_row(const mk_tiles *tiles) {
  return tiles->how == MK_BY_DIFFERENCES || tiles->how == MK_BY_GEOMETRY;
}

mk_tile_strip *mk_tile_strip_new(const mk_tiles *tiles) {
  mk_tile_strip *strip = MK_NEW0(mk_tile_strip, 1);
  if (strip == NULL) return NULL;
  size_t block = (size_t)MK_STRIP_ROWS * MK_STRIP_COLS;
  strip->tile = MK_NEW(double, is_by_row(tiles) ? 1 : block);
  strip->rows = MK_NEW(double, tiles->depth *MK_TILE_ROWS);
  if (strip->tile == NULL || strip->rows == NULL ||
      mk_side_new(&strip->col, MK_STRIP_COLS,
                  tiles->how == MK_BY_DIFFERENCES ? MK_STRIP_COLS : MK_TILE_COLS,
                  tiles->kept) != MK_OK) {
    mk_tile_strip_free(strip);
    return NULL;
  }
  return strip;
}

void mk_tile_strip_free(mk_tile_strip *strip) {
  if (strip == NULL) return;
  mk_side_free(&strip->col);
  mk_free(strip->tile);
  mk_free(strip->rows);
  mk_free(strip);
}

/* Packs the samples of a strip. Lists meet two panels at a time; single features are rows. */
void mk_tile_strip_pack(const mk_tiles *tiles, mk_tile_strip *strip, const int *samples,
                        size_t count) {
  size_t unit = tiles->how == MK_BY_LISTS         ? 2 * MK_TILE_COLS
                : tiles->how == MK_BY_DIFFERENCES ? MK_STRIP_COLS
                                                  : MK_TILE_COLS;
  strip->col.count = count;
  if (tiles->how == MK_BY_GEOMETRY) {
    memcpy(strip->sample, samples, count * sizeof *samples);
    for (size_t c = 0; c < count; c++)
      strip->col.square[c] = tiles->family->geometry->square[samples[c]];
    return;
  }
  strip->col.padded = (count + unit - 1) / unit * unit;
  mk_side_pack(tiles, &strip->col, samples, 0, strip->col.padded);
}

/* ---- blocks ---- */

#define TILE ((size_t)MK_TILE_ROWS * MK_TILE_COLS)

static void multiply_panels(const mk_tiles *tiles, mk_tile_strip *strip, size_t first,
                            size_t height, size_t from) {
  for (size_t slice = 0; slice < tiles->kept; slice += tiles->depth)
    for (size_t c = from; c < strip->col.padded; c += MK_TILE_COLS) {
      const double *col = mk_panel(tiles, &strip->col, slice, c);
      double *tile = strip->tile + c * MK_STRIP_ROWS;
      for (size_t r = 0; r < height; r += MK_TILE_ROWS, tile += TILE)
        tiles->set->simd->dot_tile(mk_slice_depth(tiles, slice),
                                   mk_panel(tiles, &tiles->row, slice, first + r), col, tile);
    }
}

static const size_t *lists_of(const mk_tiles *tiles, size_t slice, size_t r) {
  return tiles->start + slice / tiles->depth * (tiles->row.padded + 1) + r;
}

static void multiply_lists(const mk_tiles *tiles, mk_tile_strip *strip, size_t first, size_t height,
                           size_t from) {
  for (size_t slice = 0; slice < tiles->kept; slice += tiles->depth)
    for (size_t c = from; c < strip->col.padded; c += 2 * MK_TILE_COLS)
      tiles->set->simd->rows[0].sparse_tile(height, lists_of(tiles, slice, first), tiles->index,
                                            tiles->value, mk_panel(tiles, &strip->col, slice, c),
                                            MK_TILE_COLS * mk_slice_depth(tiles, slice),
                                            strip->tile + c, MK_STRIP_COLS);
}

/* Fills MK_TILE_ROWS rows of a slice into a panel. */
static const double *rows_from_lists(const mk_tiles *tiles, const mk_tile_strip *strip,
                                     size_t slice, size_t r) {
  const size_t *start = lists_of(tiles, slice, r);
  memset(strip->rows, 0, mk_slice_depth(tiles, slice) * MK_TILE_ROWS * sizeof *strip->rows);
  for (size_t k = 0; k < MK_TILE_ROWS; k++)
    for (size_t e = start[k]; e < start[k + 1]; e++)
      strip->rows[(size_t)tiles->index[e] * MK_TILE_ROWS + k] = tiles->value[e];
  return strip->rows;
}

/* Adds what others contribute in features that all rows share, which were not packed. */
static void tile_by_differences(const mk_tiles *tiles, const mk_tile_strip *strip, size_t r,
                                size_t c, double *out) {
  double tile[MK_TILE_ROWS * MK_TILE_COLS] __attribute__((aligned(64))) = {0};
  for (size_t slice = 0; slice < tiles->kept; slice += tiles->depth) {
    const double *rows = tiles->how == MK_BY_LISTS ? rows_from_lists(tiles, strip, slice, r)
                                                   : mk_panel(tiles, &tiles->row, slice, r);
    tiles->set->simd->distance_tile(mk_slice_depth(tiles, slice), rows,
                                    mk_panel(tiles, &strip->col, slice, c), tile);
  }
  for (size_t i = 0; i < MK_TILE_ROWS; i++)
    for (size_t j = 0; j < MK_TILE_COLS; j++)
      out[i * MK_STRIP_COLS + j] = tile[i * MK_TILE_COLS + j] + strip->col.rest[c + j];
}

static void read_tile(const mk_tiles *tiles, const mk_tile_strip *strip, size_t first, size_t r,
                      size_t c, double *distance, double *product) {
  size_t ld = tiles->how == MK_BY_LISTS ? MK_STRIP_COLS : MK_TILE_COLS, at = r * MK_STRIP_COLS + c;
  const double *tile =
      strip->tile + (tiles->how == MK_BY_LISTS ? at : c * MK_STRIP_ROWS + r * MK_TILE_COLS);
  if (distance != NULL && tiles->set->simd->tile_distances(tile, ld, tiles->row.square + first + r,
                                                           strip->col.square + c, MK_NEAR_SHARE,
                                                           distance + at, MK_STRIP_COLS))
    tile_by_differences(tiles, strip, first + r, c, distance + at);
  for (size_t i = 0; product != NULL && i < MK_TILE_ROWS; i++)
    for (size_t j = 0; j < MK_TILE_COLS; j++)
      product[at + i * MK_STRIP_COLS + j] =
          tile[i * ld + j] + tiles->row.shift[first + r + i] + strip->col.shift[c + j];
}

/* Sums squared differences, and products feature by feature, for one row. */
static void add_features(const mk_tiles *tiles, const mk_tile_strip *strip, size_t row, size_t from,
                         double *distance, double *product) {
  const mk_simd *simd = tiles->set->simd;
  size_t count = strip->col.count - from;
  const double *x = mk_panel(tiles, &tiles->row, 0, row / MK_TILE_ROWS * MK_TILE_ROWS);
  const double *z = strip->col.packed + from;
  double own[FEW_FEATURES];
  for (size_t k = 0; k < tiles->kept; k++) own[k] = x[k * MK_TILE_ROWS + row % MK_TILE_ROWS];
  if (distance != NULL)
    simd->rows[0].few_squares(count, tiles->kept, own, z, MK_STRIP_COLS, distance + from);
  if (product != NULL) memset(product + from, 0, count * sizeof *product);
  for (size_t k = 0; product != NULL && k < tiles->kept; k++)
    simd->axpy(count, own[k], z + k * MK_STRIP_COLS, product + from);
}

static double largest_square(const mk_side *side) {
  double most = 0.0;
  for (size_t i = 0; i < side->count; i++) most = side->square[i] > most ? side->square[i] : most;
  return most;
}

double mk_tiles_reach(const mk_tiles *tiles, const mk_tile_strip *strip) {
  if (tiles->how == MK_BY_DIFFERENCES) return 0.0;
  return largest_square(&tiles->row) + largest_square(&strip->col);
}

static void read_pairs(const mk_tiles *tiles, const mk_tile_strip *strip, size_t row, size_t from,
                       double *distance, double *product) {
  const mk_geometry *pairs = tiles->family->geometry;
  size_t i = (size_t)tiles->sample[row], at = i * tiles->set->n;
  for (size_t c = from; distance != NULL && c < strip->col.count; c++)
    distance[c] = pairs->distance[at + (size_t)strip->sample[c]];
  for (size_t c = from; product != NULL && c < strip->col.count; c++)
    product[c] = pairs->product[at + (size_t)strip->sample[c]] + pairs->shift[i] +
                 pairs->shift[strip->sample[c]];
}

void mk_tiles_block(const mk_tiles *tiles, mk_tile_strip *strip, size_t first, size_t height,
                    size_t from, double *distance, double *product) {
  for (size_t r = 0; is_by_row(tiles) && r < height; r++)
    (tiles->how == MK_BY_GEOMETRY ? read_pairs : add_features)(
        tiles, strip, first + r, from, distance != NULL ? distance + r * MK_STRIP_COLS : NULL,
        product != NULL ? product + r * MK_STRIP_COLS : NULL);
  if (is_by_row(tiles)) return;
  from = from / (2 * MK_TILE_COLS) * (2 * MK_TILE_COLS);
  memset(strip->tile, 0, (size_t)MK_STRIP_ROWS * MK_STRIP_COLS * sizeof *strip->tile);
  if (tiles->how == MK_BY_LISTS)
    multiply_lists(tiles, strip, first, height, from);
  else
    multiply_panels(tiles, strip, first, height, from);
  for (size_t c = from; c < strip->col.padded; c += MK_TILE_COLS)
    for (size_t r = 0; r < height; r += MK_TILE_ROWS)
      read_tile(tiles, strip, first, r, c, distance, product);
}
