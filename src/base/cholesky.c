#include "cholesky.h"

#include "base/memory.h"
#include "base/simd.h"

#include <math.h>
#include <string.h>

#define PANEL 64  /* columns factored together; a multiple of both tile sides */
#define DEPTH 256 /* columns packed at a time */

typedef struct factoring {
  mk_row a;
  size_t n, tile; /* tile: columns of one */
  const mk_row_loops *loops;
  mk_row right; /* minus the panel's rows, packed: PANEL x DEPTH */
} factoring;

static void *entry(const factoring *f, size_t i, size_t j) {
  return mk_row_from(f->a, i * f->n + j).at;
}

/* Minus the rows of one tile from `first` on, columns from..from+depth, side by side. */
static void pack(const factoring *f, size_t first, size_t from, size_t depth, mk_row out) {
  for (size_t r = 0; r < f->tile; r++) {
    int beyond = first + r >= f->n;
    mk_row row = mk_row_from(f->a, (beyond ? 0 : first + r) * f->n + from);
    for (size_t k = 0; k < depth; k++) {
      double value = beyond ? 0.0 : -mk_row_at(row, k);
      mk_row_set(out, k * f->tile + r, value);
    }
  }
}

/* Rows i..i+3 of the panel's columns minus what the factored columns give. */
static void update_rows(const factoring *f, size_t i, size_t panel, size_t width, size_t from,
                        size_t depth) {
  const void *left[MK_TILE_ROWS];
  size_t n = f->n, height = n - i < MK_TILE_ROWS ? n - i : MK_TILE_ROWS;
  for (size_t r = 0; r < MK_TILE_ROWS; r++) left[r] = entry(f, i + (r < height ? r : 0), from);
  for (size_t c = 0; c < width; c += f->tile) {
    const void *right = mk_row_from(f->right, c * depth).at;
    if (height == MK_TILE_ROWS && panel + c + f->tile <= i + 1) {
      f->loops->row_tile(depth, left, right, entry(f, i, panel + c), n);
      continue;
    }
    if (panel + c > i + height - 1) return;
    char values[MK_TILE_ROWS * MK_TILE_BYTES] __attribute__((aligned(64))) = {0};
    mk_row tile = {values, f->a.single};
    f->loops->row_tile(depth, left, right, values, f->tile);
    for (size_t r = 0; r < height; r++) { /* stay within the lower triangle */
      size_t inside = i + r + 1 - (panel + c), most = width - c < f->tile ? width - c : f->tile;
      if (panel + c <= i + r)
        mk_row_add((mk_row){entry(f, i + r, panel + c), f->a.single},
                   mk_row_from(tile, r * f->tile), inside < most ? inside : most);
    }
  }
}

static void update_panel(const factoring *f, size_t panel, size_t width, int threads) {
  for (size_t from = 0; from < panel; from += DEPTH) {
    size_t depth = panel - from < DEPTH ? panel - from : DEPTH;
    for (size_t c = 0; c < width; c += f->tile)
      pack(f, panel + c, from, depth, mk_row_from(f->right, c * depth));
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
  mk_row row = {entry(f, i, panel), f->a.single};
  size_t last = i - panel < width ? i - panel : width;
  for (size_t k = 0; k < last; k++) {
    const void *above = entry(f, panel + k, panel);
    double pivot = mk_row_at(mk_row_from(f->a, (panel + k) * f->n + panel), k);
    mk_row_set(row, k, (mk_row_at(row, k) - f->loops->dot(k, row.at, above)) / pivot);
  }
  if (last == width) return MK_OK;
  double square = mk_row_at(row, last) + shift - f->loops->dot(last, row.at, row.at);
  if (!(square > 0.0) || !isfinite(square)) return MK_STALLED;
  mk_row_set(row, last, sqrt(square));
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

mk_status mk_factor(mk_row a, size_t n, double shift, int threads) {
  factoring f = {.a = a, .n = n, .tile = MK_TILE_BYTES / mk_row_size(a.single)};
  f.loops = &mk_simd_best()->rows[a.single];
  f.right = (mk_row){mk_alloc((size_t)PANEL * DEPTH, mk_row_size(a.single)), a.single};
  mk_status status = f.right.at == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t panel = 0; status == MK_OK && panel < n; panel += PANEL) {
    size_t width = n - panel < PANEL ? n - panel : PANEL;
    update_panel(&f, panel, width, threads);
    status = factor_panel(&f, panel, width, shift, threads);
  }
  mk_free(f.right.at);
  return status;
}

void mk_factor_lower(mk_row l, size_t n, double *x, size_t columns) {
  const mk_simd *simd = mk_simd_best();
  for (size_t i = 0; i < n; i++) {
    mk_row row = mk_row_from(l, i * n);
    double *xi = x + i * columns, pivot = mk_row_at(row, i);
    if (columns == 1) {
      xi[0] = (xi[0] - simd->rows[l.single].dot_double(i, row.at, x)) / pivot;
      continue;
    }
    for (size_t k = 0; k < i; k++) simd->axpy(columns, -mk_row_at(row, k), x + k * columns, xi);
    for (size_t c = 0; c < columns; c++) xi[c] /= pivot;
  }
}

void mk_factor_upper(mk_row l, size_t n, double *x, size_t columns) {
  const mk_simd *simd = mk_simd_best();
  for (size_t i = n; i-- > 0;) {
    mk_row row = mk_row_from(l, i * n);
    double *xi = x + i * columns, pivot = mk_row_at(row, i);
    for (size_t c = 0; c < columns; c++) xi[c] /= pivot;
    if (columns == 1) {
      simd->rows[l.single].axpy(i, -xi[0], row.at, x);
      continue;
    }
    for (size_t k = 0; k < i; k++) simd->axpy(columns, -mk_row_at(row, k), xi, x + k * columns);
  }
}

mk_status mk_cholesky(double *a, size_t n, double shift, int threads) {
  return mk_factor((mk_row){a, 0}, n, shift, threads);
}

void mk_solve_lower(const double *l, size_t n, double *x, size_t columns) {
  mk_factor_lower((mk_row){(void *)l, 0}, n, x, columns);
}

void mk_solve_upper(const double *l, size_t n, double *x, size_t columns) {
  mk_factor_upper((mk_row){(void *)l, 0}, n, x, columns);
}
