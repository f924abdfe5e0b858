/* Base values: squared distances of a Euclidean family from tiles of inner
 * products of centred rows, a callback's values as they come. */
#include "base/memory.h"
#include "internal.h"

#include <math.h>
#include <string.h>

/* ---- scratch ---- */

mk_scratch *mk_scratch_new(const mk_kernel_set *set) {
  mk_scratch *scratch = MK_NEW0(mk_scratch, 1);
  if (scratch == NULL) return NULL;
  scratch->left = MK_NEW(double, (size_t)MK_PACK_ROWS *MK_DEPTH);
  scratch->right = MK_NEW(double, (size_t)MK_TILE_COLS *MK_DEPTH);
  scratch->block = MK_NEW(double, (size_t)MK_BLOCK_ROWS *MK_BLOCK_COLS);
  scratch->dense = MK_NEW0(double, (set->deepest + 1) * MK_TILE_ROWS);
  int complete = scratch->left != NULL && scratch->right != NULL && scratch->block != NULL &&
                 scratch->dense != NULL;
  for (int k = 0; k < 3; k++) {
    scratch->row[k] = MK_NEW(double, MK_BLOCK_COLS);
    complete = complete && scratch->row[k] != NULL;
  }
  if (!complete) {
    mk_scratch_free(scratch);
    return NULL;
  }
  return scratch;
}

void mk_scratch_free(mk_scratch *scratch) {
  if (scratch == NULL) return;
  mk_free(scratch->left);
  mk_free(scratch->right);
  mk_free(scratch->block);
  mk_free(scratch->dense);
  for (int k = 0; k < 3; k++) mk_free(scratch->row[k]);
  mk_free(scratch);
}

double *mk_scratch_block(mk_scratch *scratch) {
  return scratch->block;
}
double *mk_scratch_row(mk_scratch *scratch, int which) {
  return scratch->row[which];
}

/* ---- what a family is like ---- */

int mk_family_has_base(const mk_kernel_set *set, size_t f) {
  return set->family[f].type != MK_FAMILY_MATRICES;
}

int mk_family_worth_storing(const mk_kernel_set *set, size_t f) {
  const mk_family *family = &set->family[f];
  return family->type == MK_FAMILY_CALLBACK || family->square != NULL;
}

int mk_family_serial(const mk_kernel_set *set, size_t f) {
  return set->family[f].type == MK_FAMILY_CALLBACK;
}

/* ---- few features: differences, summed ---- */

static void few_features(const mk_kernel_set *set, const mk_family *family, const int *rows,
                         size_t row_count, const mk_columns *columns, double *out, size_t ld) {
  size_t n = family->view->rows;
  double gathered[MK_BLOCK_COLS];
  for (size_t r = 0; r < row_count; r++) memset(out + r * ld, 0, columns->count * sizeof *out);
  for (size_t from = 0; from < columns->count; from += MK_BLOCK_COLS) {
    size_t width = columns->count - from < MK_BLOCK_COLS ? columns->count - from : MK_BLOCK_COLS;
    for (size_t k = 0; k < family->feature_count; k++) {
      const double *x = family->view->x + mk_family_feature(family, k) * n;
      const double *run = x + columns->start + from;
      if (columns->index != NULL) {
        for (size_t c = 0; c < width; c++) gathered[c] = x[columns->index[from + c]];
        run = gathered;
      }
      for (size_t r = 0; r < row_count; r++)
        set->simd->add_squares(width, x[rows[r]], run, out + r * ld + from);
    }
  }
}

/* ---- many features: tiles ---- */

/* `width` rows side by side, feature by feature; missing rows are zero. */
static void pack(const mk_family *family, const int *rows, size_t count, size_t width, size_t from,
                 size_t depth, double *out) {
  const mk_view *view = family->view;
  for (size_t r = 0; r < width; r++) {
    if (r >= count) {
      for (size_t k = 0; k < depth; k++) out[k * width + r] = 0.0;
      continue;
    }
    const double *x = view->centred + (size_t)rows[r] * view->cols;
    if (family->features == NULL) {
      x += from;
      for (size_t k = 0; k < depth; k++) out[k * width + r] = x[k];
    } else {
      for (size_t k = 0; k < depth; k++) out[k * width + r] = x[family->features[from + k]];
    }
  }
}

static void to_distance(const mk_family *family, int row, const int *cols, size_t count,
                        double *product) {
  double own = family->square[row];
  for (size_t c = 0; c < count; c++) {
    double d = own + family->square[cols[c]] - 2.0 * product[c];
    product[c] = d > 0.0 && cols[c] != row ? d : 0.0;
  }
}

/* At most MK_PACK_ROWS rows; column strips of one tile. Rows are packed once
 * per depth slice and strip group, which is small beside the products. */
static void dense_block(const mk_kernel_set *set, const mk_family *family, const int *rows,
                        size_t row_count, const mk_columns *columns, double *out, size_t ld,
                        mk_scratch *scratch) {
  for (size_t r = 0; r < row_count; r++) memset(out + r * ld, 0, columns->count * sizeof *out);
  for (size_t from = 0; from < family->feature_count; from += MK_DEPTH) {
    size_t depth =
        family->feature_count - from < MK_DEPTH ? family->feature_count - from : MK_DEPTH;
    for (size_t r = 0; r < row_count; r += MK_TILE_ROWS)
      pack(family, rows + r, row_count - r, MK_TILE_ROWS, from, depth, scratch->left + r * depth);
    for (size_t c = 0; c < columns->count; c += MK_TILE_COLS) {
      size_t width = columns->count - c < MK_TILE_COLS ? columns->count - c : MK_TILE_COLS;
      int cols[MK_TILE_COLS];
      for (size_t k = 0; k < width; k++) cols[k] = (int)mk_column(columns, c + k);
      pack(family, cols, width, MK_TILE_COLS, from, depth, scratch->right);
      for (size_t r = 0; r < row_count; r += MK_TILE_ROWS) {
        double tile[MK_TILE_ROWS * MK_TILE_COLS] __attribute__((aligned(64))) = {0};
        set->simd->dot_tile(depth, scratch->left + r * depth, scratch->right, tile);
        for (size_t k = 0; k < MK_TILE_ROWS && r + k < row_count; k++)
          for (size_t j = 0; j < width; j++)
            out[(r + k) * ld + c + j] += tile[k * MK_TILE_COLS + j];
      }
    }
  }
  int cols[MK_BLOCK_COLS];
  for (size_t c = 0; c < columns->count; c += MK_BLOCK_COLS) {
    size_t width = columns->count - c < MK_BLOCK_COLS ? columns->count - c : MK_BLOCK_COLS;
    for (size_t k = 0; k < width; k++) cols[k] = (int)mk_column(columns, c + k);
    for (size_t r = 0; r < row_count; r++)
      to_distance(family, rows[r], cols, width, out + r * ld + c);
  }
}

/* ---- sparse ---- */

static int wanted(const mk_family *family, int column, size_t *at) {
  if (family->features == NULL) return 1;
  while (*at < family->feature_count && family->features[*at] < column) (*at)++;
  return *at < family->feature_count && family->features[*at] == column;
}

/* Writes (or wipes) up to four rows into a dense strip, column by column. */
static void spread(const mk_family *family, const int *rows, size_t count, int wipe,
                   double *dense) {
  const mk_view *view = family->view;
  for (size_t r = 0; r < count; r++) {
    size_t at = 0;
    for (size_t e = view->row_start[rows[r]]; e < view->row_start[rows[r] + 1]; e++)
      if (wanted(family, view->row_col[e], &at))
        dense[(size_t)view->row_col[e] * MK_TILE_ROWS + r] = wipe ? 0.0 : view->row_value[e];
  }
}

static void sparse_block(const mk_family *family, const int *rows, size_t row_count,
                         const mk_columns *columns, double *out, size_t ld, mk_scratch *scratch) {
  const mk_view *view = family->view;
  for (size_t r = 0; r < row_count; r += MK_TILE_ROWS) {
    size_t height = row_count - r < MK_TILE_ROWS ? row_count - r : MK_TILE_ROWS;
    spread(family, rows + r, height, 0, scratch->dense);
    for (size_t c = 0; c < columns->count; c++) {
      size_t j = mk_column(columns, c);
      double sum[MK_TILE_ROWS] = {0};
      for (size_t e = view->row_start[j]; e < view->row_start[j + 1]; e++) {
        const double *left = scratch->dense + (size_t)view->row_col[e] * MK_TILE_ROWS;
        double value = view->row_value[e];
        for (int k = 0; k < MK_TILE_ROWS; k++) sum[k] += value * left[k];
      }
      for (size_t k = 0; k < height; k++) {
        double d = family->square[rows[r + k]] + family->square[j] - 2.0 * sum[k];
        out[(r + k) * ld + c] = d > 0.0 && (size_t)rows[r + k] != j ? d : 0.0;
      }
    }
    spread(family, rows + r, height, 1, scratch->dense);
  }
}

/* ---- callback ---- */

static mk_status callback_block(const mk_kernel_set *set, const mk_family *family, const int *rows,
                                size_t row_count, const mk_columns *columns, double *out,
                                size_t ld) {
  const mk_kernel_spec *spec = &set->member[family->member[0]].spec;
  size_t count = columns->count;
  int *cols = MK_NEW(int, count);
  double *value = MK_NEW(double, count *row_count);
  mk_status status = cols == NULL || value == NULL ? MK_NO_MEMORY : MK_OK;
  if (status == MK_OK) {
    for (size_t c = 0; c < count; c++) cols[c] = (int)mk_column(columns, c);
    if (spec->function(spec->function_data, rows, row_count, cols, count, value) != 0)
      status = MK_CALLBACK;
  }
  for (size_t r = 0; status == MK_OK && r < row_count; r++)
    for (size_t c = 0; c < count; c++) {
      out[r * ld + c] = value[c * row_count + r];
      if (!isfinite(out[r * ld + c])) status = MK_NOT_FINITE;
    }
  mk_free(cols);
  mk_free(value);
  return status;
}

mk_status mk_base_block(const mk_kernel_set *set, size_t f, const int *rows, size_t row_count,
                        const mk_columns *columns, double *out, size_t ld, mk_scratch *scratch) {
  const mk_family *family = &set->family[f];
  if (row_count == 0 || columns->count == 0 || family->type == MK_FAMILY_MATRICES) return MK_OK;
  if (family->type == MK_FAMILY_CALLBACK)
    return callback_block(set, family, rows, row_count, columns, out, ld);
  if (family->view->x == NULL)
    sparse_block(family, rows, row_count, columns, out, ld, scratch);
  else if (family->square == NULL)
    few_features(set, family, rows, row_count, columns, out, ld);
  else
    for (size_t r = 0; r < row_count; r += MK_PACK_ROWS) {
      size_t height = row_count - r < MK_PACK_ROWS ? row_count - r : MK_PACK_ROWS;
      dense_block(set, family, rows + r, height, columns, out + r * ld, ld, scratch);
    }
  return MK_OK;
}
