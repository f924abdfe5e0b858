/* Kinds that are functions of distances and inner products (MATHEMATICS.md, section 4): linear,
 * polynomial, Gaussian, Tanimoto. */
#include "kernel/geometry.h"
#include "kernel/kind.h"

#include <math.h>
#include <string.h>

/* Largest derivative of a Gaussian by the relative error of its distance: d/w exp(-d/w) <= 1/e. */
#define GAUSSIAN_SLOPE 0.36787944117144233
/* Bound of |dk/dp| + 2 |dk/dd| for k = p / (d + p), in units of 2 / (|x|^2 + |z|^2). */
#define TANIMOTO_SLOPE 4.0

/* ---- linear ---- */

static void read_linear(mk_kernel_spec *spec, const double *parameter) {
  spec->zero_rows = parameter[0] != 0.0;
}

static void linear_values(const mk_value_parts *parts, double *out) {
  if (out != parts->product) memcpy(out, parts->product, parts->others->count * sizeof *out);
}

static double length(const mk_kernel_spec *spec, double square) {
  (void)spec;
  return sqrt(square);
}

static double linear_units(const mk_kernel_spec *spec, const mk_part_roundings *parts) {
  (void)spec;
  return parts->units + parts->depth;
}

const mk_kind mk_kind_linear = {.name = "linear",
                                .products = 1,
                                .linear = 1,
                                .read = read_linear,
                                .values = linear_values,
                                .magnitude = length,
                                .units = linear_units};

/* ---- polynomial ---- */

static int valid_polynomial(const mk_kernel_spec *spec, const mk_view *view) {
  (void)view;
  return spec->degree >= 1 && spec->degree <= 100 && spec->degree == floor(spec->degree) &&
         isfinite(spec->scale) && isfinite(spec->offset);
}

static void read_polynomial(mk_kernel_spec *spec, const double *parameter) {
  spec->degree = parameter[0];
  spec->scale = parameter[1];
  spec->offset = parameter[2];
}

static void power(const mk_kernel_spec *spec, const mk_simd *simd, size_t n, const double *product,
                  double *out) {
  simd->affine_power(n, product, spec->scale, spec->offset, (int)spec->degree, out);
}

static void polynomial_values(const mk_value_parts *parts, double *out) {
  power(parts->spec, parts->simd, parts->others->count, parts->product, out);
}

static void polynomial_diagonal(const mk_kernel_spec *spec, const mk_simd *simd, size_t n,
                                double *value) {
  power(spec, simd, n, value, value);
}

static double polynomial_magnitude(const mk_kernel_spec *spec, double square) {
  return pow(spec->scale * square + fabs(spec->offset), 0.5 * spec->degree);
}

static double polynomial_units(const mk_kernel_spec *spec, const mk_part_roundings *parts) {
  return parts->units + spec->degree * spec->degree * (parts->depth + 8.0);
}

const mk_kind mk_kind_polynomial = {.name = "polynomial",
                                    .parameter = {"degree", "scale", "offset"},
                                    .products = 1,
                                    .valid = valid_polynomial,
                                    .read = read_polynomial,
                                    .values = polynomial_values,
                                    .diagonal = polynomial_diagonal,
                                    .magnitude = polynomial_magnitude,
                                    .units = polynomial_units};

/* ---- Gaussian ---- */

static int valid_width(const mk_kernel_spec *spec, const mk_view *view) {
  (void)view;
  return isfinite(spec->width) && spec->width > 0;
}

static void read_width(mk_kernel_spec *spec, const double *parameter) {
  spec->width = parameter[0];
}

static void gaussian_values(const mk_value_parts *parts, double *out) {
  parts->simd->exp_decay(parts->others->count, parts->distance, 1.0 / parts->spec->width, out);
}

static double gaussian_units(const mk_kernel_spec *spec, const mk_part_roundings *parts) {
  double spread = parts->reach / spec->width;
  if (parts->near) spread = fmin(spread, GAUSSIAN_SLOPE / MK_NEAR_SHARE);
  return parts->units + GAUSSIAN_SLOPE * GAUSSIAN_SLOPE * parts->depth +
         spread * spread * (2.0 * parts->depth + 8.0);
}

const mk_kind mk_kind_gaussian = {.name = "gaussian",
                                  .parameter = {"width"},
                                  .distances = 1,
                                  .unit_diagonal = 1,
                                  .gaussian = 1,
                                  .valid = valid_width,
                                  .read = read_width,
                                  .values = gaussian_values,
                                  .units = gaussian_units};

/* ---- Tanimoto ---- */

static void tanimoto_values(const mk_value_parts *parts, double *out) {
  for (size_t c = 0; c < parts->others->count; c++) {
    double product = parts->product[c];
    double whole = parts->distance[c] + product; /* |x|^2 + |z|^2 - <x,z> */
    out[c] = whole > 0.0 ? product / whole : 1.0;
  }
}

/* Distance and product both have rounding errors relative to |x|^2 + |z|^2. */
static double tanimoto_units(const mk_kernel_spec *spec, const mk_part_roundings *parts) {
  (void)spec;
  return parts->units + TANIMOTO_SLOPE * TANIMOTO_SLOPE * (parts->depth + 4.0);
}

const mk_kind mk_kind_tanimoto = {.name = "tanimoto",
                                  .distances = 1,
                                  .products = 1,
                                  .unit_diagonal = 1,
                                  .values = tanimoto_values,
                                  .units = tanimoto_units};
