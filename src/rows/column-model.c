/* Rows of the weighted inner product of feature blocks, from all columns or from a sample of them.
 * Heavy columns are always taken. Light columns are sampled systematically (evenly spaced along the
 * running mass), and each sampled column gets the mass of the columns that it stands for. Called by
 * mixture.c. MATHEMATICS.md, section 3.4. */
#include "base/memory.h"
#include "rows/base-block-internal.h"
#include "rows/column-model-internal.h"

#include <math.h>
#include <string.h>

mk_status mk_column_model_new(mk_column_model **out, const mk_kernel_set *set) {
  mk_column_model *model = *out = MK_NEW0(mk_column_model, 1);
  if (model == NULL) return MK_NO_MEMORY;
  model->set = set;
  MK_TRY(mk_column_weights_new(&model->weights, set));
  size_t sorts = set->features->shift != NULL ? 2 : 1;
  model->entry = MK_TAKE(&model->pool, mk_entry, set->features->used_count * sorts);
  model->row_part = MK_TAKE0(&model->pool, double, set->n);
  for (size_t v = 0; v < set->views; v++) model->sparse |= set->view[v].x == NULL;
  return mk_pool_status(&model->pool);
}

void mk_column_model_free(mk_column_model *model) {
  if (model == NULL) return;
  mk_column_weights_clear(&model->weights);
  mk_pool_free(&model->storage);
  mk_pool_free(&model->pool);
  mk_free(model);
}

size_t mk_column_model_bytes(const mk_column_model *model) {
  const mk_features *features = model->set->features;
  size_t sorts = features->shift != NULL ? 2 : 1;
  return sorts * 3 * features->ids * sizeof(double) + model->pool.bytes + model->storage.bytes;
}

const double *mk_column_model_stored(const mk_column_model *model) {
  return model->is_stored ? model->store : NULL;
}

int mk_column_model_exact(const mk_column_model *model) {
  return model->exact;
}

/* ---- choice ---- */

/* Returns a weight array: plain weights first, then centred ones. */
static double *sort_of(const mk_column_weights *weights, int centred) {
  return centred ? weights->centred : weights->plain;
}

static double mass(const mk_column_model *model, const mk_column_weights *weights, size_t id,
                   int centred) {
  const double *w = sort_of(weights, centred);
  return w == NULL ? 0.0 : w[id] * model->set->features->spread[id];
}

/* Returns the mass above which a column is always taken, such that the sampled columns carry equal
 * masses of at most that. */
static double heavy_mass(const mk_column_model *model, const mk_column_weights *weights,
                         size_t most, double total) {
  const mk_features *features = model->set->features;
  double step = total / (double)most;
  for (int round = 0; round < 4; round++) {
    double light = 0.0;
    size_t heavy = 0;
    for (size_t u = 0; u < features->used_count; u++)
      for (int c = 0; c < 2; c++) {
        double own = mass(model, weights, (size_t)features->used[u], c);
        if (own >= step)
          heavy++;
        else
          light += own;
      }
    if (heavy >= most) break;
    step = light / (double)(most - heavy);
    if (!(step > 0.0)) break;
  }
  return step;
}

static void take_columns(mk_column_model *model, const mk_column_weights *weights, double step) {
  const mk_features *features = model->set->features;
  double running = 0.5;
  model->count = 0;
  for (size_t u = 0; u < features->used_count; u++)
    for (int c = 0; c < 2; c++) {
      const double *w = sort_of(weights, c);
      size_t id = (size_t)features->used[u];
      double own = mass(model, weights, id, c), weight = w != NULL ? w[id] : 0.0;
      if (!model->exact && own < step) {
        double before = floor(running);
        running += own / step;
        weight = floor(running) > before ? weight * step / own : 0.0;
      }
      if (w != NULL) sort_of(&model->weights, c)[id] = weight;
      if (weight > 0.0)
        model->entry[model->count++] = (mk_entry){(int)id, weight, c ? features->shift[id] : 0.0};
    }
}

const double *mk_entry_column(const mk_column_model *model, const mk_entry *e) {
  size_t j;
  const mk_view *view = mk_column_view(model->set, (size_t)e->id, &j);
  return view->x != NULL ? view->x + j * model->set->n : NULL;
}

/* Computes the part of the shifts in sparse rows, which are not shifted themselves. */
static void find_row_parts(mk_column_model *model) {
  const mk_features *features = model->set->features;
  model->constant = 0.0;
  memset(model->row_part, 0, model->set->n * sizeof *model->row_part);
  for (size_t u = 0; u < features->used_count && model->weights.centred != NULL; u++) {
    size_t id = (size_t)features->used[u], j;
    const mk_view *view = mk_column_view(model->set, id, &j);
    if (view->x != NULL) continue;
    double shift = features->shift[id], weight = model->weights.centred[id] * shift;
    model->constant += weight * shift;
    for (int e = view->start[j]; e < view->start[j + 1]; e++)
      model->row_part[view->row[e]] += weight * view->value[e];
  }
}

void mk_column_model_choose(mk_column_model *model, const mk_column_weights *weights, size_t most) {
  const mk_features *features = model->set->features;
  size_t count = 0;
  double total = 0.0;
  for (size_t u = 0; u < features->used_count; u++)
    for (int c = 0; c < 2; c++) {
      double own = mass(model, weights, (size_t)features->used[u], c);
      count += own > 0.0;
      total += own;
    }
  model->exact = count <= most || !(total > 0.0);
  take_columns(model, weights, model->exact ? 0.0 : heavy_mass(model, weights, most, total));
  model->is_stored = 0;
  if (model->sparse) find_row_parts(model);
}

double mk_column_model_drift(const mk_column_model *model, const mk_column_weights *weights,
                             const mk_column_weights *base) {
  const mk_features *features = model->set->features;
  double moved = 0.0, total = 0.0;
  for (size_t u = 0; u < features->used_count; u++)
    for (int c = 0; c < 2; c++) {
      double now = mass(model, weights, (size_t)features->used[u], c);
      total += now;
      moved += fabs(now - mass(model, base, (size_t)features->used[u], c));
    }
  return moved > 0.0 ? moved / total : 0.0;
}

/* ---- dense values ---- */

/* Packs panels of `width` samples, entry after entry, weighted or not. */
static void pack_entries(const mk_column_model *model, const mk_entry *e, size_t depth,
                         const int *samples, size_t count, size_t width, int weighted,
                         double *out) {
  size_t whole = count / width * width;
  for (size_t k = 0; k < depth; k++) {
    const double *x = mk_entry_column(model, &e[k]);
    double scale = weighted ? e[k].weight : 1.0, shift = e[k].shift;
    double *panel = out + k * width;
    for (size_t s = 0; s < whole; s += width, panel += depth * width)
      for (size_t r = 0; r < width; r++) panel[r] = scale * (x[samples[s + r]] - shift);
    for (size_t r = 0; whole < count && r < width; r++)
      panel[r] = whole + r < count ? scale * (x[samples[whole + r]] - shift) : 0.0;
  }
}

/* Adds the products of two packed sides to out. */
static void add_panels(const mk_simd *simd, size_t depth, const double *left, size_t rows,
                       const double *right, size_t cols, double *out, size_t ld) {
  for (size_t c = 0; c < cols; c += MK_TILE_COLS)
    for (size_t r = 0; r < rows; r += MK_TILE_ROWS) {
      double tile[MK_TILE_ROWS * MK_TILE_COLS] __attribute__((aligned(64))) = {0};
      size_t width = mk_smaller(cols - c, MK_TILE_COLS),
             height = mk_smaller(rows - r, MK_TILE_ROWS);
      simd->dot_tile(depth, left + r * depth, right + c * depth, tile);
      for (size_t k = 0; k < height; k++)
        for (size_t j = 0; j < width; j++) out[(r + k) * ld + c + j] += tile[k * MK_TILE_COLS + j];
    }
}

/* Adds at most MK_BLOCK_ROWS rows and MK_BLOCK_COLS columns. */
static void dense_block(const mk_column_model *model, const mk_entry *e, size_t count,
                        const int *rows, size_t row_count, const int *cols, size_t col_count,
                        double *out, size_t ld, mk_scratch *scratch) {
  for (size_t from = 0; from < count; from += MK_PANEL_DEPTH) {
    size_t depth = mk_smaller(count - from, MK_PANEL_DEPTH);
    pack_entries(model, e + from, depth, rows, row_count, MK_TILE_ROWS, 1, scratch->left);
    pack_entries(model, e + from, depth, cols, col_count, MK_TILE_COLS, 0, scratch->panels);
    add_panels(model->set->simd, depth, scratch->left, row_count, scratch->panels, col_count, out,
               ld);
  }
}

/* ---- sparse values ---- */

static double slot_weight(const mk_column_model *model, size_t id) {
  const mk_column_weights *w = &model->weights;
  return w->plain[id] + (w->centred != NULL ? w->centred[id] : 0.0);
}

static void spread_rows(const mk_column_model *model, size_t v, const int *rows, size_t count,
                        int wipe, double *dense) {
  const mk_view *view = &model->set->view[v];
  size_t first = model->set->features->from[v];
  for (size_t r = 0; r < count; r++)
    for (size_t e = view->row_start[rows[r]]; e < view->row_start[rows[r] + 1]; e++) {
      size_t j = (size_t)view->row_col[e];
      dense[j * MK_TILE_ROWS + r] = wipe ? 0.0 : slot_weight(model, first + j) * view->row_value[e];
    }
}

static void sparse_block(const mk_column_model *model, size_t v, const int *rows, size_t row_count,
                         const int *cols, size_t col_count, double *out, size_t ld,
                         mk_scratch *scratch) {
  const mk_view *view = &model->set->view[v];
  for (size_t r = 0; r < row_count; r += MK_TILE_ROWS) {
    size_t height = mk_smaller(row_count - r, MK_TILE_ROWS);
    spread_rows(model, v, rows + r, height, 0, scratch->dense);
    for (size_t c = 0; c < col_count; c++) {
      double sum[MK_TILE_ROWS] = {0};
      for (size_t e = view->row_start[cols[c]]; e < view->row_start[cols[c] + 1]; e++) {
        const double *left = scratch->dense + (size_t)view->row_col[e] * MK_TILE_ROWS;
        double value = view->row_value[e];
        for (int k = 0; k < MK_TILE_ROWS; k++) sum[k] += value * left[k];
      }
      for (size_t k = 0; k < height; k++) out[(r + k) * ld + c] += sum[k];
    }
    spread_rows(model, v, rows + r, height, 1, scratch->dense);
  }
}

/* ---- blocks ---- */

size_t mk_first_entry(const mk_column_model *model, size_t id) {
  size_t low = 0, high = model->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if ((size_t)model->entry[middle].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void add_views(const mk_column_model *model, int dense, const int *rows, size_t row_count,
                      const int *cols, size_t col_count, double *out, size_t ld,
                      mk_scratch *scratch) {
  const mk_features *features = model->set->features;
  for (size_t v = 0; v < model->set->views; v++) {
    size_t from = mk_first_entry(model, features->from[v]);
    size_t to = mk_first_entry(model, features->from[v + 1]);
    if (from == to) continue;
    if (model->set->view[v].x == NULL)
      sparse_block(model, v, rows, row_count, cols, col_count, out, ld, scratch);
    else if (dense)
      dense_block(model, model->entry + from, to - from, rows, row_count, cols, col_count, out, ld,
                  scratch);
  }
}

void mk_column_model_block(const mk_column_model *model, int dense, const int *rows,
                           size_t row_count, const mk_samples *others, double *out, size_t ld,
                           mk_scratch *scratch) {
  int cols[MK_BLOCK_COLS];
  for (size_t c = 0; c < others->count; c += MK_BLOCK_COLS) {
    size_t width = mk_smaller(others->count - c, MK_BLOCK_COLS);
    for (size_t k = 0; k < width; k++) cols[k] = (int)mk_sample(others, c + k);
    for (size_t r = 0; r < row_count; r++)
      for (size_t k = 0; k < width; k++)
        out[r * ld + c + k] = model->constant - model->row_part[rows[r]] - model->row_part[cols[k]];
    for (size_t r = 0; r < row_count; r += MK_BLOCK_ROWS) {
      size_t height = mk_smaller(row_count - r, MK_BLOCK_ROWS);
      add_views(model, dense, rows + r, height, cols, width, out + r * ld + c, ld, scratch);
    }
  }
}

void mk_column_model_diagonal(const mk_column_model *model, const int *rows, size_t count,
                              double *out) {
  const mk_kernel_set *set = model->set;
  const mk_features *features = set->features;
  if (model->is_stored && !model->exact) { /* stored values may include updates */
    for (size_t r = 0; r < count; r++) out[r] += model->store[r * count + r];
    return;
  }
  for (size_t r = 0; r < count; r++) out[r] += model->constant - 2.0 * model->row_part[rows[r]];
  for (size_t k = 0; k < model->count; k++) {
    const mk_entry *e = &model->entry[k];
    const double *x = mk_entry_column(model, e);
    if (x == NULL) continue;
    for (size_t r = 0; r < count; r++)
      out[r] += e->weight * (x[rows[r]] - e->shift) * (x[rows[r]] - e->shift);
  }
  for (size_t v = 0; v < set->views; v++) {
    const mk_view *view = &set->view[v];
    for (size_t r = 0; view->x == NULL && r < count; r++)
      for (size_t e = view->row_start[rows[r]]; e < view->row_start[rows[r] + 1]; e++)
        out[r] += slot_weight(model, features->from[v] + (size_t)view->row_col[e]) *
                  view->row_value[e] * view->row_value[e];
  }
}
