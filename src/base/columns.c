#include "columns.h"

#include <math.h>

/* Values of one turn of a loop that threads share. */
#define CHUNK ((size_t)1 << 16)

/* x - x is 0 for finite values and NaN for all others. */
static int all_finite(const double *x, size_t count) {
  double sum[8] = {0.0};
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (size_t k = 0; k < 8; k++) sum[k] += x[i + k] - x[i + k];
  for (; i < count; i++) sum[0] += x[i] - x[i];
  double total = 0.0;
  for (size_t k = 0; k < 8; k++) total += sum[k];
  return total == 0.0;
}

size_t mk_first_not_finite(const double *x, size_t count, int threads) {
  size_t chunks = count / CHUNK + (count % CHUNK != 0), first = count;
  (void)threads;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) reduction(min : first) if (threads > 1 && chunks > 8)
#endif
  for (size_t c = 0; c < chunks; c++) {
    size_t from = c * CHUNK, size = count - from < CHUNK ? count - from : CHUNK;
    if (from >= first || all_finite(x + from, size)) continue;
    size_t at = 0;
    while (isfinite(x[from + at])) at++;
    if (from + at < first) first = from + at;
  }
  return first;
}

static double weighted_sum(const double *x, const double *weight, size_t count) {
  double sum[8] = {0.0};
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (size_t k = 0; k < 8; k++) sum[k] += x[i + k] * weight[i + k];
  for (; i < count; i++) sum[0] += x[i] * weight[i];
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

void mk_column_sums(const double *x, size_t rows, size_t cols, const double *weight, double *out,
                    int threads) {
  (void)threads;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) if (threads > 1 && cols > 1 && rows > CHUNK / cols)
#endif
  for (size_t j = 0; j < cols; j++) out[j] = weighted_sum(x + j * rows, weight, rows);
}
