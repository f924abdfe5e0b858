/* Solves the conditions of optimality. With slacks y = level - linear + Z t > 0 of the cuts and
 * their multipliers lambda > 0, multipliers x > 0 of t >= 0 and nu of the norm, and g = t^(p-1),
 * these are
 *   [t - centre] - Z'lambda + nu g - x = 0,   sum lambda = 1 if the level is free,
 *   x t = mu, y lambda = mu, (sum t^p - 1)/p = 0.
 * Newton steps go towards mu -> 0 with Mehrotra's predictor and corrector. Eliminating all but
 * lambda leaves y/lambda + Z~ D^-1 Z~', where Z~ is Z without its part along g (in the metric
 * D^-1); removing that part first keeps the system well posed at vertices of the simplex. Called by
 * cuts.c. MATHEMATICS.md, section 3.2. */
#include "master.h"

#include "base/cholesky.h"
#include "base/memory.h"
#include "base/product.h"
#include "base/simd.h"
#include "base/sum.h"
#include "theta/barrier.h"
#include "theta/lp.h"

#include <math.h>
#include <string.h>

#define LEAST_SCALE 1e-6 /* least scale of the weights' multipliers, beside 1 */
#define LEAST_SLACK 1e-3 /* least slack of a constraint where the steps begin */

typedef struct point {
  size_t n, cuts;
  double p, size; /* all values are divided by size */
  double level, nu;
  int free;                                                  /* 1 if the level is free */
  double *t, *x, *g, *d, *q, *dt, *dx, *centre;              /* n each */
  double *y, *lambda, *linear, *rhs, *dy, *dl, *u, *h, *off; /* one for each cut */
  double *z, *projected;                                     /* cuts x n: Z, Z~ */
  double *system, *work;
  double along;         /* g'D^-1 g */
  double norm, missing; /* (sum t^p - 1)/p; 1 - sum lambda */
  const mk_simd *simd;
  mk_team *team;
  void *block;
} point;

static mk_status point_new(point *pt, const mk_master *master) {
  size_t n = master->count, cuts = master->cuts;
  memset(pt, 0, sizeof *pt);
  double *next =
      MK_NEW0(double, 8 * n + 9 * cuts + 2 * cuts * n + cuts * cuts + mk_product_work(cuts));
  pt->block = next;
  if (next == NULL) return MK_NO_MEMORY;
  double **of_weights[] = {&pt->t, &pt->x, &pt->g, &pt->d, &pt->q, &pt->dt, &pt->dx, &pt->centre};
  double **of_cuts[] = {&pt->y,  &pt->lambda, &pt->linear, &pt->rhs, &pt->dy,
                        &pt->dl, &pt->u,      &pt->h,      &pt->off};
  for (int k = 0; k < 8; k++) *of_weights[k] = mk_take(&next, n);
  for (int k = 0; k < 9; k++) *of_cuts[k] = mk_take(&next, cuts);
  pt->z = mk_take(&next, cuts * n);
  pt->projected = mk_take(&next, cuts * n);
  pt->system = mk_take(&next, cuts * cuts);
  pt->work = mk_take(&next, mk_product_work(cuts));
  pt->n = n;
  pt->cuts = cuts;
  pt->p = master->p;
  pt->free = master->centre == NULL;
  pt->simd = mk_simd_best();
  pt->team = master->team;
  return MK_OK;
}

/* Computes g and the violation of the norm's constraint. */
static void measure_norm(point *pt) {
  double sum = 0.0;
  for (size_t m = 0; m < pt->n; m++) {
    pt->g[m] = pt->p == 1.0 ? 1.0 : pow(pt->t[m], pt->p - 1.0);
    sum += pt->g[m] * pt->t[m];
  }
  pt->norm = (sum - 1.0) / pt->p;
}

/* Computes out = Z'v. */
static void combine_cuts(const point *pt, const double *v, double *out) {
  memset(out, 0, pt->n * sizeof *out);
  for (size_t j = 0; j < pt->cuts; j++) pt->simd->axpy(pt->n, v[j], pt->z + j * pt->n, out);
}

static double pull_of_centre(const point *pt, size_t m) {
  return pt->free ? 0.0 : pt->t[m] - pt->centre[m];
}

/* Chooses a start inside the constraints, with multipliers that make the first residual small. */
static void start_inside(point *pt, const mk_master *master, const double *t) {
  double even = exp(-log((double)pt->n) / pt->p), worst = -INFINITY, value = 0.0, mean = 0.0;
  for (size_t j = 0; j < pt->cuts; j++)
    for (size_t m = 0; m < pt->n; m++) pt->size = fmax(pt->size, master->slope[j][m]);
  for (size_t m = 0; m < pt->n; m++) {
    pt->t[m] = (1.0 - MK_START_SHARE) * t[m] + MK_START_SHARE * even;
    if (!pt->free) pt->centre[m] = master->centre[m];
  }
  for (size_t j = 0; j < pt->cuts; j++) {
    for (size_t m = 0; m < pt->n; m++) pt->z[j * pt->n + m] = master->slope[j][m] / pt->size;
    pt->linear[j] = master->linear[j] / pt->size;
    pt->lambda[j] = (pt->free ? 1.0 : MK_START_SHARE) / (double)pt->cuts;
    pt->y[j] = pt->simd->dot(pt->n, pt->z + j * pt->n, pt->t) - pt->linear[j];
    worst = fmax(worst, -pt->y[j]);
  }
  pt->level = pt->free ? worst + LEAST_SLACK : master->level / pt->size;
  for (size_t j = 0; j < pt->cuts; j++) {
    pt->y[j] = fmax(pt->y[j] + pt->level, LEAST_SLACK);
    mean += pt->y[j] * pt->lambda[j] / (double)pt->cuts;
  }
  measure_norm(pt);
  combine_cuts(pt, pt->lambda, pt->q);
  for (size_t m = 0; m < pt->n; m++) {
    pt->q[m] -= pull_of_centre(pt, m);
    value += pt->q[m] * pt->t[m];
  }
  pt->nu = fmax(value, LEAST_SLACK * MK_START_SHARE);
  for (size_t m = 0; pt->p == 1.0 && m < pt->n; m++) pt->nu = fmax(pt->nu, pt->q[m]);
  for (size_t m = 0; m < pt->n; m++)
    pt->x[m] = fmax(pt->nu * pt->g[m] - pt->q[m], 0.0) + mean / pt->t[m];
}

/* ---- a step ---- */

/* Computes q (minus the first residual, less x), d (the diagonal) and off (minus the cuts'
 * residuals, less y). Returns the largest residual. */
static double find_residuals(point *pt) {
  double worst = 0.0, sum = 0.0;
  measure_norm(pt);
  combine_cuts(pt, pt->lambda, pt->q);
  for (size_t m = 0; m < pt->n; m++) {
    double bend = pt->p == 1.0 ? 0.0 : fmax(pt->nu, 0.0) * (pt->p - 1.0) * pt->g[m];
    double residual = pull_of_centre(pt, m) - pt->q[m] + pt->nu * pt->g[m] - pt->x[m];
    pt->d[m] = (pt->x[m] + bend) / pt->t[m] + (pt->free ? 0.0 : 1.0);
    pt->q[m] = -residual - pt->x[m];
    worst = fmax(worst, fabs(residual));
  }
  for (size_t j = 0; j < pt->cuts; j++) {
    double have = pt->level - pt->linear[j] + pt->simd->dot(pt->n, pt->z + j * pt->n, pt->t);
    pt->off[j] = -have;
    worst = fmax(worst, fabs(have - pt->y[j]));
    sum += pt->lambda[j];
  }
  pt->missing = pt->free ? 1.0 - sum : 0.0;
  return fmax(worst, fmax(fabs(pt->norm), fabs(pt->missing)));
}

static mk_status factor_system(point *pt) {
  pt->along = 0.0;
  for (size_t m = 0; m < pt->n; m++) {
    pt->dt[m] = pt->g[m] / pt->d[m];
    pt->along += pt->g[m] * pt->dt[m];
  }
  memcpy(pt->projected, pt->z, pt->cuts * pt->n * sizeof(double));
  for (size_t j = 0; j < pt->cuts; j++) {
    pt->u[j] = pt->simd->dot(pt->n, pt->z + j * pt->n, pt->dt);
    pt->simd->axpy(pt->n, -pt->u[j] / pt->along, pt->g, pt->projected + j * pt->n);
  }
  memset(pt->system, 0, pt->cuts * pt->cuts * sizeof(double));
  mk_product_add(pt->cuts, pt->n, pt->projected, pt->d, pt->work, pt->team, pt->system);
  for (size_t j = 0; j < pt->cuts; j++) {
    double *own = &pt->system[j * pt->cuts + j];
    *own = *own * (1.0 + MK_VALUE_ROUNDING) + pt->y[j] / pt->lambda[j];
    pt->h[j] = 1.0;
  }
  MK_TRY(mk_cholesky(pt->system, pt->cuts, 0.0, pt->team));
  mk_solve_lower(pt->system, pt->cuts, pt->h);
  mk_solve_upper(pt->system, pt->cuts, pt->h);
  return MK_OK;
}

typedef struct change {
  double level, nu;
} change;

/* Computes the step towards products mu in dt, dx, dy and dl, which hold the predictor if
 * `corrects`. */
static change find_step(point *pt, double mu, int corrects) {
  size_t n = pt->n, cuts = pt->cuts;
  change by = {0.0, 0.0};
  double above = 0.0, below = 0.0;
  for (size_t m = 0; m < n; m++) {
    pt->dx[m] = mu - (corrects ? pt->dt[m] * pt->dx[m] : 0.0);
    pt->dt[m] = (pt->q[m] + pt->dx[m] / pt->t[m]) / pt->d[m];
  }
  for (size_t j = 0; j < cuts; j++) {
    pt->dy[j] = mu - (corrects ? pt->dl[j] * pt->dy[j] : 0.0);
    pt->dl[j] = pt->off[j] + pt->dy[j] / pt->lambda[j] + pt->u[j] * pt->norm / pt->along -
                pt->simd->dot(n, pt->projected + j * n, pt->dt);
  }
  mk_solve_lower(pt->system, cuts, pt->dl);
  mk_solve_upper(pt->system, cuts, pt->dl);
  for (size_t j = 0; pt->free && j < cuts; j++) {
    above += pt->dl[j];
    below += pt->h[j];
  }
  if (pt->free) by.level = (above - pt->missing) / below;
  pt->simd->axpy(cuts, -by.level, pt->h, pt->dl);
  for (size_t m = 0; m < n; m++) pt->dt[m] *= pt->d[m];
  for (size_t j = 0; j < cuts; j++) pt->simd->axpy(n, pt->dl[j], pt->z + j * n, pt->dt);
  for (size_t m = 0; m < n; m++) by.nu += pt->g[m] * pt->dt[m] / pt->d[m];
  by.nu = (by.nu + pt->norm) / pt->along;
  for (size_t m = 0; m < n; m++) {
    pt->dt[m] = (pt->dt[m] - by.nu * pt->g[m]) / pt->d[m];
    pt->dx[m] = (pt->dx[m] - pt->x[m] * pt->dt[m]) / pt->t[m] - pt->x[m];
  }
  for (size_t j = 0; j < cuts; j++)
    pt->dy[j] = (pt->dy[j] - pt->y[j] * pt->dl[j]) / pt->lambda[j] - pt->y[j];
  return by;
}

/* Returns the largest possible length of the step, at most 1. */
static double length_of(const point *pt, double share) {
  double length = 1.0 / share;
  length = mk_to_boundary(length, pt->n, pt->t, pt->dt);
  length = mk_to_boundary(length, pt->n, pt->x, pt->dx);
  length = mk_to_boundary(length, pt->cuts, pt->y, pt->dy);
  return share * mk_to_boundary(length, pt->cuts, pt->lambda, pt->dl);
}

/* Returns the mean product after a step of this length. */
static double mean_product(const point *pt, double length) {
  double sum = 0.0;
  for (size_t m = 0; m < pt->n; m++)
    sum += (pt->t[m] + length * pt->dt[m]) * (pt->x[m] + length * pt->dx[m]);
  for (size_t j = 0; j < pt->cuts; j++)
    sum += (pt->y[j] + length * pt->dy[j]) * (pt->lambda[j] + length * pt->dl[j]);
  return sum / (double)(pt->n + pt->cuts);
}

/* Returns the scale of the weights' multipliers. */
static double scale_of(const point *pt) {
  return fmin(1.0, fmax(pt->nu, LEAST_SCALE));
}

static mk_status make_step(point *pt, double mu) {
  MK_TRY(factor_system(pt));
  find_step(pt, 0.0, 0);
  double share = mean_product(pt, length_of(pt, 1.0)) / mu;
  double least = MK_AIMED_SHARE * MK_FINAL_MU * scale_of(pt);
  change by = find_step(pt, fmax(share * share * share * mu, least), 1);
  double length = length_of(pt, MK_TO_BOUNDARY);
  if (!isfinite(by.level) || !isfinite(by.nu) || !isfinite(length)) return MK_STALLED;
  pt->simd->axpy(pt->n, length, pt->dt, pt->t);
  pt->simd->axpy(pt->n, length, pt->dx, pt->x);
  pt->simd->axpy(pt->cuts, length, pt->dy, pt->y);
  pt->simd->axpy(pt->cuts, length, pt->dl, pt->lambda);
  pt->level += length * by.level;
  pt->nu += length * by.nu;
  return MK_OK;
}

static mk_status solve_conditions(point *pt) {
  double worst = INFINITY, mu = INFINITY;
  for (int k = 0; k < MK_INTERIOR_MAX_STEPS; k++) {
    double last = worst;
    worst = find_residuals(pt);
    mu = mean_product(pt, 0.0) / scale_of(pt); /* relative to the weights' multipliers */
    if (worst < MK_AIMED_SHARE * MK_STATIONARY && mu < MK_FINAL_MU) return MK_OK;
    /* Only rounding is left, and grows as mu falls. */
    if (mu < MK_ROUNDED_GAP && worst < MK_USABLE_RESIDUAL && worst >= last) return MK_OK;
    if (make_step(pt, mu * scale_of(pt)) != MK_OK) break;
  }
  return mu < MK_ROUNDED_GAP && worst < MK_USABLE_RESIDUAL ? MK_OK : MK_STALLED;
}

mk_status mk_master_solve(mk_master *master, double *t) {
  point pt;
  mk_status status = point_new(&pt, master);
  if (status == MK_OK) {
    start_inside(&pt, master, t);
    status = pt.size > 0.0 && isfinite(pt.size) ? solve_conditions(&pt) : MK_STALLED;
  }
  if (status == MK_OK) {
    memcpy(t, pt.t, pt.n * sizeof *t);
    mk_lp_normalize(pt.n, pt.p, t);
    memcpy(master->multiplier, pt.lambda, pt.cuts * sizeof(double));
    if (pt.free) master->level = pt.level * pt.size;
  }
  mk_free(pt.block);
  return status;
}
