/* Extreme eigenvalues of a symmetric matrix by Lanczos steps with full orthogonalisation. Called by
 * inspect.c, to see whether a kernel is positive semidefinite, as MATHEMATICS.md, section 1
 * assumes. */
#include "matrix/spectrum.h"

#include "base/blas.h"
#include "base/pool.h"
#include "base/simd.h"
#include "base/threads.h"

#include <math.h>

#define MOST_STEPS 80
#define LARGE 1000     /* size above which a step is a pass over much memory */
#define LARGE_STEPS 30 /* number of steps for large matrices */
#define ROUNDED_VECTOR 1e-13 /* shorter new vectors, in sizes of the matrix, are rounding */

typedef struct lanczos {
  const double *matrix;
  size_t n;
  const mk_simd *simd;
  double *basis; /* MOST_STEPS + 1 vectors */
  double *diagonal, *off_diagonal;
} lanczos;

typedef struct product {
  const lanczos *z;
  const double *x;
  double *out;
} product;

#define ROWS 64 /* rows that one thread takes at a time */

/* Multiplies by rows ROWS at a time; they are also columns, since the matrix is symmetric. */
static mk_status multiply_strip(void *data, size_t k, int thread) {
  const product *p = data;
  const lanczos *z = p->z;
  (void)thread;
  for (size_t j = k * ROWS; j < (k + 1) * ROWS && j < z->n; j++)
    p->out[j] = z->simd->dot(z->n, z->matrix + j * z->n, p->x);
  return MK_OK;
}

/* Makes a fixed start with a part in every direction, a sine of slowly rising frequency. */
static void first_vector(double *x, size_t n) {
  double size = 0.0;
  for (size_t i = 0; i < n; i++) {
    x[i] = cos(1.0 + 0.7 * (double)i + 0.013 * (double)i * (double)i) + 0.1;
    size += x[i] * x[i];
  }
  for (size_t i = 0; i < n; i++) x[i] /= sqrt(size);
}

static void orthogonalise(const lanczos *z, int k, double *next) {
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j <= k; j++) {
      const double *old = z->basis + (size_t)j * z->n;
      z->simd->axpy(z->n, -z->simd->dot(z->n, old, next), old, next);
    }
}

/* Computes the tridiagonal matrix and its size. */
static mk_status run_lanczos(lanczos *z, const mk_control *control, int *steps) {
  int most = z->n > LARGE ? LARGE_STEPS : MOST_STEPS;
  double scale = 0.0;
  if (z->n < (size_t)most) most = (int)z->n;
  first_vector(z->basis, z->n);
  for (int k = 0; k < most; k++) {
    double *q = z->basis + (size_t)k * z->n, *next = q + z->n;
    MK_TRY(mk_check(control));
    mk_deal_out((z->n + ROWS - 1) / ROWS, z->n > LARGE ? control->team : NULL, multiply_strip,
                &(product){z, q, next});
    z->diagonal[k] = z->simd->dot(z->n, q, next);
    orthogonalise(z, k, next);
    z->off_diagonal[k] = sqrt(z->simd->dot(z->n, next, next));
    scale = fmax(scale, fabs(z->diagonal[k]) + z->off_diagonal[k]);
    *steps = k + 1;
    if (z->off_diagonal[k] <= ROUNDED_VECTOR * scale) return MK_OK;
    for (size_t i = 0; i < z->n; i++) next[i] /= z->off_diagonal[k];
  }
  return MK_OK;
}

mk_status mk_extreme_eigenvalues(const double *matrix, size_t n, const mk_control *control,
                                 double *smallest, double *largest) {
  lanczos z = {.matrix = matrix, .n = n, .simd = mk_simd_best()};
  mk_pool pool = {NULL, 0, 0};
  int steps = 0, info = 0;
  z.basis = MK_TAKE(&pool, double, n *(MOST_STEPS + 1));
  z.diagonal = MK_TAKE(&pool, double, MOST_STEPS);
  z.off_diagonal = MK_TAKE(&pool, double, MOST_STEPS);
  mk_status status = mk_pool_status(&pool);
  if (status == MK_OK) status = run_lanczos(&z, control, &steps);
  if (status == MK_OK) {
    F77_CALL(dsterf)(&steps, z.diagonal, z.off_diagonal, &info);
    *smallest = z.diagonal[0];
    *largest = z.diagonal[steps - 1];
    if (info != 0) status = MK_NOT_FINITE;
  }
  mk_pool_free(&pool);
  return status;
}
