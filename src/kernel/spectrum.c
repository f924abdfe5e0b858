#include "spectrum.h"

#include "base/blas.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define MOST_STEPS 80

typedef struct lanczos {
  const double *matrix;
  size_t n, stride, size; /* size: rows looked at */
  double *basis;          /* MOST_STEPS + 1 vectors */
  double *diagonal, *beside;
} lanczos;

static void multiply(const lanczos *z, const double *x, double *out) {
  memset(out, 0, z->size * sizeof *out);
  for (size_t j = 0; j < z->size; j++) {
    const double *column = z->matrix + j * z->stride * z->n;
    double weight = x[j];
    for (size_t i = 0; i < z->size; i++) out[i] += weight * column[i * z->stride];
  }
}

static double inner(const double *x, const double *y, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* A fixed start with a share in every direction: a slow chirp. */
static void first_vector(double *x, size_t n) {
  double size = 0.0;
  for (size_t i = 0; i < n; i++) {
    x[i] = cos(1.0 + 0.7 * (double)i + 0.013 * (double)i * (double)i) + 0.1;
    size += x[i] * x[i];
  }
  for (size_t i = 0; i < n; i++) x[i] /= sqrt(size);
}

/* Returns the number of steps done. */
static int run(lanczos *z, const mk_control *control, mk_status *status) {
  int most = z->size < MOST_STEPS ? (int)z->size : MOST_STEPS;
  double scale = 0.0;
  first_vector(z->basis, z->size);
  for (int k = 0; k < most; k++) {
    double *q = z->basis + (size_t)k * z->size, *next = q + z->size;
    *status = mk_check(control);
    if (*status != MK_OK) return k;
    multiply(z, q, next);
    z->diagonal[k] = inner(q, next, z->size);
    for (int pass = 0; pass < 2; pass++)
      for (int j = 0; j <= k; j++) {
        const double *old = z->basis + (size_t)j * z->size;
        double share = inner(old, next, z->size);
        for (size_t i = 0; i < z->size; i++) next[i] -= share * old[i];
      }
    z->beside[k] = sqrt(inner(next, next, z->size));
    scale = fmax(scale, fabs(z->diagonal[k]) + z->beside[k]);
    if (z->beside[k] <= 1e-13 * scale) return k + 1;
    for (size_t i = 0; i < z->size; i++) next[i] /= z->beside[k];
  }
  return most;
}

mk_status mk_extreme_eigenvalues(const double *matrix, size_t n, size_t stride,
                                 const mk_control *control, double *smallest, double *largest) {
  lanczos z = {.matrix = matrix, .n = n, .stride = stride, .size = (n + stride - 1) / stride};
  mk_status status = MK_OK;
  z.basis = MK_NEW(double, z.size *(MOST_STEPS + 1));
  z.diagonal = MK_NEW(double, MOST_STEPS);
  z.beside = MK_NEW(double, MOST_STEPS);
  if (z.basis == NULL || z.diagonal == NULL || z.beside == NULL) status = MK_NO_MEMORY;
  if (status == MK_OK) {
    int steps = run(&z, control, &status), info = 0;
    if (status == MK_OK) {
      F77_CALL(dsterf)(&steps, z.diagonal, z.beside, &info);
      *smallest = z.diagonal[0];
      *largest = z.diagonal[steps - 1];
      if (info != 0) status = MK_NOT_FINITE;
    }
  }
  mk_free(z.basis);
  mk_free(z.diagonal);
  mk_free(z.beside);
  return status;
}
