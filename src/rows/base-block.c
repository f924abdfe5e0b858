/* Base values: squared distances of a Euclidean family from tiles of inner products of centred
 * rows, or the values of a function as they are. Called by gram-*.c, bound/ and rls/.
 * MATHEMATICS.md, section 4.1. */
#include "base/mechanisms.h"
#include "base/memory.h"
#include "kernel/functions.h"
#include "kernel/geometry.h"
#include "rows/base-block-internal.h"

#include <string.h>

/* ---- scratch ---- */

mk_scratch *mk_scratch_new(const mk_kernel_set *set) {
  mk_scratch *scratch = MK_NEW0(mk_scratch, 1);
  if (scratch == NULL) return NULL;
  mk_pool *memory = &scratch->memory;
  scratch->left = MK_TAKE(memory, double, (size_t)MK_PACK_ROWS *MK_DEPTH);
  scratch->right = MK_TAKE(memory, double, (size_t)MK_TILE_COLS *MK_DEPTH);
  scratch->block = MK_TAKE(memory, double, (size_t)MK_BLOCK_ROWS *MK_BLOCK_COLS);
  scratch->wide = MK_TAKE(memory, double, (size_t)MK_TILE_ROWS *MK_BLOCK_COLS);
  scratch->dense = MK_TAKE0(memory, double, (set->deepest + 1) * MK_TILE_ROWS);
  scratch->local = MK_TAKE0(memory, double, set->slots *MK_LOCAL_ROWS + 1);
  if (set->features != NULL)
    scratch->panels = MK_TAKE(memory, double, (size_t)MK_BLOCK_COLS *MK_PANEL_DEPTH);
  for (int k = 0; k < 3; k++) scratch->row[k] = MK_TAKE(memory, double, MK_BLOCK_COLS);
  if (!memory->failed) return scratch;
  mk_scratch_free(scratch);
  return NULL;
}

void mk_scratch_free(mk_scratch *scratch) {
  if (scratch == NULL) return;
  mk_pool_free(&scratch->memory);
  mk_free(scratch);
}

size_t mk_scratch_bytes(const mk_scratch *scratch) {
  return scratch->memory.bytes;
}

mk_row mk_scratch_block(mk_scratch *scratch, int single) {
  return (mk_row){scratch->block, single};
}
double *mk_scratch_row(mk_scratch *scratch, int which) {
  return scratch->row[which];
}

/* ---- properties of a family ---- */

int mk_family_worth_storing(const mk_kernel_set *set, size_t f) {
  const mk_family *family = &set->family[f];
  if (family->geometry != NULL) return 0;
  return mk_family_is_function(family) || family->view->x == NULL ||
         family->feature_count > MK_NOT_MANY_FEATURES;
}

/* ---- one feature ---- */

/* Returns a feature's values at the others, gathered if these are a list. */
static const double *feature_run(const double *x, const mk_samples *others, double *gathered) {
  if (others->index == NULL) return x + others->start;
  for (size_t c = 0; c < others->count; c++) gathered[c] = x[others->index[c]];
  return gathered;
}

static void one_feature(const mk_kernel_set *set, const mk_family *family, const int *rows,
                        size_t row_count, const mk_samples *others, mk_row out, size_t ld) {
  const double *x = family->view->x + mk_family_feature(family, 0) * family->view->rows;
  double gathered[MK_BLOCK_COLS];
  for (size_t from = 0; from < others->count; from += MK_BLOCK_COLS) {
    size_t rest = others->count - from;
    mk_samples part = mk_part(others, from, rest < MK_BLOCK_COLS ? rest : MK_BLOCK_COLS);
    const double *run = feature_run(x, &part, gathered);
    for (size_t r = 0; r < row_count; r++)
      set->simd->rows[out.single].squares(part.count, x[rows[r]], run,
                                          mk_row_from(out, r * ld + from).at);
  }
}

/* ---- dense features: tiles of products, or differences where they are few ---- */

#define REAL double
#define DENSE(name) name##_double
#include "rows/dense-block.h"
#undef REAL
#undef DENSE
#define REAL float
#define DENSE(name) name##_single
#include "rows/dense-block.h"
#include "kernel/norms.h"
#undef REAL
#undef DENSE

static void dense_products(const mk_kernel_set *set, const mk_family *family, const void *centred,
                           const int *rows, size_t row_count, const mk_samples *others, mk_row out,
                           size_t ld, mk_scratch *scratch) {
  for (size_t r = 0; r < row_count; r += MK_PACK_ROWS) {
    size_t height = row_count - r < MK_PACK_ROWS ? row_count - r : MK_PACK_ROWS;
    void *at = mk_row_from(out, r * ld).at;
    if (out.single)
      dense_products_single(set, family, centred, rows + r, height, others, at, ld, scratch);
    else
      dense_products_double(set, family, centred, rows + r, height, others, at, ld, scratch);
  }
}

static void few_features(const mk_kernel_set *set, const mk_family *family, const void *centred,
                         const int *rows, size_t row_count, const mk_samples *others, mk_row out,
                         size_t ld, mk_scratch *scratch) {
  if (out.single)
    differences_single(set, family, centred, rows, row_count, others, out.at, ld, scratch);
  else
    differences_double(set, family, centred, rows, row_count, others, out.at, ld, scratch);
}

/* Turns products into distances; a sample is at distance 0 from itself. */
static void to_distances(const mk_kernel_set *set, const double *square, const int *rows,
                         size_t row_count, const mk_samples *others, mk_row out, size_t ld) {
  double gathered[MK_BLOCK_COLS];
  for (size_t from = 0; from < others->count; from += MK_BLOCK_COLS) {
    size_t rest = others->count - from, width = rest < MK_BLOCK_COLS ? rest : MK_BLOCK_COLS;
    for (size_t c = 0; c < width; c++) gathered[c] = square[mk_sample(others, from + c)];
    for (size_t r = 0; r < row_count; r++)
      set->simd->rows[out.single].to_distance(width, square[rows[r]], gathered,
                                              mk_row_from(out, r * ld + from).at);
  }
  const double zero = 0.0;
  for (size_t r = 0; r < row_count; r++) {
    size_t own = (size_t)rows[r];
    if (others->index == NULL && own >= others->start && own - others->start < others->count)
      mk_row_store(mk_row_from(out, r * ld + own - others->start), &zero, 1);
    for (size_t c = 0; others->index != NULL && c < others->count; c++)
      if ((size_t)others->index[c] == own) mk_row_store(mk_row_from(out, r * ld + c), &zero, 1);
  }
}

/* ---- sparse ---- */

/* Writes up to four rows into a dense strip by columns, or clears them if `wipe`. */
static void spread_dense(const mk_family *family, const int *rows, size_t count, int wipe,
                         double *dense) {
  const mk_view *view = family->view;
  for (size_t r = 0; r < count; r++) {
    size_t at = 0;
    for (size_t e = view->row_start[rows[r]]; e < view->row_start[rows[r] + 1]; e++)
      if (mk_family_reads(family, view->row_col[e], &at))
        dense[(size_t)view->row_col[e] * MK_TILE_ROWS + r] = wipe ? 0.0 : view->row_value[e];
  }
}

/* Computes at most MK_TILE_ROWS rows at MK_BLOCK_COLS others. */
static void sparse_block(const mk_family *family, const int *rows, size_t row_count,
                         const mk_samples *others, double *out, double *dense) {
  const mk_view *view = family->view;
  spread_dense(family, rows, row_count, 0, dense);
  for (size_t c = 0; c < others->count; c++) {
    size_t j = mk_sample(others, c);
    double sum[MK_TILE_ROWS] = {0};
    for (size_t e = view->row_start[j]; e < view->row_start[j + 1]; e++) {
      const double *left = dense + (size_t)view->row_col[e] * MK_TILE_ROWS;
      double value = view->row_value[e];
      for (int k = 0; k < MK_TILE_ROWS; k++) sum[k] += value * left[k];
    }
    for (size_t k = 0; k < row_count; k++) {
      double d = family->square[rows[k]] + family->square[j] - 2.0 * sum[k];
      out[k * MK_BLOCK_COLS + c] = d > 0.0 && (size_t)rows[k] != j ? d : 0.0;
    }
  }
  spread_dense(family, rows, row_count, 1, dense);
}

/* Computes few rows and others at a time in double, then writes them in either precision. */
static void sparse_blocks(const mk_family *family, const int *rows, size_t row_count,
                          const mk_samples *others, mk_row out, size_t ld, mk_scratch *scratch) {
  for (size_t r = 0; r < row_count; r += MK_TILE_ROWS) {
    size_t height = row_count - r < MK_TILE_ROWS ? row_count - r : MK_TILE_ROWS;
    for (size_t from = 0; from < others->count; from += MK_BLOCK_COLS) {
      size_t rest = others->count - from;
      mk_samples part = mk_part(others, from, rest < MK_BLOCK_COLS ? rest : MK_BLOCK_COLS);
      sparse_block(family, rows + r, height, &part, scratch->wide, scratch->dense);
      for (size_t k = 0; k < height; k++)
        mk_row_store(mk_row_from(out, (r + k) * ld + from), scratch->wide + k * MK_BLOCK_COLS,
                     part.count);
    }
  }
}

/* ---- pairs ---- */

static void kept_pairs(const mk_family *family, const int *rows, size_t row_count,
                       const mk_samples *others, mk_row out, size_t ld) {
  size_t n = family->view->rows;
  for (size_t r = 0; r < row_count; r++) {
    const double *distance = family->geometry->distance + (size_t)rows[r] * n;
    mk_row row = mk_row_from(out, r * ld);
    if (others->index == NULL) mk_row_store(row, distance + others->start, others->count);
    for (size_t c = 0; others->index != NULL && c < others->count; c++)
      mk_row_set(row, c, distance[others->index[c]]);
  }
}

/* ---- callback ---- */

static mk_status callback_block(const mk_kernel_set *set, const mk_family *family, const int *rows,
                                size_t row_count, const mk_samples *others, mk_row out, size_t ld) {
  size_t count = others->count;
  int *cols = MK_NEW(int, count);
  double *value = MK_NEW(double, count *row_count), *row = MK_NEW(double, count);
  mk_status status = cols == NULL || value == NULL || row == NULL ? MK_NO_MEMORY : MK_OK;
  if (status == MK_OK) {
    for (size_t c = 0; c < count; c++) cols[c] = (int)mk_sample(others, c);
    mk_block block = {rows, cols, row_count, count};
    status = mk_function_values(set, (size_t)family->member[0], &block, value);
  }
  for (size_t r = 0; status == MK_OK && r < row_count; r++) {
    for (size_t c = 0; c < count; c++) row[c] = value[c * row_count + r];
    mk_row_store(mk_row_from(out, r * ld), row, count);
  }
  mk_free(cols);
  mk_free(value);
  mk_free(row);
  return status;
}

/* ---- bases ---- */

static int by_differences(const mk_family *family) {
  return family->view->x != NULL && family->feature_count > 1 &&
         family->feature_count <= MK_NOT_MANY_FEATURES;
}

static int by_tiles(const mk_family *family) {
  return family->view->x != NULL && family->feature_count > MK_NOT_MANY_FEATURES;
}

/* Returns 1 if slices serve this family: it must use all features, since slices do not record which
 * of their features a subset has. */
static int by_slices(const mk_bases *bases, const mk_family *family) {
  return family->features == NULL && bases->slices[family->view - bases->set->view] != NULL;
}

static mk_status prepare_view(mk_bases *bases, const mk_family *family, mk_team *team) {
  size_t v = (size_t)(family->view - bases->set->view);
  if (family->geometry != NULL) return MK_OK;
  if (MK_WITH_SLICES && by_tiles(family) && family->features == NULL && bases->slices[v] == NULL &&
      bases->centred[v].at == NULL)
    MK_TRY(mk_slices_new(&bases->slices[v], family->view, bases->single));
  int centred = by_differences(family) || (by_tiles(family) && !by_slices(bases, family));
  if (!centred || bases->centred[v].at != NULL) return MK_OK;
  return mk_view_centred(family->view, bases->single, team, &bases->centred[v]);
}

mk_status mk_bases_new(mk_bases **out, const mk_kernel_set *set, int single,
                       const mk_control *control) {
  mk_bases *bases = MK_NEW0(mk_bases, 1);
  *out = bases;
  if (bases == NULL) return MK_NO_MEMORY;
  bases->set = set;
  bases->single = single;
  bases->centred = MK_NEW0(mk_row, set->views + 1);
  bases->slices = MK_NEW0(mk_slices *, set->views + 1);
  if (bases->centred == NULL || bases->slices == NULL) return MK_NO_MEMORY;
  MK_TRY(mk_geometry_need(set, control));
  MK_TRY(mk_norms_need(set));
  MK_TRY(mk_function_diagonals(set));
  for (size_t f = 0; f < set->families; f++)
    if (mk_family_is_euclidean(&set->family[f]))
      MK_TRY(prepare_view(bases, &set->family[f], control->team));
  return MK_OK;
}

void mk_bases_free(mk_bases *bases) {
  if (bases == NULL) return;
  for (size_t v = 0; bases->centred != NULL && v < bases->set->views; v++)
    mk_free(bases->centred[v].at);
  for (size_t v = 0; bases->slices != NULL && v < bases->set->views; v++)
    mk_slices_free(bases->slices[v]);
  mk_free(bases->centred);
  mk_free(bases->slices);
  mk_free(bases);
}

size_t mk_bases_bytes(const mk_bases *bases) {
  size_t bytes = 0;
  for (size_t v = 0; v < bases->set->views; v++) {
    bytes += mk_slices_bytes(bases->slices[v]);
    if (bases->centred[v].at != NULL)
      bytes += bases->set->n * bases->set->view[v].cols * mk_row_size(bases->single);
  }
  return bytes;
}

mk_status mk_base_block(const mk_bases *bases, size_t f, const int *rows, size_t row_count,
                        const mk_samples *others, mk_row out, size_t ld, mk_scratch *scratch) {
  const mk_kernel_set *set = bases->set;
  const mk_family *family = &set->family[f];
  if (row_count == 0 || others->count == 0 || !mk_family_has_base(set, f)) return MK_OK;
  if (mk_family_is_function(family))
    return callback_block(set, family, rows, row_count, others, out, ld);
  if (family->geometry != NULL) {
    kept_pairs(family, rows, row_count, others, out, ld);
  } else if (by_slices(bases, family)) {
    const mk_slices *slices = bases->slices[family->view - set->view];
    mk_slice_room room = {scratch->right, scratch->left};
    mk_slices_products(slices, rows, row_count, others, out, ld, room);
    to_distances(set, mk_slices_square(slices), rows, row_count, others, out, ld);
  } else if (by_tiles(family)) {
    const void *x = bases->centred[family->view - set->view].at;
    dense_products(set, family, x, rows, row_count, others, out, ld, scratch);
    to_distances(set, family->square, rows, row_count, others, out, ld);
  } else if (by_differences(family)) {
    few_features(set, family, bases->centred[family->view - set->view].at, rows, row_count, others,
                 out, ld, scratch);
  } else if (family->view->x != NULL) {
    one_feature(set, family, rows, row_count, others, out, ld);
  } else {
    sparse_blocks(family, rows, row_count, others, out, ld, scratch);
  }
  return MK_OK;
}
