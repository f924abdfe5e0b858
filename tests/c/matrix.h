/* Explicit kernel matrices for tests of the SVM. */
#ifndef MK_TESTS_MATRIX_H
#define MK_TESTS_MATRIX_H

#include "base/memory.h"
#include "base/simd.h"
#include "data.h"

typedef struct matrix {
  size_t n, padded;
  double *k;      /* n rows of `padded` */
  int fail_after; /* rows until the provider fails; negative: never */
} matrix;

/* Gaussians of random points in the plane. */
static inline matrix gaussian_matrix(size_t n, double width) {
  matrix a = {n, mk_padded(n), NULL, -1};
  double *x = MK_NEW(double, 2 * n);
  a.k = MK_NEW0(double, n *a.padded);
  data_fill(2 * n, x);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double d = pow(x[2 * i] - x[2 * j], 2) + pow(x[2 * i + 1] - x[2 * j + 1], 2);
      a.k[i * a.padded + j] = exp(-d / width);
    }
  mk_free(x);
  return a;
}

#endif
