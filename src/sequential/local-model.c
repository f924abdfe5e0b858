/* Decision values of a locally linear SVM from its explicit model. Called by rglue/local.c.
 * MATHEMATICS.md, section 6.2. */
#include "local-model.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernel/points.h"

#include <math.h>
#include <string.h>

#define ROWS ((size_t)64) /* rows of a strip; a multiple of MK_TILE_ROWS */
#define TILE ((size_t)MK_TILE_ROWS * MK_TILE_COLS)
/* Squared distances below this share of |x|^2 + |c|^2 are summed from differences. */
#define NEAR 1e-3

typedef struct deciding {
  const mk_local_model *model;
  mk_sample_block all;
  int *global, *each; /* anchors with a map of the whole x - c, and with a componentwise map */
  size_t globals, eaches;
  double *centre;          /* cols: middle of the anchors, the origin of products */
  double *anchor, *weight; /* in panels of MK_TILE_COLS; anchors relative to the centre */
  double *square, *at;     /* |c|^2 and <w, c> relative to the centre; padded to panels */
  double *work;            /* by thread: ROWS and MK_TILE_ROWS rows */
  double *memory;          /* memory of all these vectors */
  double *out;
} deciding;

/* ---- the anchors ---- */

static void list_anchors(deciding *d) {
  for (size_t a = 0; a < d->model->count; a++)
    if (d->model->map[a].componentwise)
      d->each[d->eaches++] = (int)a;
    else
      d->global[d->globals++] = (int)a;
}

static void pack_anchors(deciding *d) {
  size_t cols = d->model->cols;
  for (size_t g = 0; g < d->globals; g++) {
    const double *c = d->model->anchor + (size_t)d->global[g] * cols;
    const double *w = d->model->coefficient + (size_t)d->global[g] * cols;
    size_t panel = g / MK_TILE_COLS * MK_TILE_COLS;
    for (size_t j = 0; j < cols; j++) {
      double from = c[j] - d->centre[j];
      d->anchor[panel * cols + j * MK_TILE_COLS + g - panel] = from;
      d->weight[panel * cols + j * MK_TILE_COLS + g - panel] = w[j];
      d->square[g] += from * from;
      d->at[g] += from * w[j];
    }
  }
}

/* ---- a strip of rows ---- */

/* Computes h of one row and up to MK_TILE_COLS anchors from squared distances. */
static void map_values(const deciding *d, size_t first, size_t count, const double *square,
                       double *h) {
  double decay[MK_TILE_COLS];
  int exponential[MK_TILE_COLS], any = 0;
  for (size_t c = 0; c < count; c++) {
    const mk_anchor_map *map = &d->model->map[d->global[first + c]];
    int root = map->map == MK_MAP_EXPONENTIAL || map->map == MK_MAP_LINEAR;
    exponential[c] = map->map == MK_MAP_EXPONENTIAL || map->map == MK_MAP_GAUSSIAN;
    any |= exponential[c];
    decay[c] = map->gamma * (root ? sqrt(square[c]) : square[c]);
    h[c] = fmax(0.0, 1.0 - decay[c]);
  }
  if (!any) return;
  mk_simd_best()->exp_decay(count, decay, 1.0, decay);
  for (size_t c = 0; c < count; c++)
    if (exponential[c]) h[c] = decay[c];
}

/* Adds the contributions of a panel of anchors to four rows. */
static void add_tile(const deciding *d, const double *x, const double *row_square, size_t first,
                     size_t height, double *out) {
  const mk_simd *simd = mk_simd_best();
  size_t cols = d->model->cols, count = mk_smaller(d->globals - first, MK_TILE_COLS);
  double product[TILE] __attribute__((aligned(64))) = {0}, square[TILE], h[MK_TILE_COLS];
  double value[TILE] __attribute__((aligned(64))) = {0};
  simd->dot_tile(cols, x, d->anchor + first * cols, product);
  simd->dot_tile(cols, x, d->weight + first * cols, value);
  if (simd->tile_distances(product, MK_TILE_COLS, row_square, d->square + first, NEAR, square,
                           MK_TILE_COLS)) {
    memset(product, 0, sizeof product);
    simd->distance_tile(cols, x, d->anchor + first * cols, product);
    memcpy(square, product, sizeof square);
  }
  for (size_t r = 0; r < height; r++) {
    map_values(d, first, count, square + r * MK_TILE_COLS, h);
    for (size_t c = 0; c < count; c++)
      out[r] += h[c] * (value[r * MK_TILE_COLS + c] - d->at[first + c]);
  }
}

/* Adds the anchors with global maps. x: a strip, feature by feature; panel: memory for MK_TILE_ROWS
 * rows. */
static void add_globals(const deciding *d, size_t from, size_t height, const double *x,
                        double *panel) {
  size_t cols = d->model->cols;
  for (size_t r = 0; r < height; r += MK_TILE_ROWS) {
    double square[MK_TILE_ROWS] = {0};
    for (size_t j = 0; j < cols; j++)
      for (size_t k = 0; k < MK_TILE_ROWS; k++) {
        double value = panel[j * MK_TILE_ROWS + k] = x[j * ROWS + r + k] - d->centre[j];
        square[k] += value * value;
      }
    for (size_t g = 0; g < d->globals; g += MK_TILE_COLS)
      add_tile(d, panel, square, g, mk_smaller(height - r, MK_TILE_ROWS), d->out + from + r);
  }
}

static void add_each(const deciding *d, size_t from, size_t height, const double *x) {
  size_t cols = d->model->cols;
  double shift[ROWS], h[ROWS];
  for (size_t e = 0; e < d->eaches; e++) {
    const mk_anchor_map *map = &d->model->map[d->each[e]];
    const double *c = d->model->anchor + (size_t)d->each[e] * cols;
    const double *w = d->model->coefficient + (size_t)d->each[e] * cols;
    for (size_t j = 0; j < cols; j++) {
      if (w[j] == 0.0) continue;
      for (size_t r = 0; r < height; r++) {
        shift[r] = x[j * ROWS + r] - c[j];
        h[r] = shift[r] * shift[r];
      }
      mk_local_values(map->map, map->gamma, height, h, h);
      for (size_t r = 0; r < height; r++) d->out[from + r] += w[j] * h[r] * shift[r];
    }
  }
}

static mk_status decide_strip(void *data, size_t k, int thread) {
  const deciding *d = data;
  size_t from = k * ROWS, height = mk_smaller(d->all.count - from, ROWS);
  double *x = d->work + (size_t)thread * (ROWS + MK_TILE_ROWS) * d->model->cols;
  for (size_t r = 0; r < height; r++) d->out[from + r] = d->model->offset;
  mk_block_pack(&d->all, from, height, ROWS, x);
  if (d->globals > 0) add_globals(d, from, height, x, x + ROWS * d->model->cols);
  if (d->eaches > 0) add_each(d, from, height, x);
  return MK_OK;
}

/* ---- all ---- */

static mk_status decide_all(deciding *d, const mk_control *control) {
  size_t count = d->model->count, cols = d->model->cols, n = d->all.count;
  size_t wide = (count + MK_TILE_COLS - 1) / MK_TILE_COLS * MK_TILE_COLS;
  mk_team *team = mk_team_worth(control->team, 4.0 * (double)n * (double)cols * (double)wide);
  size_t strips = (size_t)mk_team_size(team) * (ROWS + MK_TILE_ROWS) * cols;
  d->global = MK_NEW(int, 2 * count + 1);
  d->memory = MK_NEW0(double, cols + 2 * wide * (cols + 1) + strips);
  if (d->global == NULL || d->memory == NULL) return MK_NO_MEMORY;
  d->each = d->global + count;
  d->anchor = d->memory; /* panels come first, so that they are aligned */
  d->weight = d->anchor + wide * cols;
  d->square = d->weight + wide * cols;
  d->at = d->square + wide;
  d->work = d->at + wide;
  d->centre = d->work + strips;
  list_anchors(d);
  mk_points_middle(d->model->anchor, count, cols, d->centre);
  pack_anchors(d);
  return mk_for_each((n + ROWS - 1) / ROWS, team, control, decide_strip, d);
}

mk_status mk_local_decide(const mk_local_model *model, const mk_view *view,
                          const mk_control *control, double *out) {
  deciding d = {.model = model, .out = out};
  if (view->cols != model->cols) return MK_BAD_ARGUMENT;
  d.all = (mk_sample_block){view, NULL, model->cols, NULL, view->rows};
  mk_status status = decide_all(&d, control);
  mk_free(d.global);
  mk_free(d.memory);
  return status;
}
