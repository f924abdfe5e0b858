/* Products of kernels, from the exact values of their parts. Called by rglue/product.c.
 * MATHEMATICS.md, sections 1.5 and 4.1.
 *
 * The magnitudes of a product are the products of its parts' magnitudes, and its relative roundings
 * are their sum: |ab - a'b'| <= |a - a'| |b| + |a'| |b - b'|. */
#include "exact/kernel-product.h"

#include "exact/exact-internal.h"
#include "exact/exact.h"
#include "exact/exact-features.h"
#include "exact/expansion-units.h"
#include "kernel/local.h"

#include <math.h>

/* ---- values ---- */

/* A block of the product's values; out: its value in the first row and column. */
typedef struct product_block {
  const mk_kernel_set *parts;
  mk_exact *exact;
  const int *rows;
  size_t row_count, ld;
  mk_samples others;
  double *out;
} product_block;

static mk_status multiply_block(const product_block *block) {
  double value[MK_EXACT_COLS];
  for (size_t m = 0; m < mk_set_kernels(block->parts); m++) {
    MK_TRY(mk_exact_block(block->exact, mk_family_of(block->parts, m), block->rows,
                          block->row_count, &block->others));
    for (size_t r = 0; r < block->row_count; r++) {
      mk_exact_values(block->exact, m, r, value);
      for (size_t c = 0; c < block->others.count; c++) {
        double *out = &block->out[c * block->ld + r];
        *out = m == 0 ? value[c] : *out * value[c];
      }
    }
  }
  return MK_OK;
}

int mk_product_values(void *parts, const int *rows, size_t row_count, const int *cols,
                      size_t col_count, double *out) {
  product_block block = {.parts = parts, .exact = mk_exact_new(parts), .ld = row_count};
  mk_status status = block.exact != NULL ? MK_OK : MK_NO_MEMORY;
  for (size_t c = 0; c < col_count; c += MK_EXACT_COLS)
    for (size_t r = 0; status == MK_OK && r < row_count; r += MK_EXACT_ROWS) {
      block.rows = rows + r;
      block.row_count = mk_smaller(row_count - r, MK_EXACT_ROWS);
      block.others = mk_list(cols + c, mk_smaller(col_count - c, MK_EXACT_COLS));
      block.out = out + c * row_count + r;
      status = multiply_block(&block);
    }
  mk_exact_free(block.exact);
  return status != MK_OK;
}

/* ---- roundings ---- */

/* |h_i u_j + u_i h_j| and the half of d_ij h_i h_j, which is at most twice as large, are at most 6
 * max(h) max(u). */
static double local_magnitude(const mk_family *family, size_t slot, size_t n) {
  const mk_local *local = family->local;
  double h = 0.0, u = 0.0;
  for (size_t i = 0; i < n; i++) {
    h = fmax(h, fabs(local->h[i * local->padded + slot]));
    u = fmax(u, fabs(local->u[i * local->padded + slot]));
  }
  return sqrt(6.0 * h * u);
}

/* Computes the largest |x|^2, and multiplies `magnitude` by those of part m; `own` is work space.
 */
static mk_status multiply_magnitudes(const mk_kernel_set *parts, size_t m, double *own,
                                     double *magnitude, double *most) {
  const mk_member *member = &parts->member[m];
  const mk_kind *kind = member->kind;
  const mk_family *family = &parts->family[member->family];
  int blocks = mk_family_has_blocks(family), given = mk_member_is_given(member);
  double local =
      mk_member_is_local(member) ? local_magnitude(family, (size_t)member->slot, parts->n) : 1.0;
  *most = 0.0;
  if (given) MK_TRY(mk_exact_diagonal(parts, m, NULL, own));
  if (blocks) {
    for (size_t i = 0; i < parts->n; i++) {
      int self = (int)i;
      mk_exact_feature_row(parts, m, self, &self, 1, &own[i]);
    }
  } else if (!given) {
    mk_plain_squares(family, own);
  }
  for (size_t i = 0; i < parts->n; i++) {
    *most = fmax(*most, fabs(own[i]));
    magnitude[i] *= given                     ? sqrt(fabs(own[i]))
                    : kind->magnitude != NULL ? kind->magnitude(&member->spec, own[i])
                                              : local;
  }
  return MK_OK;
}

mk_status mk_product_rounding(const mk_kernel_set *parts, double *units, double *magnitude) {
  size_t n = parts->n;
  mk_pool pool = {NULL, 0, 0};
  double *own = MK_TAKE(&pool, double, n), *all = MK_TAKE(&pool, double, n), most = 0.0;
  mk_status status = mk_pool_status(&pool);
  *units = *magnitude = 0.0;
  for (size_t i = 0; status == MK_OK && i < n; i++) all[i] = 1.0;
  for (size_t m = 0; status == MK_OK && m < parts->kernels; m++) {
    status = multiply_magnitudes(parts, m, own, all, &most);
    int sparse = mk_family_is_sparse(&parts->family[parts->member[m].family]);
    *units += 1.0 + mk_exact_units(parts, m, sparse ? 2.0 * most : 0.0);
  }
  for (size_t i = 0; status == MK_OK && i < n; i++) *magnitude = fmax(*magnitude, all[i]);
  *magnitude *= *magnitude;
  mk_pool_free(&pool);
  return status;
}
