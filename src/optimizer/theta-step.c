#include "theta-step.h"

#include "base/mechanisms.h"
#include "base/memory.h"
#include "base/sum.h"
#include "optimizer/curvature.h"
#include "theta/norm.h"
#include "theta/rule.h"

#include <math.h>
#include <string.h>

/* share of theta's gap that a Newton step is expected to leave */
#define NEWTON_SHARE 0.03
/* steps without progress before a Newton step is taken at any cost */
#define MAX_IDLE_STEPS 2
#define NEWTON_MAX_HALVINGS 5 /* halvings of a step, to 1/32; shorter ones are of no use */
/* operations of a Newton step above which analytic steps are quicker */
#define NEWTON_OPERATIONS 1e9
/* operations of a Newton step above which analytic steps, slow for p near 1, are quicker there */
#define NEWTON_OPERATIONS_SPARSE 6e9
/* share of the promised fall below which the model was poor; damping grows by its inverse */
#define POOR_PROMISE_SHARE 0.25
#define LEAST_DAMPING 0.03 /* smallest positive damping */
#define LENGTHENING 1.3    /* factor by which the next analytic step is longer after progress */

/* ---- analytic steps ---- */

/* Returns the length at which a step in log theta goes two thirds of the way from the analytic step
 * to the fixed point that it would have if the forms stayed as they are. */
static double longest_step(double p) {
  return 1.0 + 2.0 / 3.0 * ((p + 1.0) / (p - 1.0) - 1.0);
}

/* Lengthens the step in log theta. The analytic step leaves 2 / (p + 1) of the way, since it allows
 * for alphas that react to it. Steps become longer while theta's gap falls. */
static void lengthen_step(mk_fit_state *fit) {
  const mk_norm *norm = &fit->problem->norm;
  mk_step_memory *memory = &fit->step;
  double longer = fmin(LENGTHENING * memory->length, longest_step(norm->p));
  memory->length = fit->theta_gap < memory->gap ? fmax(longer, 1.0) : 1.0;
  memory->gap = fit->theta_gap;
  if (memory->length == 1.0) return;
  for (size_t m = 0; m < fit->kernels; m++)
    if (fit->theta[m] > 0.0 && fit->trial[m] > 0.0)
      fit->trial[m] = fit->theta[m] * pow(fit->trial[m] / fit->theta[m], memory->length);
  mk_norm_normalize(norm, fit->kernels, fit->trial);
}

static mk_status analytic_step(mk_fit_state *fit, const mk_aim *aim) {
  const mk_norm *norm = &fit->problem->norm;
  mk_norm_step(norm, fit->kernels, fit->theta, fit->s, fit->trial);
  if (MK_WITH_GROWING_STEPS && mk_norm_is_plain(norm)) lengthen_step(fit);
  mk_norm_prune(norm, fit->kernels, MK_JOINING_WEIGHT, fit->trial);
  return mk_fit_use_theta(fit, fit->trial, aim->svm_target);
}

/* ---- Newton steps ---- */

static mk_status newton_point(mk_fit_state *fit, double *point, mk_promise *promise) {
  mk_theta_model model = {.count = fit->kernels,
                          .damping = fit->step.damping,
                          .team = fit->control->team,
                          .theta = fit->theta,
                          .s = fit->s};
  double *z;
  mk_status status = mk_curvature(fit, &z, &model.rank);
  model.z = z;
  if (status == MK_OK) status = mk_norm_newton(&fit->problem->norm, &model, point, promise);
  mk_free(z);
  return status;
}

/* Adapts the damping, or the sample of free variables, to the fall of the value. If it fell much
 * less than the model promised, the model was poor: the sample of the free variables is doubled,
 * or, if it has all of them, the damping grows. If the value fell as promised, or if the promise is
 * as small as the errors of the values, the damping shrinks, so that steps do not stay short for
 * ever. */
static void adapt_damping(mk_fit_state *fit, double fell, double promised) {
  double *damping = &fit->step.damping;
  if (!MK_WITH_DAMPING) return;
  int judged = promised > fit->svm_gap;
  if (judged && fell < POOR_PROMISE_SHARE * promised && mk_curvature_is_sampled(fit))
    fit->step.doublings++;
  else if (judged && fell < POOR_PROMISE_SHARE * promised)
    *damping = fmin(1.0, fmax(LEAST_DAMPING, *damping / POOR_PROMISE_SHARE));
  else if (!judged || fell > (1.0 - POOR_PROMISE_SHARE) * promised)
    *damping = *damping > LEAST_DAMPING ? POOR_PROMISE_SHARE * *damping : 0.0;
}

/* Tries theta + step (point - theta) with the promised length, half of it, and so on, until the
 * SVMs' value does not rise or theta's gap is half of the least gap so far (half of the present gap
 * would let steps alternate). If no length succeeds, theta is restored; then a damped step follows,
 * or an analytic one. */
static mk_status search_line(mk_fit_state *fit, const mk_aim *aim, const double *point,
                             const mk_promise *promise) {
  const mk_norm *norm = &fit->problem->norm;
  mk_step_memory *memory = &fit->step;
  double value = fit->fixed_dual, gap = fit->theta_gap,
         step = aim->lengthens ? promise->length : 1.0;
  double slack = fit->svm_gap + MK_VALUE_ROUNDING * fabs(value);
  double target = fmax(MK_ANSWER_SHARE * aim->goal, 0.5 * NEWTON_SHARE * gap);
  memcpy(fit->kept, fit->theta, fit->kernels * sizeof(double));
  memory->least_gap = fmin(memory->least_gap, gap);
  for (int k = 0; k <= NEWTON_MAX_HALVINGS; k++, step *= 0.5) {
    mk_norm_between(norm, fit->kernels, fit->kept, point, step, fit->trial);
    MK_TRY(mk_fit_use_theta(fit, fit->trial, fmin(target, aim->svm_target)));
    double fell = value - fit->fixed_dual;
    if (k == 0) adapt_damping(fit, fell, promise->fall);
    if (fell >= -slack || fit->theta_gap < 0.5 * memory->least_gap) {
      memory->least_gap = fmin(memory->least_gap, fit->theta_gap);
      return MK_OK;
    }
  }
  memcpy(fit->trial, fit->kept, fit->kernels * sizeof(double));
  MK_TRY(mk_fit_use_theta(fit, fit->trial, aim->svm_target));
  if (MK_WITH_DAMPING && memory->damping < 1.0) return MK_OK; /* the next step is damped */
  return analytic_step(fit, aim);
}

mk_status mk_newton_step(mk_fit_state *fit, const mk_aim *aim) {
  mk_promise promise;
  double *point = MK_NEW(double, fit->kernels);
  mk_status status = point == NULL ? MK_NO_MEMORY : newton_point(fit, point, &promise);
  if (status == MK_OK)
    status = search_line(fit, aim, point, &promise);
  else if (status == MK_STALLED)
    status = analytic_step(fit, aim);
  mk_free(point);
  return status;
}

/* Returns 1 if a Newton step costs more than several analytic ones, as with many kernels or free
 * variables. For columns alone, analytic steps are also preferred where SVMs take little time, or
 * where there are so many columns that each step makes much progress; interior points do the rest
 * at p = 1. */
static int newton_is_slower(const mk_fit_state *fit) {
  const mk_norm *norm = &fit->problem->norm;
  double free = 0.0, largest = 0.0;
  if (!MK_WITH_NEWTON_PRICE || mk_norm_is_fixed(norm)) return 0;
  if (mk_gram_wants_all(fit->gram)) return 1;
  for (size_t t = 0; t < fit->problem->tasks; t++) {
    double count = (double)mk_curvature_variables(fit, t);
    free += count;
    largest = fmax(largest, count);
  }
  return largest * free * (double)fit->kernels >
         (mk_norm_is_sparse(norm) ? NEWTON_OPERATIONS_SPARSE : NEWTON_OPERATIONS);
}

mk_status mk_theta_step(mk_fit_state *fit, const mk_aim *aim) {
  if (!MK_WITH_NEWTON || (aim->idle < MAX_IDLE_STEPS && newton_is_slower(fit)))
    return analytic_step(fit, aim);
  return mk_newton_step(fit, aim);
}
