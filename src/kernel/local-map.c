#include "local-map.h"

#include "base/simd.h"

#include <math.h>

double mk_local_value(mk_local_map map, double gamma, double square) {
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
  switch (map) {
  case MK_MAP_EXPONENTIAL:
    for (size_t c = 0; c < count; c++) out[c] = sqrt(square[c]);
    mk_simd_best()->exp_decay(count, out, gamma, out);
    break;
  case MK_MAP_GAUSSIAN:
    mk_simd_best()->exp_decay(count, square, gamma, out);
    break;
  case MK_MAP_LINEAR:
    for (size_t c = 0; c < count; c++) out[c] = 1.0 - gamma * sqrt(square[c]);
    break;
  default:
    for (size_t c = 0; c < count; c++) out[c] = 1.0 - gamma * square[c];
  }
  if (map == MK_MAP_LINEAR || map == MK_MAP_SQUARED)
    for (size_t c = 0; c < count; c++) out[c] = out[c] > 0.0 ? out[c] : 0.0;
}
