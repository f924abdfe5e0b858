/* Bounds on Rademacher complexities. Called by rglue/bound.c.
 * MATHEMATICS.md, section 7.1. */
#include "rademacher.h"

#include <math.h>

static const double c = 23.0 / 22.0; /* Cortes et al. 2010 */
static const double e = 2.718281828459045;
static const double rounding = 1e-9; /* relative distance from a whole number that counts as 0 */

/* Returns p* = p/(p - 1). */
static double dual_exponent(double p) {
  if (p == 1.0) return INFINITY;
  return isinf(p) ? 1.0 : p / (p - 1.0);
}

/* Returns M^(1/p*), 1 at p = 1. */
static double kernels_factor(double p, double kernels) {
  return pow(kernels, 1.0 - 1.0 / p);
}

/* Returns the factor of Theorem 6 that carries a bound on H^q over to H^p. It is 1 if p <= q, as
 * H^p is then a part of H^q. */
static double conversion_of(double kernels, double q, double p) {
  return p <= q ? 1.0 : sqrt(pow(kernels, 1.0 / q - 1.0 / p));
}

/* Returns the whole number that x is up to rounding, or x. For example, p/(p - 1) of a p computed
 * from p* has rounding errors. */
static double whole(double x) {
  double near = round(x);
  return fabs(x - near) <= rounding * near ? near : x;
}

/* Return e ceil(log M), and ceil(p*), which is 2 in the limit p = infinity. With a single kernel
 * all H^p are equal to that limit. */
static double logarithm(double kernels) {
  return kernels > 1.0 ? e * ceil(log(kernels)) : INFINITY;
}

static double exponent(double p, double kernels) {
  double dual = ceil(whole(dual_exponent(p)));
  return dual < 2.0 || kernels <= 1.0 ? 2.0 : dual;
}

static double theorem_8(double q, double kernels) {
  double dual = whole(dual_exponent(q));
  if (q == 1.0) return c * logarithm(kernels);
  if (dual != floor(dual)) return NAN;
  return c * dual * kernels_factor(q, kernels);
}

double mk_rademacher_bound(mk_bound_type type, double p, double kernels, double n, double radius,
                           double q) {
  double factor = kernels_factor(p, kernels), square = NAN;
  switch (type) {
  case MK_BOUND_KLOFT:
    square = c * factor * fmin(logarithm(kernels), exponent(p, kernels));
    break;
  case MK_BOUND_KLOFT_2010:
    square = c * factor * logarithm(kernels);
    break;
  case MK_BOUND_CORTES:
    if (q <= p) {
      double conversion = conversion_of(kernels, q, p);
      square = theorem_8(q, kernels) * conversion * conversion;
    }
    break;
  case MK_BOUND_GOMP:
    if (isinf(p)) square = kernels;
    break;
  }
  return isfinite(square) ? radius * sqrt(square / n) : NAN;
}
