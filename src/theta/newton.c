#include "newton.h"

#include "base/cholesky.h"
#include "base/memory.h"
#include "base/simd.h"
#include "theta/lp.h"

#include <math.h>
#include <string.h>

#define MAX_STEPS 60
#define CENTRING 0.1
#define TO_BOUNDARY 0.99
#define FINAL_MU 1e-17
#define GOOD_MU 1e-13

/* The interior point: t > 0, its multipliers x > 0, and the multiplier of the
 * norm, which binds: sum t^p = 1. All scaled so that the objective is near 1. */
typedef struct point {
  size_t count, rank;
  double p, multiplier;
  double *t, *x;
  const double *centre;                                /* theta */
  double *linear;                                      /* -s/2, scaled */
  double *z;                                           /* scaled, rank x count */
  double *zt;                                          /* rank: Z (t - theta) */
  double *residual, *diagonal, *normal, *step, *other; /* count each */
  double *system;                                      /* small x small, small = min(count, rank) */
  double *hessian; /* Z'Z, where count is the smaller; else NULL and ... */
  double *thin;    /* ... z scaled by D^-1/2, rank x count */
  const mk_simd *simd;
  double *small; /* rank + 1 */
} point;

static void point_free(point *pt) {
  mk_free(pt->t);
  mk_free(pt->x);
  mk_free(pt->linear);
  mk_free(pt->z);
  mk_free(pt->zt);
  mk_free(pt->residual);
  mk_free(pt->diagonal);
  mk_free(pt->normal);
  mk_free(pt->step);
  mk_free(pt->other);
  mk_free(pt->system);
  mk_free(pt->hessian);
  mk_free(pt->thin);
  mk_free(pt->small);
}

static mk_status point_new(point *pt, size_t count, size_t rank) {
  size_t small = count < rank ? count : rank;
  memset(pt, 0, sizeof *pt);
  pt->count = count;
  pt->rank = rank;
  pt->simd = mk_simd_best();
  pt->t = MK_NEW(double, count);
  pt->x = MK_NEW(double, count);
  pt->linear = MK_NEW(double, count);
  pt->z = MK_NEW(double, count *rank + 1);
  pt->zt = MK_NEW(double, rank + 1);
  pt->residual = MK_NEW(double, count);
  pt->diagonal = MK_NEW(double, count);
  pt->normal = MK_NEW(double, count);
  pt->step = MK_NEW(double, count);
  pt->other = MK_NEW(double, count);
  pt->system = MK_NEW(double, small *small);
  int direct = count <= rank;
  if (direct)
    pt->hessian = MK_NEW(double, count *count);
  else
    pt->thin = MK_NEW(double, count *(rank + 1));
  pt->small = MK_NEW(double, rank + 1);
  if (pt->t == NULL || pt->x == NULL || pt->linear == NULL || pt->z == NULL || pt->zt == NULL ||
      pt->residual == NULL || pt->diagonal == NULL || pt->normal == NULL || pt->step == NULL ||
      pt->other == NULL || pt->system == NULL || (direct ? pt->hessian : pt->thin) == NULL ||
      pt->small == NULL)
    return MK_NO_MEMORY;
  return MK_OK;
}

static double power_sum(const point *pt) {
  double sum = 0.0;
  for (size_t m = 0; m < pt->count; m++) sum += pt->p == 1.0 ? pt->t[m] : pow(pt->t[m], pt->p);
  return sum;
}

static void apply_z(const point *pt, const double *v, double *out) {
  for (size_t r = 0; r < pt->rank; r++) out[r] = pt->simd->dot(pt->count, pt->z + r * pt->count, v);
}

static void add_zt(const point *pt, const double *v, double *out) {
  for (size_t r = 0; r < pt->rank; r++) pt->simd->axpy(pt->count, v[r], pt->z + r * pt->count, out);
}

static void start(point *pt, const double *theta) {
  double mean = exp(-log((double)pt->count) / pt->p), mu = 0.0;
  pt->centre = theta;
  for (size_t m = 0; m < pt->count; m++) {
    pt->t[m] = 0.9 * theta[m] + 0.1 * mean;
    mu -= pt->linear[m] * pt->t[m];
  }
  pt->multiplier = mu / pt->p;
  mu = 0.1 * mu / (double)pt->count + 1e-8;
  for (size_t m = 0; m < pt->count; m++) pt->x[m] = mu / pt->t[m];
}

static double barrier_level(const point *pt) {
  return pt->simd->dot(pt->count, pt->t, pt->x) / (double)pt->count;
}

/* residual = gradient of the Lagrangian; normal = gradient of sum t^p;
 * diagonal = everything diagonal in the Newton matrix. */
static double residuals(point *pt) {
  double worst = 0.0;
  for (size_t m = 0; m < pt->count; m++) pt->other[m] = pt->t[m] - pt->centre[m];
  apply_z(pt, pt->other, pt->zt);
  memcpy(pt->residual, pt->linear, pt->count * sizeof(double));
  add_zt(pt, pt->zt, pt->residual);
  for (size_t m = 0; m < pt->count; m++) {
    double t = pt->t[m], p = pt->p;
    pt->normal[m] = p == 1.0 ? 1.0 : p * pow(t, p - 1.0);
    pt->diagonal[m] =
        pt->x[m] / t + (p == 1.0 ? 0.0 : pt->multiplier * p * (p - 1.0) * pow(t, p - 2.0));
    pt->residual[m] += pt->multiplier * pt->normal[m] - pt->x[m];
    worst = fmax(worst, fabs(pt->residual[m]));
  }
  return worst;
}

/* The factor of D + Z'Z, or of I + Z D^-1 Z' where that is smaller (Woodbury). */
static mk_status factor(point *pt) {
  size_t count = pt->count, n = pt->rank;
  if (pt->hessian != NULL) {
    memcpy(pt->system, pt->hessian, count * count * sizeof(double));
    for (size_t i = 0; i < count; i++) pt->system[i * count + i] += pt->diagonal[i];
    return mk_cholesky(pt->system, count, 0.0, 1);
  }
  for (size_t r = 0; r < n; r++)
    for (size_t m = 0; m < count; m++)
      pt->thin[r * count + m] = pt->z[r * count + m] / sqrt(pt->diagonal[m]);
  for (size_t r = 0; r < n; r++)
    for (size_t k = 0; k <= r; k++)
      pt->system[r * n + k] = pt->simd->dot(count, pt->thin + r * count, pt->thin + k * count);
  return mk_cholesky(pt->system, n, 1.0, 1);
}

/* v := (D + Z'Z)^-1 v */
static void solve(point *pt, double *v) {
  size_t count = pt->count, n = pt->rank;
  if (pt->hessian != NULL) {
    mk_solve_lower(pt->system, count, v, 1);
    mk_solve_upper(pt->system, count, v, 1);
    return;
  }
  for (size_t m = 0; m < count; m++) v[m] /= sqrt(pt->diagonal[m]);
  for (size_t r = 0; r < n; r++) pt->small[r] = pt->simd->dot(count, pt->thin + r * count, v);
  mk_solve_lower(pt->system, n, pt->small, 1);
  mk_solve_upper(pt->system, n, pt->small, 1);
  for (size_t r = 0; r < n; r++) pt->simd->axpy(count, -pt->small[r], pt->thin + r * count, v);
  for (size_t m = 0; m < count; m++) v[m] /= sqrt(pt->diagonal[m]);
}

/* Z'Z, once for all steps. */
static void form_hessian(point *pt) {
  size_t n = pt->count;
  memset(pt->hessian, 0, n * n * sizeof(double));
  for (size_t r = 0; r < pt->rank; r++)
    for (size_t m = 0; m < n; m++)
      pt->simd->axpy(m + 1, pt->z[r * n + m], pt->z + r * n, pt->hessian + m * n);
}

static double to_boundary(double step, double value, double change) {
  return change < 0.0 && value + step * change <= 0.0 ? -value / change : step;
}

/* One step towards complementarity mu. */
static mk_status advance(point *pt, double mu) {
  size_t count = pt->count;
  double infeasible = power_sum(pt) - 1.0, length = 1.0, dual_length = 1.0;
  MK_TRY(factor(pt));
  for (size_t m = 0; m < count; m++) pt->step[m] = -pt->residual[m] - pt->x[m] + mu / pt->t[m];
  memcpy(pt->other, pt->normal, count * sizeof(double));
  solve(pt, pt->step);
  solve(pt, pt->other);
  double change = (pt->simd->dot(count, pt->normal, pt->step) + infeasible) /
                  pt->simd->dot(count, pt->normal, pt->other);
  if (!isfinite(change)) return MK_STALLED;
  pt->simd->axpy(count, -change, pt->other, pt->step);
  for (size_t m = 0; m < count; m++) {
    pt->other[m] = (mu - pt->x[m] * pt->step[m]) / pt->t[m] - pt->x[m];
    length = to_boundary(length, pt->t[m], pt->step[m] / TO_BOUNDARY);
    dual_length = to_boundary(dual_length, pt->x[m], pt->other[m] / TO_BOUNDARY);
  }
  dual_length = to_boundary(dual_length, pt->multiplier, change / 0.9);
  pt->simd->axpy(count, length, pt->step, pt->t);
  pt->simd->axpy(count, dual_length, pt->other, pt->x);
  pt->multiplier += dual_length * change;
  return MK_OK;
}

/* MK_STALLED unless complementary and stationary in the end. */
static mk_status minimise(point *pt) {
  double worst = INFINITY, mu = INFINITY;
  for (int k = 0; k < MAX_STEPS; k++) {
    double last = worst;
    worst = residuals(pt);
    mu = barrier_level(pt);
    if (worst < 1e-10 && mu < FINAL_MU) return MK_OK;
    if (mu < GOOD_MU && worst < 1e-9 && worst > last) /* only rounding is left */
      return MK_OK;
    if (advance(pt, fmax(CENTRING * mu, 0.1 * FINAL_MU)) != MK_OK) break;
  }
  return mu < GOOD_MU && worst < 1e-7 ? MK_OK : MK_STALLED;
}

mk_status mk_theta_newton(size_t count, double p, const double *theta, const double *s,
                          const double *z, size_t rank, double *next) {
  point pt;
  double size = 0.0;
  for (size_t m = 0; m < count; m++) size = fmax(size, s[m]);
  if (!(size > 0.0) || !isfinite(size)) return MK_STALLED;
  mk_status status = point_new(&pt, count, rank);
  if (status == MK_OK) {
    pt.p = p;
    for (size_t m = 0; m < count; m++) pt.linear[m] = -0.5 * s[m] / size;
    for (size_t k = 0; k < count * rank; k++) pt.z[k] = z[k] / sqrt(size);
    if (pt.hessian != NULL) form_hessian(&pt);
    start(&pt, theta);
    status = minimise(&pt);
    for (size_t m = 0; m < count; m++) next[m] = pt.t[m];
    mk_lp_normalize(count, p, next);
  }
  point_free(&pt);
  return status;
}
