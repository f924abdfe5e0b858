#include "points.h"

#include "base/memory.h"
#include "base/threads.h"

#include <string.h>

static size_t sample_at(const mk_sample_block *block, size_t r) {
  return block->samples != NULL ? (size_t)block->samples[r] : r;
}

static void pack_dense(const mk_sample_block *block, size_t from, size_t height, size_t width,
                       double *out) {
  for (size_t k = 0; k < block->depth; k++) {
    size_t j = block->features != NULL ? (size_t)block->features[k] : k;
    const double *column = block->view->x + j * block->view->rows;
    for (size_t r = 0; r < height; r++) out[k * width + r] = column[sample_at(block, from + r)];
    for (size_t r = height; r < width; r++) out[k * width + r] = 0.0;
  }
}

static void pack_sparse(const mk_sample_block *block, size_t from, size_t height, size_t width,
                        double *out) {
  const mk_view *view = block->view;
  memset(out, 0, width * block->depth * sizeof *out);
  for (size_t r = 0; r < height; r++) {
    size_t i = sample_at(block, from + r), k = 0;
    for (size_t e = view->row_start[i]; e < view->row_start[i + 1]; e++) {
      int column = view->row_col[e];
      if (block->features == NULL) {
        out[(size_t)column * width + r] = view->row_value[e];
        continue;
      }
      while (k < block->depth && block->features[k] < column) k++;
      if (k < block->depth && block->features[k] == column) out[k * width + r] = view->row_value[e];
    }
  }
}

void mk_block_pack(const mk_sample_block *block, size_t from, size_t height, size_t width,
                   double *out) {
  if (block->view->x != NULL)
    pack_dense(block, from, height, width, out);
  else
    pack_sparse(block, from, height, width, out);
}

void mk_points_pack(const double *const *point, size_t height, size_t depth, size_t width,
                    double *out) {
  for (size_t k = 0; k < depth; k++)
    for (size_t r = 0; r < width; r++) out[k * width + r] = r < height ? point[r][k] : 0.0;
}

void mk_points_middle(const double *point, size_t count, size_t depth, double *out) {
  double sorted[MK_MIDDLE];
  size_t taken = mk_smaller(count, MK_MIDDLE);
  for (size_t j = 0; j < depth; j++) {
    for (size_t k = 0; k < taken; k++) {
      double value = point[k * count / taken * depth + j];
      size_t to = k;
      for (; to > 0 && sorted[to - 1] > value; to--) sorted[to] = sorted[to - 1];
      sorted[to] = value;
    }
    out[j] = taken > 0 ? sorted[taken / 2] : 0.0;
  }
}

/* ---- distances ---- */

#define STRIP 32 /* samples packed at a time; a multiple of MK_TILE_ROWS */

typedef struct measuring {
  const mk_sample_block *block;
  const double *const *point;
  size_t count;  /* number of points */
  double *left;  /* by thread: STRIP samples, once in panels of MK_TILE_ROWS and once by features */
  double *right; /* the points in panels of MK_TILE_COLS */
  double *out;
  size_t ld;
} measuring;

static mk_status pack_panel(void *data, size_t p, int thread) {
  const measuring *m = data;
  size_t from = p * MK_TILE_COLS, depth = m->block->depth;
  (void)thread;
  mk_points_pack(m->point + from, mk_smaller(m->count - from, MK_TILE_COLS), depth, MK_TILE_COLS,
                 m->right + from * depth);
  return MK_OK;
}

static mk_status measure_strip(void *data, size_t k, int thread) {
  const measuring *m = data;
  const mk_simd *simd = mk_simd_best();
  size_t depth = m->block->depth, from = k * STRIP,
         height = mk_smaller(m->block->count - from, STRIP);
  double *left = m->left + (size_t)thread * 2 * STRIP * depth, *x = left + STRIP * depth;
  mk_block_pack(m->block, from, height, STRIP, x);
  for (size_t r = 0; r < height; r += MK_TILE_ROWS)
    for (size_t j = 0; j < depth; j++)
      memcpy(left + r * depth + j * MK_TILE_ROWS, x + j * STRIP + r, MK_TILE_ROWS * sizeof *x);
  for (size_t c = 0; c < m->count; c += MK_TILE_COLS)
    for (size_t r = 0; r < height; r += MK_TILE_ROWS) {
      double tile[MK_TILE_ROWS * MK_TILE_COLS] __attribute__((aligned(64))) = {0};
      simd->distance_tile(depth, left + r * depth, m->right + c * depth, tile);
      for (size_t i = 0; i < MK_TILE_ROWS && r + i < height; i++)
        memcpy(m->out + (from + r + i) * m->ld + c, tile + i * MK_TILE_COLS,
               MK_TILE_COLS * sizeof *tile);
    }
  return MK_OK;
}

mk_status mk_point_distances(const mk_sample_block *block, const double *const *point, size_t count,
                             mk_team *team, double *out, size_t ld) {
  size_t panels = (count + MK_TILE_COLS - 1) / MK_TILE_COLS;
  team = mk_team_worth(team, 2.0 * (double)block->count * (double)count * (double)block->depth);
  size_t threads = (size_t)mk_team_size(team);
  measuring m = {.block = block, .point = point, .count = count, .out = out, .ld = ld};
  m.left = MK_NEW(double, threads * 2 * STRIP * block->depth);
  m.right = MK_NEW(double, panels *MK_TILE_COLS * block->depth);
  mk_status status = m.left == NULL || m.right == NULL ? MK_NO_MEMORY : MK_OK;
  if (status == MK_OK) status = mk_deal_out(panels, team, pack_panel, &m);
  if (status == MK_OK)
    status = mk_deal_out((block->count + STRIP - 1) / STRIP, team, measure_strip, &m);
  mk_free(m.left);
  mk_free(m.right);
  return status;
}
