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

/* The interior point: t > 0, bounds' multipliers x > 0, slack and multiplier
 * of the norm constraint. All scaled so that the objective is near 1. */
typedef struct point {
  size_t count, rank;
  double p, slack, multiplier;
  double *t, *x;
  const double *centre;                                /* theta */
  double *linear;                                      /* -s/2, scaled */
  double *z;                                           /* scaled, rank x count */
  double *zt;                                          /* rank: Z (t - theta) */
  double *residual, *diagonal, *normal, *step, *other; /* count each */
  double *system;  /* small x small, small = min(count, rank + 1) */
  double *hessian; /* Z'Z, where count is the smaller; else NULL and ... */
  double *thin;    /* ... scaled copies of z and the normal, (rank + 1) x count */
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
  size_t small = count < rank + 1 ? count : rank + 1;
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
  int direct = count <= rank + 1;
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
  double mean = exp(-log((double)pt->count) / pt->p);
  pt->centre = theta;
  for (size_t m = 0; m < pt->count; m++) pt->t[m] = 0.9 * theta[m] + 0.05 * mean;
  pt->slack = fmax(1.0 - power_sum(pt), 1e-3);
  double mu = 0.0;
  for (size_t m = 0; m < pt->count; m++) mu += fabs(pt->linear[m]) * pt->t[m];
  mu = 0.1 * mu / (double)pt->count + 1e-8;
  for (size_t m = 0; m < pt->count; m++) pt->x[m] = mu / pt->t[m];
  pt->multiplier = mu / pt->slack;
}

static double barrier_level(const point *pt) {
  double sum = pt->slack * pt->multiplier;
  for (size_t m = 0; m < pt->count; m++) sum += pt->t[m] * pt->x[m];
  return sum / (double)(pt->count + 1);
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

/* (D + Z'Z + w nn') step = rhs with M unknowns; Z'Z is at hand. */
static int solve_direct(point *pt, double weight, double *rhs) {
  size_t n = pt->count;
  for (size_t i = 0; i < n; i++) {
    memcpy(pt->system + i * n, pt->hessian + i * n, (i + 1) * sizeof(double));
    pt->simd->axpy(i + 1, weight * pt->normal[i], pt->normal, pt->system + i * n);
    pt->system[i * n + i] += pt->diagonal[i];
  }
  if (mk_cholesky(pt->system, n, 0.0, 1) != MK_OK) return 0;
  mk_solve_lower(pt->system, n, rhs, 1);
  mk_solve_upper(pt->system, n, rhs, 1);
  return 1;
}

/* The same with rank + 1 unknowns (Woodbury), rows scaled by D^-1/2. */
static int solve_thin(point *pt, double weight, double *rhs) {
  size_t count = pt->count, n = pt->rank + 1;
  for (size_t m = 0; m < count; m++) {
    double root = 1.0 / sqrt(pt->diagonal[m]);
    for (size_t r = 0; r < pt->rank; r++) pt->thin[r * count + m] = pt->z[r * count + m] * root;
    pt->thin[pt->rank * count + m] = sqrt(weight) * pt->normal[m] * root;
    rhs[m] *= root;
  }
  for (size_t r = 0; r < n; r++) {
    const double *row = pt->thin + r * count;
    for (size_t k = 0; k <= r; k++)
      pt->system[r * n + k] = pt->simd->dot(count, row, pt->thin + k * count);
    pt->small[r] = pt->simd->dot(count, row, rhs);
  }
  if (mk_cholesky(pt->system, n, 1.0, 1) != MK_OK) return 0;
  mk_solve_lower(pt->system, n, pt->small, 1);
  mk_solve_upper(pt->system, n, pt->small, 1);
  for (size_t r = 0; r < n; r++) pt->simd->axpy(count, -pt->small[r], pt->thin + r * count, rhs);
  for (size_t m = 0; m < count; m++) rhs[m] /= sqrt(pt->diagonal[m]);
  return 1;
}

static int solve(point *pt, double weight, double *rhs) {
  return pt->hessian != NULL ? solve_direct(pt, weight, rhs) : solve_thin(pt, weight, rhs);
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

/* One step towards complementarity mu; 0 when the system is singular. */
static int advance(point *pt, double mu) {
  double weight = pt->multiplier / pt->slack;
  double infeasible = power_sum(pt) + pt->slack - 1.0;
  /* eliminate the slack and its multiplier */
  double pull = (mu - pt->multiplier * pt->slack) / pt->slack + weight * infeasible;
  for (size_t m = 0; m < pt->count; m++)
    pt->step[m] = -pt->residual[m] - pt->x[m] + mu / pt->t[m] - pull * pt->normal[m];
  if (!solve(pt, weight, pt->step)) return 0;
  double slope = 0.0, length = 1.0, dual_length = 1.0;
  for (size_t m = 0; m < pt->count; m++) {
    if (!isfinite(pt->step[m])) return 0;
    slope += pt->normal[m] * pt->step[m];
  }
  double slack_step = -infeasible - slope;
  double multiplier_step = (mu - pt->multiplier * slack_step) / pt->slack - pt->multiplier;
  length = to_boundary(length, pt->slack, slack_step / TO_BOUNDARY);
  dual_length = to_boundary(dual_length, pt->multiplier, multiplier_step / TO_BOUNDARY);
  for (size_t m = 0; m < pt->count; m++) {
    pt->other[m] = (mu - pt->x[m] * pt->step[m]) / pt->t[m] - pt->x[m];
    length = to_boundary(length, pt->t[m], pt->step[m] / TO_BOUNDARY);
    dual_length = to_boundary(dual_length, pt->x[m], pt->other[m] / TO_BOUNDARY);
  }
  for (size_t m = 0; m < pt->count; m++) {
    pt->t[m] += length * pt->step[m];
    pt->x[m] += dual_length * pt->other[m];
  }
  pt->slack += length * slack_step;
  pt->multiplier += dual_length * multiplier_step;
  return 1;
}

static mk_status minimise(point *pt) {
  for (int k = 0; k < MAX_STEPS; k++) {
    double worst = residuals(pt), mu = barrier_level(pt);
    if (mu < FINAL_MU && worst < 1e-9) return MK_OK;
    if (!advance(pt, fmax(CENTRING * mu, 0.1 * FINAL_MU)))
      return k > 10 ? MK_OK : MK_STALLED; /* as far as double precision goes */
  }
  return MK_OK;
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
