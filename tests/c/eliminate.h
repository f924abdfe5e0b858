/* Linear systems by Gaussian elimination, with which tests solve systems by the definition. */
#ifndef MK_TESTS_ELIMINATE_H
#define MK_TESTS_ELIMINATE_H

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Computes x = (a + delta I)^-1 x, with pivots. */
static inline void eliminate(const double *a, size_t n, double delta, double *x) {
  double *m = MK_NEW(double, n *n);
  memcpy(m, a, n * n * sizeof *m);
  for (size_t i = 0; i < n; i++) m[i * n + i] += delta;
  for (size_t k = 0; k < n; k++) {
    size_t pivot = k;
    for (size_t i = k; i < n; i++)
      if (fabs(m[i * n + k]) > fabs(m[pivot * n + k])) pivot = i;
    for (size_t j = 0; j < n; j++) {
      double kept = m[k * n + j];
      m[k * n + j] = m[pivot * n + j];
      m[pivot * n + j] = kept;
    }
    double kept = x[k];
    x[k] = x[pivot];
    x[pivot] = kept;
    for (size_t i = k + 1; i < n; i++) {
      double factor = m[i * n + k] / m[k * n + k];
      for (size_t j = k; j < n; j++) m[i * n + j] -= factor * m[k * n + j];
      x[i] -= factor * x[k];
    }
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t j = i + 1; j < n; j++) x[i] -= m[i * n + j] * x[j];
    x[i] /= m[i * n + i];
  }
  mk_free(m);
}

#endif
