/* The maps h of locally linear kernels: single values for local.c, and runs of values for code that
 * goes sample by sample. MATHEMATICS.md, section 6.1. */
#include "local-map.h"

#include "base/simd.h"

double mk_local_value(mk_local_map map, double gamma, double square) {
  if (square == 0.0) return 0.0;
  switch (map) {
  case MK_MAP_EXPONENTIAL:
    return exp(-gamma * sqrt(square));
  case MK_MAP_GAUSSIAN:
    return exp(-gamma * square);
  case MK_MAP_LINEAR:
    return fmax(0.0, 1.0 - gamma * sqrt(square));
  default:
    return fmax(0.0, 1.0 - gamma * square);
  }
}

void mk_local_values(mk_local_map map, double gamma, size_t count, const double *square,
                     double *out) {
  for (size_t c = 0; c < count; c++) out[c] = square[c] > 0.0 ? square[c] : INFINITY;
  if (map == MK_MAP_EXPONENTIAL || map == MK_MAP_LINEAR)
    for (size_t c = 0; c < count; c++) out[c] = sqrt(out[c]);
  if (map == MK_MAP_EXPONENTIAL || map == MK_MAP_GAUSSIAN) {
    mk_simd_best()->exp_decay(count, out, gamma, out);
    return;
  }
  for (size_t c = 0; c < count; c++) {
    double h = 1.0 - gamma * out[c];
    out[c] = h > 0.0 ? h : 0.0;
  }
}
