/* Solves the optimality conditions of  min over alpha, max over theta  of
 *   theta's/2 - linear'alpha,  lower <= alpha <= upper, sum alpha_t = 0 (with an offset),
 *   theta >= 0, (sum theta^p - 1)/p <= 0,
 * with multipliers `below` and `above` of the box, x of theta >= 0, lambda of the norm and b of the
 * sums, by Newton steps towards complementarity mu -> 0 with Mehrotra's predictor and corrector.
 * Eliminating everything but alpha leaves K_theta + box + U D^-1 U', U = (K_m alpha). For a loss
 * with a tube, alpha = a - a' with both in a box, and the tube contributes (a + a'). Losses without
 * a box get a wide box. */
#include "interior.h"

#include "base/mechanisms.h"
#include "base/memory.h"
#include "optimizer/interior-step.h"
#include "optimizer/interior-system.h"
#include "svm/state.h"
#include "theta/barrier.h"
#include "theta/norm.h"

#include <math.h>
#include <string.h>

/* least distance of the start from the bounds, as a share of their distance */
#define START_BOUND_DISTANCE 5e-2
#define START_ALPHA_DISTANCE 0.3 /* largest such distance, as a share of the mean alpha */
#define BOX_WIDTH 100.0          /* width of the box for losses without one, in largest alphas */

/* ---- memory ---- */

static void add_variable(mk_interior_point *in, size_t t, size_t i, double side, double lower,
                         double upper) {
  size_t k = in->size++;
  in->task[k] = (int)t;
  in->position[k] = (int)i;
  in->side[k] = side;
  in->lower[k] = lower;
  in->upper[k] = upper;
}

static void lay_out_variables(mk_interior_point *in) {
  for (size_t t = 0; t < in->tasks; t++) {
    const mk_svm *svm = &in->fit->svm[t];
    double far = 0.0;
    for (size_t i = 0; i < svm->n; i++) far = fmax(far, BOX_WIDTH * fabs(svm->alpha[i]));
    for (size_t i = 0; i < svm->n; i++) {
      if (!(svm->upper[i] > svm->lower[i])) continue;
      if (in->tube == 0.0) {
        add_variable(in, t, i, 1.0, fmax(svm->lower[i], -far), fmin(svm->upper[i], far));
        continue;
      }
      if (svm->upper[i] > 0.0) add_variable(in, t, i, 1.0, 0.0, svm->upper[i]);
      if (svm->lower[i] < 0.0) add_variable(in, t, i, -1.0, 0.0, -svm->lower[i]);
    }
    in->from[t + 1] = in->size;
  }
}

static mk_status find_variables(mk_interior_point *in) {
  mk_pool *memory = &in->memory;
  size_t most = 2 * in->tasks * mk_gram_count(in->fit->gram);
  in->from = MK_TAKE0(memory, size_t, in->tasks + 1);
  in->task = MK_TAKE(memory, int, most);
  in->position = MK_TAKE(memory, int, most);
  double **vector[] = {&in->side, &in->lower, &in->upper};
  for (int k = 0; k < 3; k++) *vector[k] = MK_TAKE(memory, double, most);
  if (!memory->failed) lay_out_variables(in);
  return mk_pool_status(memory);
}

static mk_status interior_new(mk_interior_point *in, mk_fit_state *fit) {
  size_t m = fit->kernels, tasks = fit->problem->tasks, borders = tasks + 1;
  *in = (mk_interior_point){.fit = fit,
                            .simd = mk_simd_best(),
                            .kernels = m,
                            .tasks = tasks,
                            .borders = borders,
                            .moves_theta = !mk_norm_is_fixed(&fit->problem->norm),
                            .tube = mk_loss_tube(&fit->problem->loss),
                            .t = fit->theta};
  MK_TRY(find_variables(in));
  size_t n = in->size;
  mk_interior_choose_system(in);
  double values = (double)mk_interior_system_values(in) + (double)n * (double)m;
  if (n < 2 || (double)sizeof(double) * values > mk_system_budget(fit->control)) return MK_STALLED;
  size_t total = mk_interior_system_values(in) + n * m + n * (2 * borders + 13) + 12 * m +
                 3 * borders + borders * borders;
  double *next = mk_buffer_need(&fit->system, total, sizeof *next);
  if (next == NULL) return MK_NO_MEMORY;
  memset(next, 0, total * sizeof *next);
  mk_interior_lay_out_system(in, &next);
  in->u = mk_take(&next, n * m);
  in->border = mk_take(&next, n * borders);
  in->g = mk_take(&next, n * borders);
  double **long_vector[] = {&in->a,  &in->below, &in->above, &in->r1,     &in->da,
                            &in->ca, &in->cb,    &in->delta, &in->dbelow, &in->dabove};
  for (int k = 0; k < 10; k++) *long_vector[k] = mk_take(&next, n);
  double **kernel_vector[] = {&in->x, &in->d, &in->v, &in->r2, &in->dt, &in->cx, &in->dx};
  for (int k = 0; k < 7; k++) *kernel_vector[k] = mk_take(&next, m);
  if (!mk_norm_is_plain(&fit->problem->norm)) {
    in->t = mk_take(&next, m);
    in->slope = mk_take(&next, m);
    in->bend = mk_take(&next, m);
  }
  in->best = mk_take(&next, 3 * n + 2 * m);
  in->b = mk_take(&next, borders);
  in->w = mk_take(&next, 2 * borders);
  in->small = mk_take(&next, borders * borders);
  return MK_OK;
}

/* ---- start ---- */

/* Moves variables away from the bounds, by a share of a typical alpha and of the mean weight. */
static void push_inside(mk_interior_point *in) {
  mk_fit_state *fit = in->fit;
  double typical = 0.0, equal = exp(-log((double)in->kernels) / fit->problem->norm.p);
  for (size_t t = 0; t < in->tasks; t++)
    for (size_t i = 0; i < fit->svm[t].n; i++)
      typical += fabs(fit->svm[t].alpha[i]) / (double)in->size;
  for (size_t k = 0; k < in->size; k++) {
    double away = START_BOUND_DISTANCE * (in->upper[k] - in->lower[k]);
    if (typical > 0.0) away = fmin(away, START_ALPHA_DISTANCE * typical);
    in->a[k] = in->side[k] * *mk_interior_alpha(in, k);
    in->a[k] = fmin(fmax(in->a[k], in->lower[k] + away), in->upper[k] - away);
  }
  if (in->t != fit->theta) mk_norm_coordinates(&fit->problem->norm, in->kernels, fit->theta, in->t);
  for (size_t m = 0; in->moves_theta && m < in->kernels; m++)
    in->t[m] = (1.0 - MK_START_SHARE) * in->t[m] + MK_START_SHARE * equal;
}

/* Chooses multipliers that make the gradients stationary, so that only complementarity is left to
 * achieve; `mu` keeps them away from zero. Returns the mean of their products. */
static double set_multipliers(mk_interior_point *in, double mu) {
  for (size_t k = 0; k < in->size; k++) {
    double g = mk_interior_slope(in, k);
    in->above[k] = fmax(g, 0.0) + mu / (in->upper[k] - in->a[k]);
    in->below[k] = fmax(-g, 0.0) + mu / (in->a[k] - in->lower[k]);
  }
  for (size_t m = 0; in->moves_theta && m < in->kernels; m++)
    in->x[m] = fmax(in->lambda * in->v[m] - 0.5 * in->fit->s[m], 0.0) + mu / in->t[m];
  return mk_interior_complementarity(in);
}

static mk_status start_inside(mk_interior_point *in) {
  mk_fit_state *fit = in->fit;
  double forms = 0.0, norm = 0.0;
  push_inside(in);
  in->lambda = 1.0; /* until forms are known; the curvature is computed again later */
  MK_TRY(mk_interior_evaluate(in));
  for (size_t t = 0; t < in->tasks; t++) {
    mk_svm_measure(&fit->svm[t]);
    in->b[t] = fit->svm[t].offset;
  }
  for (size_t m = 0; in->moves_theta && m < in->kernels; m++) {
    forms += 0.5 * fit->s[m] * in->t[m];
    norm += in->v[m] * in->t[m];
  }
  in->lambda = norm > 0.0 ? forms / norm : 0.0;
  for (size_t m = 0; fit->problem->norm.p == 1.0 && m < in->kernels; m++)
    in->lambda = fmax(in->lambda, 0.5 * fit->s[m]);
  double products = set_multipliers(in, 0.0);
  set_multipliers(in, products + MK_ROUNDED_GAP * fabs(fit->upper) / (double)in->size);
  return MK_OK;
}

/* ---- end ---- */

static void settle_alpha(mk_interior_point *in) {
  mk_interior_unsplit(in);
  for (size_t t = 0; t < in->tasks; t++) {
    mk_svm_reset_bounds(&in->fit->svm[t]);
    mk_svm_restore_sum(&in->fit->svm[t]);
  }
}

/* Moves variables onto the bound if its multiplier is larger than their distance from it. */
static void land_on_bounds(mk_interior_point *in) {
  mk_fit_state *fit = in->fit;
  const double *diagonal = mk_gram_diagonal(fit->gram);
  for (size_t k = 0; k < in->size; k++) {
    double size = diagonal[in->position[k]];
    double down = in->a[k] - in->lower[k], up = in->upper[k] - in->a[k];
    if (down * size < in->below[k] && down < up)
      in->a[k] = in->lower[k];
    else if (up * size < in->above[k])
      in->a[k] = in->upper[k];
  }
  for (size_t m = 0; in->moves_theta && m < in->kernels; m++)
    if (fit->problem->norm.p == 1.0 && in->t[m] * in->lambda < in->x[m]) in->t[m] = 0.0;
  mk_interior_unfold(in);
}

static void keep_point(mk_interior_point *in) {
  size_t n = in->size, m = in->kernels;
  memcpy(in->best, in->a, 3 * n * sizeof(double));
  memcpy(in->best + 3 * n, in->x, m * sizeof(double));
  memcpy(in->best + 3 * n + m, in->t, m * sizeof(double));
  in->best_lambda = in->lambda;
}

static void restore_point(mk_interior_point *in) {
  size_t n = in->size, m = in->kernels;
  memcpy(in->a, in->best, 3 * n * sizeof(double));
  memcpy(in->x, in->best + 3 * n, m * sizeof(double));
  memcpy(in->t, in->best + 3 * n + m, m * sizeof(double));
  in->lambda = in->best_lambda;
}

/* Makes steps and keeps the best point, since near the end rounding can spoil a step. */
static mk_status make_steps(mk_interior_point *in, double goal) {
  double products = 2.0 * (double)in->size + (double)in->kernels, least = INFINITY;
  int slow = 0;
  mk_status status = MK_OK;
  for (int k = 0; status == MK_OK && k < MK_INTERIOR_MAX_STEPS && slow <= MK_MAX_IDLE; k++) {
    MK_TRY(mk_check(in->fit->control));
    MK_TRY(mk_interior_evaluate(in));
    mk_interior_level(in);
    double worth = products * mk_interior_complementarity(in) + mk_interior_residual_cost(in);
    slow = worth < MK_PROGRESS * least ? 0 : slow + 1;
    if (worth < least || k == 0) keep_point(in);
    least = fmin(least, worth);
    if (worth <= MK_ROUND_SHARE * goal * fabs(in->fit->upper)) return MK_OK;
    status = mk_interior_step(in);
  }
  restore_point(in);
  return status == MK_STALLED ? MK_OK : status;
}

/* Moves variables onto their bounds, and undoes as much of that as the goal demands: alpha's move,
 * then theta's, then the whole step if another iterate was better. The SVMs are not solved again:
 * if alpha is not unique, only this alpha suits theta. */
static mk_status finish_at_bounds(mk_interior_point *in, double goal) {
  mk_fit_state *fit = in->fit;
  double *a = in->da, *theta = in->dt; /* the steps are over, so their memory is free */
  mk_interior_unfold(in);
  memcpy(a, in->a, in->size * sizeof *a);
  memcpy(theta, fit->theta, in->kernels * sizeof *theta);
  land_on_bounds(in);
  for (int attempt = 0; attempt < 3; attempt++) {
    if (attempt > 0) memcpy(in->a, a, in->size * sizeof *a);
    if (attempt > 1) memcpy(fit->theta, theta, in->kernels * sizeof *theta);
    settle_alpha(in);
    mk_norm_normalize(&fit->problem->norm, in->kernels, fit->theta);
    MK_TRY(mk_fit_settle(fit));
    mk_fit_keep(fit);
    if (mk_fit_gap(fit) <= goal * fabs(fit->upper)) return MK_OK;
  }
  mk_fit_return(fit);
  return mk_fit_settle(fit);
}

mk_status mk_interior(mk_fit_state *fit, double goal) {
  const mk_norm *norm = &fit->problem->norm;
  if (!MK_WITH_INTERIOR || !mk_norm_has_ball(norm) || mk_norm_rises(norm)) return MK_STALLED;
  if (mk_gram_is_approximate(fit->gram)) return MK_STALLED; /* systems need exact rows */
  mk_interior_point in;
  mk_status status = interior_new(&in, fit);
  if (status == MK_OK) status = start_inside(&in);
  if (status == MK_OK) status = make_steps(&in, goal);
  if (status == MK_OK) status = finish_at_bounds(&in, goal);
  if (status == MK_OK) fit->iterations += 1.0;
  mk_pool_free(&in.memory);
  return status;
}
