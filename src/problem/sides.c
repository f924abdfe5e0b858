/* Regularisers and dual norms of each type of norm: powers (lp, weighted, block), the elastic net,
 * the quadratic norm. Called by certificate.c, fit-state.c and interleaved.c. MATHEMATICS.md,
 * section 1.4. */
#include "sides.h"

#include "base/cholesky.h"
#include "base/memory.h"
#include "base/sum.h"
#include "problem/quadratic.h"

#include <math.h>
#include <string.h>

#define MAX_HALVINGS 200 /* halvings of a bracket, down to neighbouring numbers */

/* Returns the factor of theta_m in the norm: d_m^(1/p), 1/sqrt(E_mm) or 1. */
static double scale_of(const mk_norm *norm, size_t m) {
  return norm->scale != NULL ? norm->scale[m] : 1.0;
}

static double root_of(const double *theta, const double *form, size_t m) {
  return theta[m] * sqrt(fmax(form[m], 0.0));
}

/* ---- powers: lp, weighted, block ---- */

/* Returns (sum (s_m/scale_m)^power)^(1/power). */
static double dual_norm(const mk_norm *norm, const double *s, size_t count, double power) {
  mk_sum sum = {0.0, 0.0};
  double most = 0.0;
  for (size_t m = 0; m < count; m++) most = fmax(most, s[m] / scale_of(norm, m));
  if (isinf(power) || most <= 0.0) return most;
  for (size_t m = 0; m < count; m++)
    mk_sum_add(&sum, pow(fmax(s[m], 0.0) / scale_of(norm, m) / most, power));
  return most * pow(mk_sum_total(&sum), 1.0 / power);
}

/* Returns (sum (theta_m sqrt(s_m scale_m))^q)^(2/q). */
static double squared_block_norm(const mk_norm *norm, const double *theta, const double *s,
                                 size_t count, double q) {
  mk_sum sum = {0.0, 0.0};
  double most = 0.0;
  for (size_t m = 0; m < count; m++)
    most = fmax(most, root_of(theta, s, m) * sqrt(scale_of(norm, m)));
  if (isinf(q) || most <= 0.0) return most * most;
  for (size_t m = 0; m < count; m++)
    mk_sum_add(&sum, pow(root_of(theta, s, m) * sqrt(scale_of(norm, m)) / most, q));
  return most * most * pow(mk_sum_total(&sum), 2.0 / q);
}

static double dual_power(const mk_norm *norm) {
  double p = norm->p, q = norm->parameter;
  if (norm->type == MK_NORM_BLOCK) return isinf(q) ? 0.5 : 0.5 * q / (q - 1.0);
  return p == 1.0 ? INFINITY : isinf(p) ? 1.0 : p / (p - 1.0);
}

static double primal_power(const mk_norm *norm) {
  double p = norm->p;
  if (norm->type == MK_NORM_BLOCK) return norm->parameter;
  return isinf(p) ? 2.0 : 2.0 * p / (p + 1.0);
}

/* ---- elastic net ---- */

static double elastic_primal(double lambda, const double *theta, const double *s, size_t count) {
  mk_sum sum = {0.0, 0.0}, squares = {0.0, 0.0};
  for (size_t m = 0; m < count; m++) {
    double w = root_of(theta, s, m);
    mk_sum_add(&sum, w);
    mk_sum_add(&squares, w * w);
  }
  return (1.0 - lambda) * mk_sum_total(&sum) * mk_sum_total(&sum) + lambda * mk_sum_total(&squares);
}

/* Returns a bound of twice the dual term for any r >= 0, with equality at the best r. */
static double elastic_bound(double lambda, const double *s, size_t count, double r) {
  mk_sum bound = {r * r / (1.0 - lambda), 0.0};
  for (size_t m = 0; m < count; m++) {
    double root = sqrt(fmax(s[m], 0.0)), more = fmax(root - r, 0.0);
    if (more > 0.0) mk_sum_add(&bound, more * (more + MK_SIDE_ROUNDINGS * MK_UNIT * root) / lambda);
  }
  return mk_sum_total(&bound);
}

/* Finds the best r by bisection of the derivative. */
static double elastic_dual(double lambda, const double *s, size_t count) {
  double low = 0.0, high = 0.0;
  for (size_t m = 0; m < count; m++) high = fmax(high, sqrt(fmax(s[m], 0.0)));
  for (int k = 0; k < MAX_HALVINGS && low < high; k++) {
    double r = 0.5 * (low + high), slope = r / (1.0 - lambda);
    if (r <= low || r >= high) break;
    for (size_t m = 0; m < count; m++) slope -= fmax(sqrt(fmax(s[m], 0.0)) - r, 0.0) / lambda;
    if (slope > 0.0)
      high = r;
    else
      low = r;
  }
  return fmin(elastic_bound(lambda, s, count, low), elastic_bound(lambda, s, count, high));
}

/* ---- quadratic ---- */

/* Computes t'E^-1 t by a Cholesky factor L of E. The factor belongs to a matrix that differs from E
 * by roundings of |L||L|' (Higham 2002, Theorem 10.3); E^-1 t meets this error twice. */
static mk_status ellipsoid(const mk_norm *norm, size_t count, double *t, double *square) {
  double *factor = MK_NEW(double, count *count);
  if (factor == NULL) return MK_NO_MEMORY;
  memcpy(factor, norm->e, count * count * sizeof(double));
  mk_status status = mk_cholesky(factor, count, 0.0, NULL);
  mk_sum sum = {0.0, 0.0};
  if (status == MK_OK) {
    mk_solve_lower(factor, count, t);
    for (size_t m = 0; m < count; m++) mk_sum_add(&sum, t[m] * t[m]);
    mk_solve_upper(factor, count, t);
    for (size_t m = 0; m < count; m++) {
      double met = 0.0;
      for (size_t k = m; k < count; k++) met += fabs(factor[k * count + m] * t[k]);
      mk_sum_add(&sum, 2.0 * ((double)count + MK_SIDE_ROUNDINGS) * MK_UNIT * met * met);
    }
  }
  *square = mk_sum_total(&sum);
  mk_free(factor);
  return status;
}

/* Returns ||s + gamma||_E, a bound of the dual norm for any gamma >= 0. */
static double bounded_by(const mk_norm *norm, size_t count, const double *s, const double *gamma) {
  mk_sum square = {0.0, 0.0};
  for (size_t m = 0; m < count; m++)
    for (size_t k = 0; k < count; k++) {
      double term = norm->e[m * count + k] * (fmax(s[m], 0.0) + fmax(gamma[m], 0.0)) *
                    (fmax(s[k], 0.0) + fmax(gamma[k], 0.0));
      mk_sum_add(&square, term + MK_SIDE_ROUNDINGS * MK_UNIT * fabs(term));
    }
  return sqrt(fmax(mk_sum_total(&square), 0.0));
}

static mk_status quadratic_sides(const mk_norm *norm, size_t count, const double *theta,
                                 const double *form, double *primal, double *dual) {
  double *block = MK_NEW(double, 3 * count), square = 0.0, value = 0.0;
  if (block == NULL) return MK_NO_MEMORY;
  double *t = block, *s = block + count, *gamma = block + 2 * count;
  for (size_t m = 0; m < count; m++) {
    t[m] = theta[m] * norm->scale[m];
    s[m] = form[m] / norm->scale[m];
    value += theta[m] * fmax(form[m], 0.0);
  }
  mk_quadratic_gamma(norm, count, s, gamma);
  *dual = bounded_by(norm, count, s, gamma);
  mk_status status = ellipsoid(norm, count, t, &square);
  *primal = value * sqrt(square);
  mk_free(block);
  return status;
}

mk_status mk_sides(const mk_norm *norm, size_t count, const double *theta, const double *form,
                   double *primal, double *dual) {
  if (norm->type == MK_NORM_QUADRATIC) {
    MK_TRY(quadratic_sides(norm, count, theta, form, primal, dual));
  } else if (norm->type == MK_NORM_ELASTIC) {
    *primal = elastic_primal(norm->parameter, theta, form, count);
    *dual = elastic_dual(norm->parameter, form, count);
  } else {
    *primal = squared_block_norm(norm, theta, form, count, primal_power(norm));
    *dual = dual_norm(norm, form, count, dual_power(norm));
  }
  return MK_OK;
}
