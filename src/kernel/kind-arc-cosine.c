/* The arc-cosine kernel of order 1 (Cho and Saul 2009; MATHEMATICS.md, section 4): |x| |z| J(t)
 * with t the cosine between x and z and J(t) = (sqrt(1 - t^2) + (pi - acos t) t) / pi. */
#include "kernel/kind.h"

#include <math.h>

#define PI 3.14159265358979323846

static void values(const mk_value_parts *parts, double *out) {
  double own = sqrt(parts->square[parts->row]);
  for (size_t c = 0; c < parts->others->count; c++) {
    double size = own * sqrt(parts->square[mk_sample(parts->others, c)]);
    double t = size > 0.0 ? fmax(-1.0, fmin(1.0, parts->product[c] / size)) : 0.0;
    out[c] = size * (sqrt((1.0 - t) * (1.0 + t)) + (PI - acos(t)) * t) / PI;
  }
}

static double magnitude(const mk_kernel_spec *spec, double square) {
  (void)spec;
  return sqrt(square);
}

/* The derivatives by <x, z> and by |x| |z| are at most 1 and 1 / pi, and <x, z> has at least as
 * many roundings as |x| |z|. */
static double units(const mk_kernel_spec *spec, const mk_part_roundings *parts) {
  (void)spec;
  return parts->units + 2.0 * (parts->depth + 8.0);
}

const mk_kind mk_kind_arc_cosine = {.name = "arc_cosine",
                                    .products = 1,
                                    .squares = 1,
                                    .values = values,
                                    .magnitude = magnitude,
                                    .units = units};
