/* Reproducible pseudo-random numbers for the tests. */
#ifndef MK_TESTS_DATA_H
#define MK_TESTS_DATA_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

static uint64_t data_state = 1;

/* Returns the next number, uniform in (-1, 1). */
static inline double data_next(void) {
  data_state = data_state * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(data_state >> 11) / 4503599627370496.0 - 1.0;
}

static inline void data_fill(size_t n, double *x) {
  for (size_t i = 0; i < n; i++) x[i] = data_next();
}

/* Returns the larger number, or NaN if there was one, unlike fmax. */
static inline double worse(double a, double b) {
  return b > a || isnan(b) ? b : a;
}

/* Returns the largest difference of two vectors. */
static inline double data_distance(size_t n, const double *a, const double *b) {
  double most = 0.0;
  for (size_t i = 0; i < n; i++) most = worse(most, fabs(a[i] - b[i]));
  return most;
}

#endif
