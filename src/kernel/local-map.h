/* The maps of locally linear kernels (Picard, Table 1): how much of x - c is left of a sample at
 * distance r from the anchor c,
 *   exponential exp(-g r), Gaussian exp(-g r^2), linear (1 - g r)+, squared (1 - g r^2)+,
 * for the whole of it or, component by component, with r = |x_k - c_k|. Nothing is left of a sample
 * at the anchor itself: its h counts as 0, lest rounding of what it multiplies be taken for
 * something. */
#ifndef MK_LOCAL_MAP_H
#define MK_LOCAL_MAP_H

#include <math.h>
#include <stddef.h>

typedef enum mk_local_map {
  MK_MAP_EXPONENTIAL = 1,
  MK_MAP_GAUSSIAN,
  MK_MAP_LINEAR,
  MK_MAP_SQUARED,
  MK_LOCAL_MAPS = MK_MAP_SQUARED
} mk_local_map;

double mk_local_value(mk_local_map map, double gamma, double square);
/* out[c] = h at the squared distance square[c]; in place is fine. */
void mk_local_values(mk_local_map map, double gamma, size_t count, const double *square,
                     double *out);

/* What a relative error of distances can do to h goes with: h and its exponent where h is an
 * exponential, 1 where it is a difference. -log(h) is no more than -log(2) ilogb(h). */
static inline double mk_local_error(mk_local_map map, double h) {
  if (!(h > 0.0)) return 0.0;
  return map == MK_MAP_LINEAR || map == MK_MAP_SQUARED ? 1.0 : h * (1.0 - 0.7 * ilogb(h));
}

#endif
