#include "exact/exact.h"

#include "base/memory.h"
#include "exact/exact-features.h"
#include "exact/exact-internal.h"
#include "kernel/functions.h"
#include "kernel/geometry.h"
#include "kernel/local.h"

#include <math.h>
#include <string.h>

#define MK_SPREAD 4 /* rows that meet a sparse sample at once */

struct mk_exact {
  const mk_kernel_set *set;
  size_t family, row_count;
  int rows[MK_EXACT_ROWS];
  int cols[MK_EXACT_COLS];
  size_t col_count;
  mk_pool memory;             /* owns all vectors below */
  double *distance, *product; /* MK_EXACT_ROWS x MK_EXACT_COLS; `product` also holds the values of a
                                 function kernel */
  double *left, *right;       /* packed features */
  double *spread;             /* sparse views: MK_SPREAD rows side by side, by columns */
  double *square;             /* sparse views: squared norm of each of `cols` */
  double largest;             /* largest absolute value of a function kernel so far */
  double reach;               /* sparse views: largest |x|^2 + |z|^2 so far */
};

mk_exact *mk_exact_new(const mk_kernel_set *set) {
  mk_exact *exact = MK_NEW0(mk_exact, 1);
  if (exact == NULL) return NULL;
  size_t block = (size_t)MK_EXACT_ROWS * MK_EXACT_COLS;
  exact->set = set;
  mk_pool *memory = &exact->memory;
  exact->distance = MK_TAKE(memory, double, block);
  exact->product = MK_TAKE(memory, double, block);
  exact->left = MK_TAKE(memory, double, (size_t)MK_EXACT_ROWS *MK_EXACT_DEPTH);
  exact->right = MK_TAKE(memory, double, (size_t)MK_TILE_COLS *MK_EXACT_DEPTH);
  exact->spread = MK_TAKE0(memory, double, MK_SPREAD *(set->deepest + 1));
  exact->square = MK_TAKE(memory, double, MK_EXACT_COLS);
  if (!memory->failed) return exact;
  mk_exact_free(exact);
  return NULL;
}

void mk_exact_free(mk_exact *exact) {
  if (exact == NULL) return;
  mk_pool_free(&exact->memory);
  mk_free(exact);
}

/* ---- dense ---- */

static void pack_raw(const mk_family *family, const int *rows, size_t count, size_t width,
                     size_t from, size_t depth, double *out) {
  size_t n = family->view->rows;
  for (size_t k = 0; k < depth; k++) {
    const double *x = family->view->x + mk_family_feature(family, from + k) * n;
    for (size_t r = 0; r < width; r++) out[k * width + r] = r < count ? x[rows[r]] : 0.0;
  }
}

typedef void (*tile_function)(size_t, const void *, const void *, void *);

static void dense_values(mk_exact *exact, const mk_family *family, tile_function add_tile,
                         double *out) {
  for (size_t from = 0; from == 0 || from < family->feature_count; from += MK_EXACT_DEPTH) {
    size_t depth = family->feature_count - from < MK_EXACT_DEPTH ? family->feature_count - from
                                                                 : MK_EXACT_DEPTH;
    for (size_t r = 0; r < exact->row_count; r += MK_TILE_ROWS)
      pack_raw(family, exact->rows + r, exact->row_count - r, MK_TILE_ROWS, from, depth,
               exact->left + r * depth);
    for (size_t c = 0; c < exact->col_count; c += MK_TILE_COLS) {
      size_t width = exact->col_count - c < MK_TILE_COLS ? exact->col_count - c : MK_TILE_COLS;
      pack_raw(family, exact->cols + c, width, MK_TILE_COLS, from, depth, exact->right);
      for (size_t r = 0; r < exact->row_count; r += MK_TILE_ROWS) {
        double tile[MK_TILE_ROWS * MK_TILE_COLS] __attribute__((aligned(64))) = {0};
        double *to = out + r * MK_EXACT_COLS + c, *row = tile;
        add_tile(depth, exact->left + r * depth, exact->right, tile);
        for (size_t k = 0; k < MK_TILE_ROWS; k++, to += MK_EXACT_COLS, row += MK_TILE_COLS)
          if (from == 0)
            memcpy(to, row, sizeof tile / MK_TILE_ROWS);
          else
            exact->set->simd->axpy(MK_TILE_COLS, 1.0, row, to);
      }
    }
  }
}

/* ---- sparse ---- */

static double sparse_square(const mk_family *family, size_t j) {
  const mk_view *view = family->view;
  double sum = 0.0;
  size_t k = 0;
  for (size_t e = view->row_start[j]; e < view->row_start[j + 1]; e++)
    if (mk_family_reads(family, view->row_col[e], &k))
      sum += view->row_value[e] * view->row_value[e];
  return sum;
}

/* Computes inner products of sample j and the rows in `spread`. */
static void sparse_products(const mk_family *family, size_t j, const double *spread, double *sum) {
  const mk_view *view = family->view;
  double own[MK_SPREAD] = {0};
  size_t k = 0;
  for (size_t e = view->row_start[j]; e < view->row_start[j + 1]; e++) {
    if (!mk_family_reads(family, view->row_col[e], &k)) continue;
    const double *at = spread + MK_SPREAD * (size_t)view->row_col[e];
    for (int q = 0; q < MK_SPREAD; q++) own[q] += view->row_value[e] * at[q];
  }
  memcpy(sum, own, sizeof own);
}

/* Writes sample i to place q of `spread`, or zeros in its place unless `there`. */
static void spread_row(mk_exact *exact, const mk_view *view, size_t i, size_t q, int there) {
  for (size_t e = view->row_start[i]; e < view->row_start[i + 1]; e++)
    exact->spread[MK_SPREAD * (size_t)view->row_col[e] + q] = there ? view->row_value[e] : 0.0;
}

static void sparse_values(mk_exact *exact, const mk_family *family) {
  const int *rows = exact->rows;
  for (size_t c = 0; c < exact->col_count; c++)
    exact->square[c] = sparse_square(family, (size_t)exact->cols[c]);
  for (size_t from = 0; from < exact->row_count; from += MK_SPREAD) {
    size_t count = mk_smaller(exact->row_count - from, MK_SPREAD);
    double own[MK_SPREAD], product[MK_SPREAD];
    for (size_t q = 0; q < count; q++) {
      spread_row(exact, family->view, (size_t)rows[from + q], q, 1);
      own[q] = sparse_square(family, (size_t)rows[from + q]);
    }
    for (size_t c = 0; c < exact->col_count; c++) {
      sparse_products(family, (size_t)exact->cols[c], exact->spread, product);
      for (size_t q = 0; q < count; q++) {
        size_t at = (from + q) * MK_EXACT_COLS + c;
        double both = own[q] + exact->square[c];
        exact->product[at] = product[q];
        exact->reach = fmax(exact->reach, both);
        exact->distance[at] = fmax(0.0, both - 2.0 * product[q]);
      }
    }
    for (size_t q = 0; q < count; q++)
      spread_row(exact, family->view, (size_t)rows[from + q], q, 0);
  }
}

/* ---- blocks ---- */

static mk_status callback_values(mk_exact *exact, const mk_family *family) {
  size_t rows = exact->row_count, cols = exact->col_count;
  mk_block block = {exact->rows, exact->cols, rows, cols};
  MK_TRY(mk_function_values(exact->set, (size_t)family->member[0], &block, exact->distance));
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c < cols; c++) {
      exact->product[r * MK_EXACT_COLS + c] = exact->distance[c * rows + r];
      exact->largest = fmax(exact->largest, fabs(exact->distance[c * rows + r]));
    }
  return MK_OK;
}

mk_status mk_exact_block(mk_exact *exact, size_t f, const int *rows, size_t row_count,
                         const mk_samples *others) {
  const mk_family *family = &exact->set->family[f];
  if (row_count > MK_EXACT_ROWS || others->count > MK_EXACT_COLS) return MK_BAD_ARGUMENT;
  exact->family = f;
  exact->row_count = row_count;
  exact->col_count = others->count;
  memcpy(exact->rows, rows, row_count * sizeof *rows);
  for (size_t c = 0; c < others->count; c++) exact->cols[c] = (int)mk_sample(others, c);
  if (mk_family_is_function(family)) return callback_values(exact, family);
  if (family->type == MK_FAMILY_MATRICES || family->type == MK_FAMILY_FEATURES) return MK_OK;
  if (family->view->x == NULL) {
    sparse_values(exact, family);
    return MK_OK;
  }
  int distances = 0, products = 0;
  for (size_t k = 0; k < family->count; k++) {
    const mk_kind *kind = exact->set->member[family->member[k]].kind;
    distances |= kind->distances;
    products |= kind->products;
  }
  if (distances) dense_values(exact, family, exact->set->simd->distance_tile, exact->distance);
  if (products) dense_values(exact, family, exact->set->simd->dot_tile, exact->product);
  return MK_OK;
}

void mk_plain_centre(const mk_member *member, int row, size_t count, const int *cols, double *out) {
  for (size_t c = 0; member->mean != NULL && c < count; c++)
    out[c] += member->total - member->mean[row] - member->mean[cols[c]];
  for (size_t c = 0; member->root != NULL && c < count; c++)
    out[c] *= member->root[row] * member->root[cols[c]];
}

static void plain_row(const mk_exact *exact, size_t m, size_t r, double *out) {
  const mk_kernel_set *set = exact->set;
  size_t count = exact->col_count, at = r * MK_EXACT_COLS;
  if (mk_is_block(set, m)) {
    mk_exact_feature_row(set, m, exact->rows[r], exact->cols, count, out);
  } else {
    mk_samples others = mk_list(exact->cols, count);
    mk_plain_values(set, m, exact->rows[r], &others, exact->distance + at, exact->product + at,
                    out);
  }
}

void mk_exact_values(const mk_exact *exact, size_t m, size_t r, double *out) {
  const mk_member *member = &exact->set->member[m];
  plain_row(exact, m, r, out);
  mk_plain_centre(member, exact->rows[r], exact->col_count, exact->cols, out);
  for (size_t c = 0; member->scale != 1.0 && c < exact->col_count; c++) out[c] *= member->scale;
}

const double *mk_exact_distances(const mk_exact *exact) {
  return exact->distance;
}
const double *mk_exact_products(const mk_exact *exact) {
  return exact->product;
}

double mk_exact_largest(const mk_exact *exact) {
  return exact->largest;
}

double mk_exact_reach(const mk_exact *exact) {
  return exact->reach;
}

/* Computes the squares column by column. */
void mk_plain_squares(const mk_family *family, double *out) {
  const mk_view *view = family->view;
  memset(out, 0, view->rows * sizeof *out);
  for (size_t i = 0; family->geometry != NULL && i < view->rows; i++)
    out[i] = family->geometry->square[i] + 2.0 * family->geometry->shift[i];
  for (size_t k = 0; family->geometry == NULL && k < family->feature_count; k++) {
    size_t j = mk_family_feature(family, k);
    if (view->x == NULL) {
      for (int e = view->start[j]; e < view->start[j + 1]; e++)
        out[view->row[e]] += view->value[e] * view->value[e];
      continue;
    }
    const double *x = view->x + j * view->rows;
    for (size_t i = 0; i < view->rows; i++) out[i] += x[i] * x[i];
  }
}

mk_status mk_exact_diagonal(const mk_kernel_set *set, size_t m, const mk_control *control,
                            double *out) {
  const mk_member *member = &set->member[m];
  const mk_kind *kind = member->kind;
  if (mk_member_is_function(member)) MK_TRY(mk_function_diagonal(set, m, control));
  for (size_t i = 0; kind->local && i < set->n; i++) {
    mk_samples self = mk_span(i, 1);
    const double zero = 0.0;
    mk_local_plain(set, m, (int)i, &self, &zero, &out[i]);
  }
  for (size_t i = 0; kind->unit_diagonal && i < set->n; i++) out[i] = 1.0;
  if (member->diagonal != NULL) memcpy(out, member->diagonal, set->n * sizeof *out);
  if (kind->local || kind->unit_diagonal || member->diagonal != NULL) return MK_OK;
  mk_plain_squares(&set->family[member->family], out);
  if (kind->diagonal != NULL) kind->diagonal(&member->spec, set->simd, set->n, out);
  return MK_OK;
}
