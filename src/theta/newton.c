/* Newton steps for theta by a primal-dual interior point method with Mehrotra's corrector. Called
 * by norm.c. MATHEMATICS.md, section 2.4. */
#include "newton.h"

#include "base/cholesky.h"
#include "base/mechanisms.h"
#include "base/memory.h"
#include "base/product.h"
#include "base/simd.h"
#include "theta/barrier.h"
#include "theta/lp.h"

#include <math.h>
#include <string.h>

/* length in multiples of the step to the model's minimum, where forms have fallen to a 16th */
#define LONGEST_STEP 4.0
#define LEAST_START_MU 1e-8   /* least product of a weight and its multiplier at the start */
#define NEGLIGIBLE_SHARE 0.01 /* share of a step, or of the mean weight, too small to matter */

/* The interior point: t > 0, multipliers x > 0, and the multiplier of the norm's constraint sum t^p
 * = 1, which is active. All values are scaled so that the objective is near 1. */
typedef struct point {
  size_t count, rank;
  double p, multiplier;
  double infeasible; /* sum t^p - 1 */
  double *t, *x;
  const double *centre;                                  /* theta */
  double *linear;                                        /* -s/2, scaled */
  double *damping;                                       /* weights of the damping term */
  const double *ball;                                    /* quadratic norm: E^-1; else NULL */
  double *z;                                             /* scaled, rank x count */
  double *zt;                                            /* rank: Z (t - theta) */
  double *residual, *diagonal, *normal, *other, *border; /* count each */
  double *step, *dual_step;                              /* of t and x */
  double *system;  /* small x small, small = min(count, rank) */
  double *hessian; /* Z'Z, where count is the smaller; else NULL */
  double *work;    /* work space of mk_product_add(), if the system is rank x rank */
  mk_team *team;
  const mk_simd *simd;
  double *small; /* rank + 1 */
  double *block; /* memory of the vectors above */
} point;

static mk_status point_new(point *pt, size_t count, size_t rank, const double *ball) {
  int whole = count <= rank || ball != NULL;
  size_t small = whole ? count : rank;
  memset(pt, 0, sizeof *pt);
  pt->count = count;
  pt->rank = rank;
  pt->simd = mk_simd_best();
  pt->ball = ball;
  size_t direct = whole ? count * count : 0, work = whole ? 0 : mk_product_work(rank);
  double *next =
      MK_NEW(double, 11 * count + count * rank + small * small + direct + work + 2 * rank);
  pt->block = next;
  if (next == NULL) return MK_NO_MEMORY;
  double **vector[] = {&pt->t,        &pt->x,         &pt->linear, &pt->residual,
                       &pt->diagonal, &pt->normal,    &pt->other,  &pt->border,
                       &pt->step,     &pt->dual_step, &pt->damping};
  for (int k = 0; k < 11; k++) *vector[k] = mk_take(&next, count);
  pt->z = mk_take(&next, count * rank);
  pt->zt = mk_take(&next, rank);
  pt->small = mk_take(&next, rank);
  pt->system = mk_take(&next, small * small);
  if (whole) pt->hessian = mk_take(&next, direct);
  pt->work = mk_take(&next, work);
  return MK_OK;
}

static void apply_z(const point *pt, const double *v, double *out) {
  for (size_t r = 0; r < pt->rank; r++) out[r] = pt->simd->dot(pt->count, pt->z + r * pt->count, v);
}

static void add_zt(const point *pt, const double *v, double *out) {
  for (size_t r = 0; r < pt->rank; r++) pt->simd->axpy(pt->count, v[r], pt->z + r * pt->count, out);
}

/* Returns the derivative of sum t^p, or of t'ball t. */
static double slope_of_norm(const point *pt, size_t m) {
  double p = pt->p, t = pt->t[m];
  if (pt->ball != NULL) return 2.0 * pt->simd->dot(pt->count, pt->ball + m * pt->count, pt->t);
  return p == 1.0 ? 1.0 : p == 2.0 ? 2.0 * t : p * pow(t, p - 1.0);
}

/* Computes residual, the gradient of the objective, and normal, the gradient of sum t^p. */
static void find_gradients(point *pt) {
  double p = pt->p, sum = 0.0;
  for (size_t m = 0; m < pt->count; m++) pt->other[m] = pt->t[m] - pt->centre[m];
  apply_z(pt, pt->other, pt->zt);
  for (size_t m = 0; m < pt->count; m++)
    pt->residual[m] = pt->linear[m] + pt->damping[m] * pt->other[m];
  add_zt(pt, pt->zt, pt->residual);
  for (size_t m = 0; m < pt->count; m++) {
    pt->normal[m] = slope_of_norm(pt, m);
    sum += pt->normal[m] * pt->t[m];
  }
  pt->infeasible = sum / p - 1.0;
}

/* Completes the gradient of the Lagrangian, and computes the diagonal of the Newton matrix. */
static double find_residuals(point *pt) {
  double worst = 0.0;
  find_gradients(pt);
  for (size_t m = 0; m < pt->count; m++) {
    double bend = pt->ball != NULL ? 0.0 : pt->multiplier * (pt->p - 1.0) * pt->normal[m];
    pt->diagonal[m] = (pt->x[m] + bend) / pt->t[m] + pt->damping[m];
    pt->residual[m] += pt->multiplier * pt->normal[m] - pt->x[m];
    worst = fmax(worst, fabs(pt->residual[m]));
  }
  return worst;
}

static double barrier_level(const point *pt) {
  return pt->simd->dot(pt->count, pt->t, pt->x) / (double)pt->count;
}

/* Chooses a start well inside the constraints, with multipliers that make the residual small. */
static void start_inside(point *pt, const double *theta) {
  double mean = exp(-log((double)pt->count) / pt->p), value = 0.0, mu;
  pt->centre = theta;
  for (size_t m = 0; m < pt->count; m++)
    pt->t[m] = (1.0 - MK_START_SHARE) * theta[m] + MK_START_SHARE * mean;
  find_gradients(pt);
  for (size_t m = 0; m < pt->count; m++) value -= pt->linear[m] * pt->t[m];
  pt->multiplier = value / pt->p;
  for (size_t m = 0; pt->p == 1.0 && m < pt->count; m++)
    pt->multiplier = fmax(pt->multiplier, -pt->residual[m]);
  mu = MK_START_SHARE * value / (double)pt->count + LEAST_START_MU;
  for (size_t m = 0; m < pt->count; m++)
    pt->x[m] = fmax(pt->residual[m] + pt->multiplier * pt->normal[m], 0.0) + mu / pt->t[m];
}

/* ---- the system ---- */

/* Computes Z'Z once for all steps. */
static void form_hessian(point *pt) {
  size_t n = pt->count;
  memset(pt->hessian, 0, n * n * sizeof(double));
  for (size_t r = 0; r < pt->rank; r++)
    for (size_t m = 0; m < n; m++)
      pt->simd->axpy(m + 1, pt->z[r * n + m], pt->z + r * n, pt->hessian + m * n);
}

/* Factors D + Z'Z, or I + Z D^-1 Z' if that is smaller (Woodbury). */
static mk_status factor_hessian(point *pt) {
  size_t count = pt->count;
  if (pt->hessian == NULL) {
    memset(pt->system, 0, pt->rank * pt->rank * sizeof(double));
    mk_product_add(pt->rank, count, pt->z, pt->diagonal, pt->work, pt->team, pt->system);
    return mk_cholesky(pt->system, pt->rank, 1.0, pt->team);
  }
  memcpy(pt->system, pt->hessian, count * count * sizeof(double));
  if (pt->ball != NULL) pt->simd->axpy(count * count, 2.0 * pt->multiplier, pt->ball, pt->system);
  for (size_t i = 0; i < count; i++) pt->system[i * count + i] += pt->diagonal[i];
  return mk_cholesky(pt->system, count, 0.0, pt->team);
}

/* Computes v := (D + Z'Z)^-1 v. */
static void solve_hessian(point *pt, double *v) {
  size_t count = pt->count, n = pt->rank;
  if (pt->hessian != NULL) {
    mk_solve_lower(pt->system, count, v);
    mk_solve_upper(pt->system, count, v);
    return;
  }
  for (size_t m = 0; m < count; m++) pt->other[m] = v[m] / pt->diagonal[m];
  apply_z(pt, pt->other, pt->small);
  mk_solve_lower(pt->system, n, pt->small);
  mk_solve_upper(pt->system, n, pt->small);
  for (size_t r = 0; r < n; r++) pt->small[r] = -pt->small[r];
  add_zt(pt, pt->small, v);
  for (size_t m = 0; m < count; m++) v[m] /= pt->diagonal[m];
}

/* ---- steps ---- */

/* Computes the Newton step towards complementarity mu in step and dual_step, which hold the
 * predictor if `corrects`. Returns the change of the norm's multiplier. */
static double find_step(point *pt, double mu, int corrects) {
  size_t count = pt->count;
  double *target = pt->dual_step; /* holds the targets of the products t x first */
  for (size_t m = 0; m < count; m++) {
    target[m] = mu - (corrects ? pt->step[m] * pt->dual_step[m] : 0.0);
    pt->step[m] = target[m] / pt->t[m] - pt->residual[m] - pt->x[m];
  }
  solve_hessian(pt, pt->step);
  double change = (pt->simd->dot(count, pt->normal, pt->step) + pt->infeasible) /
                  pt->simd->dot(count, pt->normal, pt->border);
  pt->simd->axpy(count, -change, pt->border, pt->step);
  for (size_t m = 0; m < count; m++)
    pt->dual_step[m] = (target[m] - pt->x[m] * pt->step[m]) / pt->t[m] - pt->x[m];
  return change;
}

/* Returns the largest possible length of the step, at most 1. */
static double length_of(const point *pt, double change, double share) {
  double length = mk_to_boundary(1.0 / share, 1, &pt->multiplier, &change);
  length = mk_to_boundary(length, pt->count, pt->t, pt->step);
  return share * mk_to_boundary(length, pt->count, pt->x, pt->dual_step);
}

/* Takes a step with Mehrotra's predictor and corrector. */
static mk_status make_step(point *pt, double mu) {
  size_t count = pt->count;
  double predicted = 0.0;
  MK_TRY(factor_hessian(pt));
  memcpy(pt->border, pt->normal, count * sizeof(double));
  solve_hessian(pt, pt->border);
  double change = find_step(pt, 0.0, 0), length = length_of(pt, change, 1.0);
  for (size_t m = 0; m < count; m++)
    predicted += (pt->t[m] + length * pt->step[m]) * (pt->x[m] + length * pt->dual_step[m]);
  double share = predicted / ((double)count * mu);
  change = find_step(pt, fmax(share * share * share * mu, MK_AIMED_SHARE * MK_FINAL_MU), 1);
  length = length_of(pt, change, MK_TO_BOUNDARY);
  if (!isfinite(change) || !isfinite(length)) return MK_STALLED;
  pt->simd->axpy(count, length, pt->step, pt->t);
  pt->simd->axpy(count, length, pt->dual_step, pt->x);
  pt->multiplier += length * change;
  return MK_OK;
}

/* Minimises the model. MK_STALLED: the last point is not complementary and stationary. */
static mk_status minimise_model(point *pt) {
  double worst = INFINITY, mu = INFINITY;
  for (int k = 0; k < MK_INTERIOR_MAX_STEPS; k++) {
    double last = worst;
    worst = find_residuals(pt);
    mu = barrier_level(pt);
    if (worst < MK_STATIONARY && mu < MK_FINAL_MU) return MK_OK;
    /* only rounding is left */
    if (mu < MK_ROUNDED_GAP && worst < MK_ROUNDED_RESIDUAL && worst > last) return MK_OK;
    if (make_step(pt, mu) != MK_OK) break;
  }
  return mu < MK_ROUNDED_GAP && worst < MK_USABLE_RESIDUAL ? MK_OK : MK_STALLED;
}

/* Sets the damping. Kernels without weight are damped as if they had a share of the mean weight. */
static void set_damping(point *pt, const mk_theta_model *model, double size) {
  double mean = 0.0;
  for (size_t m = 0; m < pt->count; m++) mean += model->theta[m] / (double)pt->count;
  for (size_t m = 0; m < pt->count; m++)
    pt->damping[m] = model->damping * fmax(-2.0 * pt->linear[m], 0.0) /
                     fmax(model->theta[m], NEGLIGIBLE_SHARE * mean);
  for (size_t m = 0; model->bend != NULL && m < pt->count; m++)
    pt->damping[m] += model->bend[m] / size;
}

/* ---- the promise ---- */

/* Returns the derivative of the objective by the length of the step, over the weights that rise, if
 * each form falls like the inverse square of its kernel's weight. */
static double slope_beyond(point *pt, const double *bend, double length) {
  double sum = 0.0;
  for (size_t m = 0; m < pt->count; m++) pt->t[m] = pt->centre[m] + length * pt->other[m];
  for (size_t m = 0; m < pt->count; m++) {
    double way = pt->other[m], half_form = -pt->linear[m];
    if (!(way > 0.0 && bend[m] > 0.0 && half_form > 0.0)) continue;
    double ratio = 1.0 + 0.5 * length * bend[m] / half_form;
    sum += way * (pt->multiplier * slope_of_norm(pt, m) - half_form / (ratio * ratio));
  }
  return sum;
}

/* Returns the best length of the step. A kernel that is alone in a direction of the mixture has a
 * form like 1/(theta + b)^2, as in the secular equation of trust regions (More and Sorensen 1983).
 * In the model the form falls linearly, so steps to a larger weight are too short. `bend` holds
 * derivatives of the halved forms along the step. */
static double length_beyond(point *pt, const double *bend) {
  double length = 1.0, more = 0.5 * (LONGEST_STEP - 1.0);
  for (; MK_WITH_LONG_STEPS && more > NEGLIGIBLE_SHARE; more *= 0.5)
    if (slope_beyond(pt, bend, length + more) < 0.0) length += more;
  return length;
}

/* Returns the fall and the length of the step to `next`. Damped steps are not lengthened, since the
 * model was poor before them. */
static mk_promise promise_of(point *pt, const double *next, int damped) {
  mk_promise promise = {.fall = 0.0};
  for (size_t m = 0; m < pt->count; m++) {
    double way = pt->other[m] = next[m] - pt->centre[m];
    promise.fall -= (pt->linear[m] + 0.5 * pt->damping[m] * way) * way;
    pt->step[m] = pt->damping[m] * way;
  }
  apply_z(pt, pt->other, pt->zt);
  add_zt(pt, pt->zt, pt->step);
  promise.fall -= 0.5 * pt->simd->dot(pt->rank, pt->zt, pt->zt);
  promise.length = damped ? 1.0 : length_beyond(pt, pt->step);
  return promise;
}

mk_status mk_theta_newton(const mk_theta_model *model, double *next, mk_promise *promise) {
  point pt;
  size_t count = model->count;
  double size = 0.0;
  for (size_t m = 0; m < count; m++) size = fmax(size, model->s[m]);
  if (!(size > 0.0) || !isfinite(size)) return MK_STALLED;
  mk_status status = point_new(&pt, count, model->rank, model->ball);
  if (status == MK_OK) {
    pt.p = model->p;
    pt.team = model->team;
    for (size_t m = 0; m < count; m++) pt.linear[m] = -0.5 * model->s[m] / size;
    for (size_t k = 0; k < count * model->rank; k++) pt.z[k] = model->z[k] / sqrt(size);
    set_damping(&pt, model, size);
    if (pt.hessian != NULL) form_hessian(&pt);
    start_inside(&pt, model->theta);
    status = minimise_model(&pt);
    for (size_t m = 0; m < count; m++) next[m] = pt.t[m];
    if (model->ball == NULL) mk_lp_normalize(count, model->p, next);
    *promise = promise_of(&pt, next, model->damping > 0.0);
    promise->fall *= size;
  }
  mk_free(pt.block);
  return status;
}
