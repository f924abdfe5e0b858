/* The lp ball: start, norms, analytic step. Called by norm.c, newton.c and the rules.
 * MATHEMATICS.md, section 2.2. */
#include "lp.h"

#include <math.h>

void mk_lp_start(size_t count, double p, double *theta) {
  double value = isinf(p) ? 1.0 : exp(-log((double)count) / p);
  for (size_t m = 0; m < count; m++) theta[m] = value;
}

static double largest_value(size_t count, const double *x) {
  double most = 0.0;
  for (size_t m = 0; m < count; m++) most = fmax(most, x[m]);
  return most;
}

/* Returns ||x||_p of the positive parts, safe from overflow. */
static double positive_norm(size_t count, double p, const double *x) {
  double most = largest_value(count, x), sum = 0.0;
  if (isinf(p) || most == 0.0) return most;
  for (size_t m = 0; m < count; m++)
    if (x[m] > 0.0) sum += p == 1.0 ? x[m] / most : pow(x[m] / most, p);
  return most * (p == 1.0 ? sum : pow(sum, 1.0 / p));
}

void mk_lp_normalize(size_t count, double p, double *theta) {
  double size = positive_norm(count, p, theta);
  if (size > 0.0)
    for (size_t m = 0; m < count; m++) theta[m] = theta[m] > 0.0 ? theta[m] / size : 0.0;
}

double mk_lp_dual_norm(size_t count, double p, const double *s) {
  double dual = p == 1.0 ? INFINITY : isinf(p) ? 1.0 : p / (p - 1.0);
  return positive_norm(count, dual, s);
}

void mk_lp_step(size_t count, double p, const double *theta, const double *s, double *next) {
  double most = 0.0;
  if (isinf(p)) {
    mk_lp_start(count, p, next);
    return;
  }
  for (size_t m = 0; m < count; m++) {
    double square = theta[m] * theta[m] * fmax(s[m], 0.0);
    next[m] = pow(square, 1.0 / (p + 1.0));
    most = fmax(most, next[m]);
  }
  if (most == 0.0)
    mk_lp_start(count, p, next); /* alpha or all forms are 0 */
  else
    mk_lp_normalize(count, p, next);
}
