/* Laplace kernels exp(-|x - z| / width) (MATHEMATICS.md, section 4). */
#include "base/sum.h"
#include "kernel/geometry.h"
#include "kernel/kind.h"

#include <math.h>

#define RUN ((size_t)64) /* roots computed at a time */
/* Largest derivative by the relative error of the squared distance, which is twice that of r: r/w
 * exp(-r/w) / 2 <= 1/(2e). */
#define SLOPE 0.18393972058572117

static int valid(const mk_kernel_spec *spec, const mk_view *view) {
  (void)view;
  return isfinite(spec->width) && spec->width > 0;
}

static void read(mk_kernel_spec *spec, const double *parameter) {
  spec->width = parameter[0];
}

static void values(const mk_value_parts *parts, double *out) {
  double root[RUN];
  for (size_t from = 0; from < parts->others->count; from += RUN) {
    size_t count = mk_smaller(parts->others->count - from, RUN);
    for (size_t c = 0; c < count; c++) root[c] = sqrt(parts->distance[from + c]);
    parts->simd->exp_decay(count, root, 1.0 / parts->spec->width, out + from);
  }
}

/* An error e of the squared distance moves its root by at most sqrt(e), even for tiny distances. */
static double units(const mk_kernel_spec *spec, const mk_part_roundings *parts) {
  double roundings = 2.0 * parts->depth + 8.0;
  double most = parts->reach * sqrt(roundings) / (MK_UNIT * spec->width * spec->width);
  if (parts->near) {
    double spread = SLOPE / MK_NEAR_SHARE;
    most = fmin(most, spread * spread * roundings);
  }
  return parts->units + SLOPE * SLOPE * parts->depth + most;
}

const mk_kind mk_kind_laplace = {.name = "laplace",
                                 .parameter = {"width"},
                                 .distances = 1,
                                 .unit_diagonal = 1,
                                 .valid = valid,
                                 .read = read,
                                 .values = values,
                                 .units = units};
