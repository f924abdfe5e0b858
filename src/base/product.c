#include "product.h"

#include "simd.h"
#include "threads.h"

#define CHUNK 256 /* columns of Z packed at a time */

size_t mk_product_work(size_t n) {
  return 2 * (n + MK_TILE_COLS) * CHUNK;
}

typedef struct factor {
  size_t n, count;
  const double *z, *divisor;
} factor;

/* Columns from..from+depth of rows first..first+width of Z, side by side. */
static void pack(const factor *f, size_t first, size_t width, size_t from, size_t depth, int scaled,
                 double *out) {
  for (size_t r = 0; r < width; r++) {
    int beyond = first + r >= f->n;
    const double *row = f->z + (beyond ? 0 : first + r) * f->count + from;
    for (size_t m = 0; m < depth; m++)
      out[m * width + r] = beyond ? 0.0 : scaled ? row[m] / f->divisor[from + m] : row[m];
  }
}

/* Rows r..r+MK_TILE_ROWS up to the diagonal; adds. */
static void multiply(const mk_simd *simd, const factor *f, size_t r, size_t depth,
                     const double *left, const double *right, double *c) {
  size_t n = f->n;
  for (size_t j = 0; j < r + MK_TILE_ROWS && j < n; j += MK_TILE_COLS) {
    double tile[MK_TILE_ROWS * MK_TILE_COLS] __attribute__((aligned(64))) = {0};
    size_t width = n - j < MK_TILE_COLS ? n - j : MK_TILE_COLS;
    simd->dot_tile(depth, left + r * depth, right + j * depth, tile);
    for (size_t i = 0; i < MK_TILE_ROWS && r + i < n; i++)
      simd->axpy(width, 1.0, tile + i * MK_TILE_COLS, c + (r + i) * n + j);
  }
}

void mk_product_add(size_t n, size_t count, const double *z, const double *divisor, double *work,
                    int threads, double *c) {
  const mk_simd *simd = mk_simd_best();
  factor f = {n, count, z, divisor};
  double *left = work, *right = work + (n + MK_TILE_COLS) * CHUNK;
  size_t once = count < CHUNK ? count : CHUNK;
  threads = mk_threads_worth(threads, 0.5 * (double)n * (double)n * (double)once);
  (void)threads;
  for (size_t from = 0; from < count; from += CHUNK) {
    size_t depth = count - from < CHUNK ? count - from : CHUNK;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads) if (threads > 1)
#endif
    {
#ifdef _OPENMP
#pragma omp for schedule(static)
#endif
      for (size_t j = 0; j < n; j += MK_TILE_COLS) {
        pack(&f, j, MK_TILE_COLS, from, depth, 0, right + j * depth);
        for (size_t r = j; r < j + MK_TILE_COLS && r < n; r += MK_TILE_ROWS)
          pack(&f, r, MK_TILE_ROWS, from, depth, 1, left + r * depth);
      }
#ifdef _OPENMP
#pragma omp for schedule(dynamic, 8)
#endif
      for (size_t r = 0; r < n; r += MK_TILE_ROWS) multiply(simd, &f, r, depth, left, right, c);
    }
  }
}
