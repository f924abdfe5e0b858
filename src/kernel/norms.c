/* Squared norms of samples, which rows/ needs for base values and mixtures, and kinds with
 * `squares` for exact values. MATHEMATICS.md, section 4.1: |x|^2. */
#include "norms.h"

#include "kernel/geometry.h"
#include "kernel/structure.h"

/* Adds weight * |x_i|^2 over the family's features to out_i, column by column. If `centred`, dense
 * columns lose their means first. */
static void add_squares(const mk_family *family, double weight, int centred, double *out) {
  const mk_view *view = family->view;
  for (size_t k = 0; k < family->feature_count; k++) {
    size_t j = mk_family_feature(family, k);
    if (view->x == NULL) {
      for (int e = view->start[j]; e < view->start[j + 1]; e++)
        out[view->row[e]] += weight * view->value[e] * view->value[e];
      continue;
    }
    const double *column = view->x + j * view->rows;
    double centre = centred ? mk_dense_mean(view, j) : 0.0;
    for (size_t i = 0; i < view->rows; i++)
      out[i] += weight * (column[i] - centre) * (column[i] - centre);
  }
}

/* Computes the norms from the pairs that the family keeps, or else from its columns. */
static mk_status find_norms(const mk_kernel_set *set, mk_family *family) {
  const mk_geometry *pairs = family->geometry;
  int many = family->view->x == NULL || family->feature_count > MK_NOT_MANY_FEATURES;
  if (family->products) family->raw_half_square = MK_TAKE0(&family->pool, double, set->n);
  if (many) family->square = MK_TAKE0(&family->pool, double, set->n);
  MK_TRY(mk_pool_status(&family->pool));
  for (size_t i = 0; pairs != NULL && i < set->n; i++) {
    family->square[i] = pairs->square[i];
    if (family->products) family->raw_half_square[i] = 0.5 * pairs->square[i] + pairs->shift[i];
  }
  if (pairs != NULL) return MK_OK;
  if (family->products) add_squares(family, 0.5, 0, family->raw_half_square);
  if (many) add_squares(family, 1.0, 1, family->square);
  return MK_OK;
}

mk_status mk_norms_need(const mk_kernel_set *set) {
  for (size_t f = 0; f < set->families; f++) {
    mk_family *family = &set->family[f];
    if (!mk_family_is_euclidean(family) || family->normed) continue;
    MK_TRY(find_norms(set, family));
    family->normed = 1;
  }
  return MK_OK;
}

mk_status mk_squares_build(const mk_kernel_set *set, mk_family *family) {
  int any = 0;
  for (size_t k = 0; k < family->count; k++) any |= set->member[family->member[k]].kind->squares;
  if (!any) return MK_OK;
  family->plain_square = MK_TAKE0(&family->pool, double, set->n);
  if (family->plain_square == NULL) return MK_NO_MEMORY;
  add_squares(family, 1.0, 0, family->plain_square);
  return MK_OK;
}
