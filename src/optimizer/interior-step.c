/* The Newton system of the interior point, its factor and its steps. Called by interior.c.
 * MATHEMATICS.md, section 3.2. */
#include "interior-step.h"

#include "optimizer/interior-system.h"
#include "theta/barrier.h"
#include "theta/norm.h"

#include <math.h>
#include <string.h>

#define SHORT_STEP 0.1 /* step length below which a step towards the centre is taken instead */
#define LEAST_CENTRING_SHARE 1e-6 /* least share of the complementarity that a step aims at */
#define LARGE_MOVE 10.0           /* a large move of an alpha, in multiples of it */

/* Returns the mean complementary product. */
double mk_interior_complementarity(const mk_interior_point *in) {
  double sum = 0.0;
  for (size_t k = 0; k < in->size; k++)
    sum += in->below[k] * (in->a[k] - in->lower[k]) + in->above[k] * (in->upper[k] - in->a[k]);
  for (size_t m = 0; in->moves_theta && m < in->kernels; m++) sum += in->x[m] * in->t[m];
  return sum / (2.0 * (double)in->size + (in->moves_theta ? (double)in->kernels : 0.0));
}

/* ---- one Newton system ---- */

/* Converts responses, forms and curvature to the coordinates. */
static void fold_to_coordinates(mk_interior_point *in) {
  for (size_t m = 0; m < in->kernels; m++) {
    in->d[m] += in->bend[m] * in->fit->s[m];
    in->fit->s[m] *= in->slope[m];
  }
  for (size_t k = 0; k < in->size; k++)
    for (size_t m = 0; m < in->kernels; m++) in->u[k * in->kernels + m] *= in->slope[m];
}

/* Computes v = t^(p-1) and d = lambda (p-1) t^(p-2) + x/t. */
static void theta_curvature(mk_interior_point *in) {
  double p = in->fit->problem->norm.p, sum = 0.0;
  for (size_t m = 0; m < in->kernels; m++) {
    double t = in->t[m];
    in->v[m] = p == 1.0 ? 1.0 : pow(t, p - 1.0);
    in->d[m] = in->x[m] / in->t[m] + (p == 1.0 ? 0.0 : in->lambda * (p - 1.0) * pow(t, p - 2.0));
    sum += in->v[m] * t;
  }
  in->infeasible = (sum - 1.0) / p;
  if (in->slope != NULL) fold_to_coordinates(in);
}

void mk_interior_unfold(mk_interior_point *in) {
  mk_fit_state *fit = in->fit;
  if (in->slope != NULL)
    mk_norm_unfold(&fit->problem->norm, in->kernels, in->t, fit->theta, in->slope, in->bend);
}

void mk_interior_unsplit(mk_interior_point *in) {
  for (size_t k = 0; k < in->size; k++) *mk_interior_alpha(in, k) = 0.0;
  for (size_t k = 0; k < in->size; k++) *mk_interior_alpha(in, k) += in->side[k] * in->a[k];
}

mk_status mk_interior_evaluate(mk_interior_point *in) {
  mk_fit_state *fit = in->fit;
  mk_interior_unsplit(in);
  mk_interior_unfold(in);
  MK_TRY(mk_fit_refresh(fit));
  if (!in->moves_theta) return MK_OK;
  memset(fit->s, 0, in->kernels * sizeof(double));
  for (size_t t = 0; t < in->tasks; t++) {
    size_t from = in->from[t], count = in->from[t + 1] - from;
    double *u = in->u + from * in->kernels;
    MK_TRY(mk_gram_member_responses(fit->gram, fit->alpha[t], in->position + from, count, u));
    for (size_t k = 0; k < count; k++) {
      double *own = u + k * in->kernels;
      for (size_t m = 0; m < in->kernels && in->side[from + k] < 0.0; m++) own[m] = -own[m];
      in->simd->axpy(in->kernels, in->a[from + k], own, fit->s);
    }
  }
  theta_curvature(in);
  return MK_OK;
}

/* Returns 1 if there is an offset; without one its columns of the border are 0, and it stays 0. */
static int has_offset(const mk_interior_point *in) {
  return !in->fit->problem->loss.no_offset;
}

/* Computes the factor, the borders G = [-U D^-1 v, task indicators] and A^-1 G. */
static mk_status factor_borders(mk_interior_point *in) {
  size_t n = in->size;
  MK_TRY(mk_interior_factor(in));
  memset(in->g, 0, n * in->borders * sizeof(double));
  for (size_t k = 0; in->moves_theta && k < n; k++)
    for (size_t m = 0; m < in->kernels; m++)
      in->g[k] -= in->u[k * in->kernels + m] * in->v[m] / in->d[m];
  for (size_t k = 0; k < n && has_offset(in); k++)
    in->g[(size_t)(in->task[k] + 1) * n + k] = in->side[k];
  for (size_t j = 0; j < in->borders; j++) mk_interior_solve(in, in->g + j * n, in->border + j * n);
  return MK_OK;
}

/* Solves by Gaussian elimination with pivoting; the unknown of a zero pivot is 0. */
static void solve_small(double *a, double *rhs, size_t n) {
  for (size_t c = 0; c < n; c++) {
    size_t best = c;
    for (size_t r = c + 1; r < n; r++)
      if (fabs(a[r * n + c]) > fabs(a[best * n + c])) best = r;
    for (size_t k = 0; k < n && best != c; k++) {
      double swap = a[c * n + k];
      a[c * n + k] = a[best * n + k];
      a[best * n + k] = swap;
    }
    double swap = rhs[c];
    rhs[c] = rhs[best];
    rhs[best] = swap;
    if (a[c * n + c] == 0.0) continue;
    for (size_t r = c + 1; r < n; r++) {
      double factor = a[r * n + c] / a[c * n + c];
      for (size_t k = c; k < n; k++) a[r * n + k] -= factor * a[c * n + k];
      rhs[r] -= factor * rhs[c];
    }
  }
  for (size_t c = n; c-- > 0;) {
    for (size_t k = c + 1; k < n; k++) rhs[c] -= a[c * n + k] * rhs[k];
    rhs[c] = a[c * n + c] == 0.0 ? 0.0 : rhs[c] / a[c * n + c];
  }
}

/* Computes right-hand sides for complementarity mu, less the corrections; returns the residual of
 * the norm. r2 must hold s/2 - lambda v + x. */
static void right_hand_sides(mk_interior_point *in, double mu) {
  for (size_t k = 0; k < in->size; k++) {
    double down = in->a[k] - in->lower[k], up = in->upper[k] - in->a[k];
    /* the multipliers of the residual and of the eliminated steps cancel */
    in->r1[k] = mk_interior_slope(in, k) + (mu - in->ca[k]) / down - (mu - in->cb[k]) / up;
  }
  for (size_t m = 0; in->moves_theta && m < in->kernels; m++)
    in->r2[m] = 0.5 * in->fit->s[m] - in->lambda * in->v[m] + (mu - in->cx[m]) / in->t[m];
}

/* Computes the step da, dt, w = (d lambda, d b) for the present right-hand sides, which it
 * overwrites. */
static void solve_step(mk_interior_point *in) {
  size_t n = in->size, borders = in->borders;
  double norm_rhs = 0.0, norm_square = 1.0; /* p = infinity: a dummy lambda */
  if (in->moves_theta) {
    norm_square = 0.0;
    norm_rhs = -in->infeasible;
    for (size_t m = 0; m < in->kernels; m++) {
      in->dt[m] = in->r2[m] / in->d[m];
      norm_rhs -= in->v[m] * in->dt[m];
      norm_square += in->v[m] * in->v[m] / in->d[m];
    }
    for (size_t k = 0; k < n; k++)
      in->r1[k] -= in->simd->dot(in->kernels, in->u + k * in->kernels, in->dt);
  }
  mk_interior_solve(in, in->r1, in->da);
  for (size_t j = 0; j < borders; j++) {
    for (size_t l = 0; l < borders; l++)
      in->small[j * borders + l] = in->simd->dot(n, in->g + j * n, in->border + l * n);
    in->w[j] = in->simd->dot(n, in->g + j * n, in->da);
  }
  in->small[0] -= norm_square;
  in->w[0] += norm_rhs;
  for (size_t k = 0; k < n && has_offset(in); k++) in->w[in->task[k] + 1] += in->side[k] * in->a[k];
  solve_small(in->small, in->w, borders);
  for (size_t j = 0; j < borders; j++) in->simd->axpy(n, -in->w[j], in->border + j * n, in->da);
  if (!in->moves_theta) return;
  memset(in->dt, 0, in->kernels * sizeof(double));
  for (size_t k = 0; k < n; k++)
    in->simd->axpy(in->kernels, in->da[k], in->u + k * in->kernels, in->dt);
  for (size_t m = 0; m < in->kernels; m++)
    in->dt[m] = (in->dt[m] - in->v[m] * in->w[0] + in->r2[m]) / in->d[m];
}

/* Removes from the residuals what a step of b alone would, by least squares with the weights of
 * Delta. */
void mk_interior_level(mk_interior_point *in) {
  for (size_t t = 0; in->columns != NULL && has_offset(in) && t < in->tasks; t++) {
    double sum = 0.0, weight = 0.0;
    for (size_t k = in->from[t]; k < in->from[t + 1]; k++) {
      double residual = mk_interior_slope(in, k) - in->above[k] + in->below[k];
      double bend = mk_interior_bend(in, k);
      sum += in->side[k] * residual / bend;
      weight += 1.0 / bend;
    }
    in->b[t] += sum / weight;
  }
}

/* Computes the steps of the eliminated multipliers for complementarity mu. */
static void multiplier_steps(mk_interior_point *in, double mu) {
  for (size_t k = 0; k < in->size; k++) {
    double down = in->a[k] - in->lower[k], up = in->upper[k] - in->a[k];
    in->dbelow[k] = (mu - in->ca[k] - in->below[k] * in->da[k]) / down - in->below[k];
    in->dabove[k] = (mu - in->cb[k] + in->above[k] * in->da[k]) / up - in->above[k];
  }
  for (size_t m = 0; in->moves_theta && m < in->kernels; m++)
    in->dx[m] = (mu - in->cx[m] - in->x[m] * in->dt[m]) / in->t[m] - in->x[m];
}

/* Returns the longest common step that keeps everything non-negative. */
static double longest_step(const mk_interior_point *in) {
  double step = 1.0;
  for (size_t k = 0; k < in->size; k++) {
    double down = in->a[k] - in->lower[k], up = in->upper[k] - in->a[k], fall = -in->da[k];
    step = mk_to_boundary(step, 1, &down, &in->da[k]);
    step = mk_to_boundary(step, 1, &up, &fall);
  }
  step = mk_to_boundary(step, in->size, in->below, in->dbelow);
  step = mk_to_boundary(step, in->size, in->above, in->dabove);
  if (!in->moves_theta) return step;
  step = mk_to_boundary(step, in->kernels, in->t, in->dt);
  return mk_to_boundary(step, in->kernels, in->x, in->dx);
}

static void take_step(mk_interior_point *in, double step) {
  in->simd->axpy(in->size, step, in->da, in->a);
  in->simd->axpy(in->size, step, in->dbelow, in->below);
  in->simd->axpy(in->size, step, in->dabove, in->above);
  in->simd->axpy(in->tasks, step, in->w + 1, in->b);
  if (!in->moves_theta) return;
  in->simd->axpy(in->kernels, step, in->dt, in->t);
  in->simd->axpy(in->kernels, step, in->dx, in->x);
  in->lambda += step * in->w[0];
}

/* Computes the complementarity after a full affine step, and Mehrotra's corrections. */
static double predict_and_correct(mk_interior_point *in) {
  double step = longest_step(in), before = mk_interior_complementarity(in);
  take_step(in, step);
  double after = mk_interior_complementarity(in);
  take_step(in, -step);
  for (size_t k = 0; k < in->size; k++) {
    in->ca[k] = in->da[k] * in->dbelow[k];
    in->cb[k] = -in->da[k] * in->dabove[k];
  }
  for (size_t m = 0; in->moves_theta && m < in->kernels; m++) in->cx[m] = in->dt[m] * in->dx[m];
  double share = before > 0.0 ? after / before : 0.0;
  return before * fmin(1.0, fmax(LEAST_CENTRING_SHARE, share * share * share));
}

static void clear_corrections(mk_interior_point *in) {
  memset(in->ca, 0, in->size * sizeof(double));
  memset(in->cb, 0, in->size * sizeof(double));
  memset(in->cx, 0, in->kernels * sizeof(double));
}

/* Sums each alpha's residual times a large move of it. Weights sum to about 1, so only their
 * largest residual counts. */
double mk_interior_residual_cost(const mk_interior_point *in) {
  double cost = 0.0;
  for (size_t k = 0; k < in->size; k++) {
    double residual = in->above[k] - in->below[k] - mk_interior_slope(in, k);
    cost += fabs(residual) * fmin(in->upper[k] - in->lower[k], LARGE_MOVE * fabs(in->a[k]));
  }
  double worst = 0.0;
  for (size_t m = 0; in->moves_theta && m < in->kernels; m++)
    worst = fmax(worst, 0.5 * in->fit->s[m] - in->lambda * in->v[m] + in->x[m]);
  return cost + worst;
}

static void find_step(mk_interior_point *in, double mu) {
  right_hand_sides(in, mu);
  solve_step(in);
  multiplier_steps(in, mu);
}

mk_status mk_interior_step(mk_interior_point *in) {
  double mu = mk_interior_complementarity(in);
  double products = 2.0 * (double)in->size + (double)in->kernels;
  MK_TRY(factor_borders(in));
  clear_corrections(in);
  find_step(in, 0.0);
  double target = predict_and_correct(in);
  /* complementarity must not run ahead of stationarity, or steps become tiny */
  target = fmax(target, fmin(mu, MK_ROUND_SHARE * mk_interior_residual_cost(in) / products));
  find_step(in, target);
  double step = longest_step(in);
  if (step < SHORT_STEP) {
    clear_corrections(in);
    find_step(in, mu);
    step = longest_step(in);
  }
  if (!isfinite(step) || !isfinite(in->w[0]) || !isfinite(in->da[0])) return MK_STALLED;
  take_step(in, MK_TO_BOUNDARY * step);
  if (in->lambda < 0.0) in->lambda = 0.0;
  return MK_OK;
}
