#include "cholesky.h"

#include "base/memory.h"
#include "base/simd.h"

#include <math.h>
#include <string.h>

#define PANEL 64  /* columns factored together; a multiple of both tile sides */
#define DEPTH 256 /* columns packed at a time */

typedef struct factoring {
  double *a;
  size_t n;
  const mk_simd *simd;
  double *right; /* minus the panel's rows, packed: PANEL x DEPTH */
} factoring;

/* Minus MK_TILE_COLS rows from `first` on, columns from..from+depth, side by side. */
static void pack(const factoring *f, size_t first, size_t from, size_t depth, double *out) {
  for (size_t r = 0; r < MK_TILE_COLS; r++) {
    int beyond = first + r >= f->n;
    const double *row = f->a + (beyond ? 0 : first + r) * f->n + from;
    for (size_t k = 0; k < depth; k++) out[k * MK_TILE_COLS + r] = beyond ? 0.0 : -row[k];
  }
}

/* Rows i..i+3 of the panel's columns minus what the factored columns give. */
static void update_rows(const factoring *f, size_t i, size_t panel, size_t width, size_t from,
                        size_t depth) {
  const void *left[MK_TILE_ROWS];
  size_t n = f->n, height = n - i < MK_TILE_ROWS ? n - i : MK_TILE_ROWS;
  for (size_t r = 0; r < MK_TILE_ROWS; r++) left[r] = f->a + (i + (r < height ? r : 0)) * n + from;
  for (size_t c = 0; c < width; c += MK_TILE_COLS) {
    const double *right = f->right + c * depth;
    double *out = f->a + i * n + panel + c;
    if (height == MK_TILE_ROWS && panel + c + MK_TILE_COLS <= i + 1) {
      f->simd->rows[0].row_tile(depth, left, right, out, n);
      continue;
    }
    if (panel + c > i + height - 1) return;
    double tile[MK_TILE_ROWS * MK_TILE_COLS] __attribute__((aligned(64))) = {0};
    f->simd->rows[0].row_tile(depth, left, right, tile, MK_TILE_COLS);
    for (size_t r = 0; r < height; r++) /* stay within the lower triangle */
      for (size_t k = 0; k < MK_TILE_COLS && panel + c + k <= i + r && c + k < width; k++)
        out[r * n + k] += tile[r * MK_TILE_COLS + k];
  }
}

static void update_panel(const factoring *f, size_t panel, size_t width, int threads) {
  for (size_t from = 0; from < panel; from += DEPTH) {
    size_t depth = panel - from < DEPTH ? panel - from : DEPTH;
    for (size_t c = 0; c < width; c += MK_TILE_COLS)
      pack(f, panel + c, from, depth, f->right + c * depth);
    long strips = (long)((f->n - panel + PANEL - 1) / PANEL);
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1 && strips > 8)
#endif
    for (long s = 0; s < strips; s++) {
      size_t first = panel + (size_t)s * PANEL;
      for (size_t i = first; i < first + PANEL && i < f->n; i += MK_TILE_ROWS)
        update_rows(f, i, panel, width, from, depth);
    }
  }
  (void)threads;
}

/* Row i of the panel: forward substitution against the rows above it. */
static mk_status factor_row(const factoring *f, size_t i, size_t panel, size_t width,
                            double shift) {
  double *row = f->a + i * f->n + panel;
  size_t last = i - panel < width ? i - panel : width;
  for (size_t k = 0; k < last; k++) {
    const double *pivot = f->a + (panel + k) * f->n + panel;
    row[k] = (row[k] - f->simd->dot(k, row, pivot)) / pivot[k];
  }
  if (last == width) return MK_OK;
  double square = row[last] + shift - f->simd->dot(last, row, row);
  if (!(square > 0.0) || !isfinite(square)) return MK_STALLED;
  row[last] = sqrt(square);
  return MK_OK;
}

/* The panel's own triangle, then the rows below against it. */
static mk_status factor_panel(const factoring *f, size_t panel, size_t width, double shift,
                              int threads) {
  for (size_t i = panel; i < panel + width; i++) MK_TRY(factor_row(f, i, panel, width, shift));
  long first = (long)(panel + width), last = (long)f->n;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads)                                                      \
    schedule(static) if (threads > 1 && last - first > 256)
#endif
  for (long i = first; i < last; i++) factor_row(f, (size_t)i, panel, width, shift);
  (void)threads;
  return MK_OK;
}

mk_status mk_cholesky(double *a, size_t n, double shift, int threads) {
  factoring f = {.a = a, .n = n, .simd = mk_simd_best()};
  f.right = MK_NEW(double, (size_t)PANEL *DEPTH);
  mk_status status = f.right == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t panel = 0; status == MK_OK && panel < n; panel += PANEL) {
    size_t width = n - panel < PANEL ? n - panel : PANEL;
    update_panel(&f, panel, width, threads);
    status = factor_panel(&f, panel, width, shift, threads);
  }
  mk_free(f.right);
  return status;
}

void mk_solve_lower(const double *l, size_t n, double *x, size_t columns) {
  const mk_simd *simd = mk_simd_best();
  for (size_t i = 0; i < n; i++) {
    const double *row = l + i * n;
    double *xi = x + i * columns;
    if (columns == 1) {
      xi[0] = (xi[0] - simd->dot(i, row, x)) / row[i];
      continue;
    }
    for (size_t k = 0; k < i; k++) simd->axpy(columns, -row[k], x + k * columns, xi);
    for (size_t c = 0; c < columns; c++) xi[c] /= row[i];
  }
}

void mk_solve_upper(const double *l, size_t n, double *x, size_t columns) {
  const mk_simd *simd = mk_simd_best();
  for (size_t i = n; i-- > 0;) {
    const double *row = l + i * n;
    double *xi = x + i * columns;
    for (size_t c = 0; c < columns; c++) xi[c] /= row[i];
    if (columns == 1) {
      simd->axpy(i, -xi[0], row, x);
      continue;
    }
    for (size_t k = 0; k < i; k++) simd->axpy(columns, -row[k], xi, x + k * columns);
  }
}
