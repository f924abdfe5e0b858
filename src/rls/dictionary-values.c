/* Columns and values of a dictionary's kernels, from a base that a family shares or a base of their
 * own. Called by dictionary.c and ridge.c. MATHEMATICS.md, section 4.1. */
#include "dictionary-values.h"

#include "base/product.h"
#include "base/simd.h"
#include "base/threads.h"
#include "kernel/features.h"
#include "kernel/samples.h"
#include "rls/dictionary-internal.h"
#include "rows/mixture.h"

#include <string.h>

#define ROWS MK_BLOCK_ROWS /* rows of a strip */
#define DEPTH 256          /* columns multiplied at a time */
#define MANY 16            /* columns whose products are worth packing */

/* ---- columns ---- */

size_t mk_panel_size(const mk_dictionary *d, size_t width) {
  size_t n = d->problem->n;
  if (width == 0) return 0;
  return n * width + (width >= MANY ? n + mk_product_work(width) : 0);
}

void mk_dictionary_column(const mk_dictionary *d, size_t m, size_t k, mk_bench *b, double *out) {
  const double *root = d->problem->root;
  double *column = d->whole ? out : b->column;
  mk_linear_column(d->problem->set, m, k, d->samples, column);
  for (size_t i = 0; !d->whole && i < d->problem->n; i++) out[i] = column[d->problem->sample[i]];
  for (size_t i = 0; root != NULL && i < d->problem->n; i++) out[i] *= root[i];
}

void mk_dictionary_columns(mk_dictionary *d, size_t m, double *z) {
  for (size_t k = 0; k < mk_linear_width(d->problem->set, m); k++)
    mk_dictionary_column(d, m, k, d->bench, z + k * d->problem->n);
}

mk_status mk_dictionary_multiply(const mk_dictionary *d, size_t m, mk_bench *b, mk_team *team,
                                 double *out) {
  size_t n = d->problem->n, width = d->width[m];
  double *z = mk_buffer_need(&b->panel, mk_panel_size(d, width), sizeof *z);
  if (z == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < width; k++) mk_dictionary_column(d, m, k, b, z + k * n);
  memset(out, 0, width * width * sizeof *out);
  if (width < MANY) {
    for (size_t i = 0; i < width; i++)
      for (size_t j = 0; j <= i; j++)
        out[i * width + j] = mk_simd_best()->dot(n, z + i * n, z + j * n);
    return MK_OK;
  }
  double *ones = z + n * width;
  for (size_t i = 0; i < n; i++) ones[i] = 1.0;
  mk_product_add(width, n, z, ones, ones + n, team, out);
  return MK_OK;
}

/* Computes ZZ' for a linear kernel with many columns and no base. */
static mk_status multiply_rows(const mk_dictionary *d, size_t m, mk_bench *b, mk_team *team,
                               double *out) {
  size_t n = d->problem->n, width = mk_linear_width(d->problem->set, m);
  double *z = mk_buffer_need(&b->panel, n * (DEPTH + 1) + DEPTH + mk_product_work(n), sizeof *z);
  if (z == NULL) return MK_NO_MEMORY;
  double *column = z + n * DEPTH, *ones = column + n;
  for (size_t k = 0; k < DEPTH; k++) ones[k] = 1.0;
  memset(out, 0, n * n * sizeof *out);
  for (size_t from = 0; from < width; from += DEPTH) {
    size_t depth = mk_smaller(width - from, DEPTH);
    for (size_t k = 0; k < depth; k++) {
      mk_dictionary_column(d, m, from + k, b, column);
      for (size_t i = 0; i < n; i++) z[i * depth + k] = column[i];
    }
    mk_product_add(n, depth, z, ones, ones + DEPTH, team, out);
  }
  return MK_OK;
}

/* ---- values ---- */

static mk_samples some_columns(const mk_dictionary *d, size_t from, size_t count) {
  return d->whole ? mk_span(from, count) : mk_list(d->problem->sample + from, count);
}

/* Computes a strip of the lower triangle of family f's base. */
static mk_status base_strip(void *data, size_t k, int thread) {
  mk_dictionary *d = data;
  size_t n = d->problem->n, first = k * ROWS, rows = mk_smaller(n - first, ROWS);
  mk_samples others = some_columns(d, 0, first + rows);
  return mk_base_block(d->bases, d->filled, d->problem->sample + first, rows, &others,
                       (mk_row){d->target + first * n, 0}, n, d->bench[thread].scratch);
}

/* Computes a strip of the lower triangle of kernel m, from the shared base or one of its own. */
static mk_status value_strip(const mk_dictionary *d, size_t m, size_t first, mk_bench *b,
                             double *out) {
  const mk_kernel_set *set = d->problem->set;
  size_t n = d->problem->n, rows = mk_smaller(n - first, ROWS), f = mk_family_of(set, m);
  const int *sample = d->problem->sample + first;
  const double *root = d->problem->root;
  mk_row block = mk_scratch_block(b->scratch, 0);
  int own = d->shared == NULL && mk_family_has_base(set, f);
  for (size_t from = 0; from < first + rows; from += MK_BLOCK_COLS) {
    size_t width = mk_smaller(first + rows - from, MK_BLOCK_COLS);
    mk_samples others = some_columns(d, from, width);
    if (own) MK_TRY(mk_base_block(d->bases, f, sample, rows, &others, block, width, b->scratch));
    for (size_t r = 0; r < rows; r++) {
      size_t at = (first + r) * n + from;
      const double *base = own                 ? (const double *)block.at + r * width
                           : d->shared != NULL ? d->shared + at
                                               : NULL;
      const double *product = mk_family_products(set, f, sample[r], &others, base, out + at);
      mk_member_values(set, m, sample[r], &others, base, product, out + at);
      for (size_t c = 0; root != NULL && c < width; c++)
        out[at + c] *= root[first + r] * root[from + c];
    }
  }
  return MK_OK;
}

static mk_status target_strip(void *data, size_t k, int thread) {
  const mk_dictionary *d = data;
  return value_strip(d, d->filled, k * ROWS, &d->bench[thread], d->target);
}

static size_t strips(const mk_dictionary *d) {
  return (d->problem->n + ROWS - 1) / ROWS;
}

mk_status mk_dictionary_fill(mk_dictionary *d, size_t m, mk_bench *b, double *out) {
  const mk_kernel_set *set = d->problem->set;
  size_t f = mk_family_of(set, m);
  if (mk_family_explicit(set, f)) return multiply_rows(d, m, b, d->inner.team, out);
  if (d->inner.team == NULL || mk_family_serial(set, f)) {
    for (size_t k = 0; k < strips(d); k++) MK_TRY(value_strip(d, m, k * ROWS, b, out));
    return MK_OK;
  }
  d->filled = m;
  d->target = out;
  return mk_deal_out(strips(d), d->inner.team, target_strip, d);
}

const double *mk_dictionary_values(mk_dictionary *d, size_t m, mk_status *status) {
  size_t n = d->problem->n;
  double *out = mk_buffer_need(&d->bench->room, n * n, sizeof *out);
  d->shared = d->based == mk_family_of(d->problem->set, m) ? d->base.at : NULL;
  d->inner.team = d->control->team;
  *status = out == NULL ? MK_NO_MEMORY : mk_dictionary_fill(d, m, d->bench, out);
  return *status == MK_OK ? out : NULL;
}

/* ---- bases ---- */

mk_status mk_dictionary_lay_base(mk_dictionary *d, size_t f) {
  size_t n = d->problem->n, none = mk_set_families(d->problem->set);
  if (d->based == f) return MK_OK;
  d->based = none;
  d->filled = f;
  d->target = mk_buffer_need(&d->base, n * n, sizeof *d->target);
  if (d->target == NULL) return MK_NO_MEMORY;
  MK_TRY(mk_for_each(strips(d), d->control->team, d->control, base_strip, d));
  d->based = f;
  return MK_OK;
}
