#include "product.h"

#include "simd.h"
#include "threads.h"

#define CHUNK 256 /* columns of Z packed at a time */

size_t mk_product_work(size_t n) {
  return 2 * (n + MK_TILE_COLS) * CHUNK;
}

typedef struct factor {
  const mk_simd *simd;
  size_t n, count;
  const double *z, *divisor;
  size_t from, depth;   /* first column of Z in progress, and number of columns */
  double *left, *right; /* packed columns; `left` is divided by D */
  double *c;
} factor;

/* Packs the columns in progress of rows first .. first + width of Z. */
static void pack_columns(const factor *f, size_t first, size_t width, int scaled, double *out) {
  for (size_t r = 0; r < width; r++) {
    int beyond = first + r >= f->n;
    const double *row = f->z + (beyond ? 0 : first + r) * f->count + f->from;
    for (size_t m = 0; m < f->depth; m++)
      out[m * width + r] = beyond ? 0.0 : scaled ? row[m] / f->divisor[f->from + m] : row[m];
  }
}

static mk_status pack_strip(void *data, size_t k, int thread) {
  const factor *f = data;
  size_t j = k * MK_TILE_COLS;
  (void)thread;
  pack_columns(f, j, MK_TILE_COLS, 0, f->right + j * f->depth);
  for (size_t r = j; r < j + MK_TILE_COLS && r < f->n; r += MK_TILE_ROWS)
    pack_columns(f, r, MK_TILE_ROWS, f->divisor != NULL, f->left + r * f->depth);
  return MK_OK;
}

/* Adds MK_TILE_ROWS rows of the product up to the diagonal. */
static mk_status multiply_strip(void *data, size_t k, int thread) {
  const factor *f = data;
  size_t n = f->n, r = k * MK_TILE_ROWS;
  (void)thread;
  for (size_t j = 0; j < r + MK_TILE_ROWS && j < n; j += MK_TILE_COLS) {
    double tile[MK_TILE_ROWS * MK_TILE_COLS] __attribute__((aligned(64))) = {0};
    size_t width = n - j < MK_TILE_COLS ? n - j : MK_TILE_COLS;
    f->simd->dot_tile(f->depth, f->left + r * f->depth, f->right + j * f->depth, tile);
    for (size_t i = 0; i < MK_TILE_ROWS && r + i < n; i++)
      f->simd->axpy(width, 1.0, tile + i * MK_TILE_COLS, f->c + (r + i) * n + j);
  }
  return MK_OK;
}

void mk_product_add(size_t n, size_t count, const double *z, const double *divisor, double *work,
                    mk_team *team, double *c) {
  size_t once = count < CHUNK ? count : CHUNK;
  factor f = {.simd = mk_simd_best(), .n = n, .count = count, .z = z, .divisor = divisor, .c = c};
  f.left = work;
  f.right = work + (n + MK_TILE_COLS) * CHUNK;
  team = mk_team_worth(team, 0.5 * (double)n * (double)n * (double)once);
  for (; f.from < count; f.from += CHUNK) {
    f.depth = count - f.from < CHUNK ? count - f.from : CHUNK;
    mk_deal_out((n + MK_TILE_COLS - 1) / MK_TILE_COLS, team, pack_strip, &f);
    mk_deal_out((n + MK_TILE_ROWS - 1) / MK_TILE_ROWS, team, multiply_strip, &f);
  }
}

/* Mirrors square by square, since columns of c are far apart and a square fits the cache. */
void mk_product_mirror(size_t n, double *c) {
  for (size_t r = 0; r < n; r += MK_TILE_COLS)
    for (size_t j = 0; j <= r; j += MK_TILE_COLS)
      for (size_t i = r; i < r + MK_TILE_COLS && i < n; i++)
        for (size_t k = j; k < j + MK_TILE_COLS && k < i; k++) c[k * n + i] = c[i * n + k];
}
