/* The maps of locally linear kernels (Picard, Table 1): the factor h of x - c for a sample at
 * distance r from the anchor c,
 *   exponential exp(-g r), Gaussian exp(-g r^2), linear (1 - g r)+, squared (1 - g r^2)+,
 * for the whole difference or, componentwise, with r = |x_k - c_k|. At the anchor itself h counts
 * as 0, since x - c is 0 there and has rounding errors alone. */
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
/* Computes h at the squared distances; out may be square. */
void mk_local_values(mk_local_map map, double gamma, size_t count, const double *square,
                     double *out);

/* Returns the factor by which a relative error of the distance reaches h: h times its exponent for
 * exponential maps, 1 for the others. -log(h) is at most -log(2) ilogb(h). */
static inline double mk_local_error(mk_local_map map, double h) {
  if (!(h > 0.0)) return 0.0;
  return map == MK_MAP_LINEAR || map == MK_MAP_SQUARED ? 1.0 : h * (1.0 - 0.7 * ilogb(h));
}

#endif
