#include "fit-state.h"

#include "base/mechanisms.h"
#include "base/memory.h"
#include "certificate/certificate.h"
#include "optimizer/rescale.h"
#include "optimizer/solve-svms.h"
#include "optimizer/working-set.h"
#include "problem/sides.h"
#include "svm/loss.h"
#include "svm/state.h"
#include "theta/norm.h"
#include "theta/rule.h"

#include <math.h>
#include <string.h>

/* share of the time limit before the certificate's time is estimated */
#define UNASKED_TIME 0.1

/* ---- memory ---- */

/* Returns 1 if rows of floats are worth it, which is so for long rows. */
static int starts_single(const mk_problem *problem, const mk_control *control) {
  return MK_WITH_SINGLE_ROWS && control->single && control->tol >= MK_SINGLE_PRECISION_TOL &&
         problem->n > MK_SMALL_PROBLEM;
}

static mk_status new_tasks(mk_fit_state *fit) {
  size_t n = fit->problem->n;
  for (size_t t = 0; t < fit->problem->tasks; t++) {
    MK_TRY(mk_svm_init(&fit->svm[t], n, &fit->problem->loss));
    fit->alpha[t] = fit->svm[t].alpha;
    fit->upper_bounds[t] = fit->svm[t].upper;
    fit->response[t] = MK_TAKE(&fit->memory, double, n);
  }
  return mk_pool_status(&fit->memory);
}

mk_status mk_fit_new(mk_fit_state *fit, const mk_problem *problem, const mk_control *control,
                     mk_solution *solution) {
  size_t tasks = problem->tasks, n = problem->n;
  memset(fit, 0, sizeof *fit);
  fit->own = *problem;
  fit->problem = &fit->own;
  fit->limits = *control;
  fit->max_time = control->max_time;
  fit->control = &fit->limits;
  fit->solution = solution;
  fit->kernels = mk_set_kernels(problem->set);
  fit->usable = mk_usable_count(problem);
  MK_TRY(mk_gram_new(&fit->gram, problem->set, starts_single(problem, control),
                     !problem->loss.no_offset, fit->control));
  if (mk_loss_is_joint(&problem->loss)) MK_TRY(mk_gram_read_rows(fit->gram));
  mk_pool *memory = &fit->memory;
  fit->svm = MK_TAKE0(memory, mk_svm, tasks);
  fit->alpha = MK_TAKE(memory, double *, tasks);
  fit->upper_bounds = MK_TAKE(memory, const double *, tasks);
  fit->response = MK_TAKE(memory, double *, tasks);
  fit->list = MK_TAKE(memory, int, n);
  fit->gradient = MK_TAKE(memory, double, n);
  double **of_kernels[] = {&fit->theta, &fit->s, &fit->trial, &fit->kept, &fit->best.theta};
  for (int k = 0; k < 5; k++) *of_kernels[k] = MK_TAKE0(memory, double, fit->kernels);
  fit->best.alpha = MK_TAKE(memory, double, n *tasks);
  fit->best.gap = INFINITY;
  return memory->failed ? MK_NO_MEMORY : new_tasks(fit);
}

void mk_fit_clear(mk_fit_state *fit) {
  mk_gram_free(fit->gram);
  for (size_t t = 0; fit->svm != NULL && t < fit->problem->tasks; t++) mk_svm_clear(&fit->svm[t]);
  mk_pool_free(&fit->memory);
  mk_buffer_free(&fit->system);
  memset(fit, 0, sizeof *fit);
}

/* ---- the working set ---- */

mk_status mk_fit_extend(mk_fit_state *fit, size_t count) {
  const mk_problem *problem = fit->problem;
  size_t old = mk_gram_count(fit->gram);
  MK_TRY(mk_gram_extend(fit->gram, fit->list, count));
  for (size_t t = 0; t < problem->tasks; t++) {
    mk_svm *svm = &fit->svm[t];
    svm->n = old + count;
    for (size_t k = old; k < svm->n; k++) {
      size_t from = t * problem->n + (size_t)mk_gram_samples(fit->gram)[k];
      svm->alpha[k] = 0.0;
      svm->linear[k] = problem->linear[from];
      svm->lower[k] = problem->lower[from];
      svm->upper[k] = problem->upper[from];
      if (problem->ridge != NULL) svm->ridge[k] = problem->ridge[from];
    }
    mk_svm_reset_bounds(svm);
  }
  fit->step.least_gap = INFINITY;
  return mk_fit_refresh(fit);
}

void mk_fit_make_feasible(mk_fit_state *fit) {
  for (size_t t = 0; t < fit->problem->tasks; t++) {
    mk_terms terms = mk_svm_terms(&fit->svm[t]);
    mk_make_feasible(&terms, fit->alpha[t]);
    mk_svm_reset_bounds(&fit->svm[t]);
  }
  if (mk_loss_is_joint(&fit->problem->loss))
    mk_make_joint_feasible(fit->svm->n, fit->problem->tasks, fit->upper_bounds, fit->alpha);
}

static void start_theta(mk_fit_state *fit, const double *theta) {
  const mk_norm *norm = &fit->problem->norm;
  mk_norm_bound(&fit->own.norm, fit->kernels, theta);
  if (theta == NULL || mk_norm_is_fixed(norm)) {
    mk_norm_start(norm, fit->kernels, fit->theta);
    return;
  }
  memcpy(fit->theta, theta, fit->kernels * sizeof *theta);
  mk_norm_normalize(norm, fit->kernels, fit->theta);
}

static void start_alphas(mk_fit_state *fit, const double *alpha) {
  const int *samples = mk_gram_samples(fit->gram);
  for (size_t t = 0; t < fit->problem->tasks; t++)
    for (size_t i = 0; i < fit->svm[t].n; i++)
      fit->alpha[t][i] = alpha[t * fit->problem->n + (size_t)samples[i]];
  mk_fit_make_feasible(fit);
}

/* Returns the primal value at alpha = 0. */
static double loss_at_zero(mk_fit_state *fit) {
  double loss = 0.0, offset;
  for (size_t t = 0; t < fit->problem->tasks; t++) {
    mk_terms terms = mk_problem_terms(fit->problem, t);
    loss += mk_loss_total(&terms, terms.linear, fit->list, &offset);
  }
  return loss;
}

/* Returns roughly the primal value over the working set; accuracies are shares of it. */
static double value_at_start(mk_fit_state *fit) {
  double value;
  mk_fit_measure_svms(fit, &value);
  for (size_t t = 0; t < fit->problem->tasks; t++) {
    mk_svm *svm = &fit->svm[t];
    for (size_t i = 0; i < svm->n; i++) value += 0.5 * svm->alpha[i] * fit->response[t][i];
  }
  return value;
}

mk_status mk_fit_begin(mk_fit_state *fit, const mk_start *start) {
  size_t count;
  fit->iterations = start->iterations;
  fit->solves = start->solves;
  start_theta(fit, start->theta);
  MK_TRY(mk_first_working_set(fit->problem, fit->control, start, mk_gram_wants_all(fit->gram),
                              fit->list, &count));
  if (count == 0) return MK_BAD_ARGUMENT;
  /* the first solve takes little time, unless a user's function takes long */
  if (start->alpha == NULL && mk_set_calls_back(fit->problem->set)) MK_TRY(mk_check(&fit->limits));
  MK_TRY(mk_fit_extend(fit, count));
  fit->best_upper = fit->upper = loss_at_zero(fit);
  if (start->alpha == NULL) return MK_OK;
  start_alphas(fit, start->alpha);
  MK_TRY(mk_fit_refresh(fit));
  fit->upper = fmin(fit->upper, value_at_start(fit));
  return MK_OK;
}

/* ---- rows and gradients ---- */

mk_status mk_fit_refresh(mk_fit_state *fit) {
  mk_alphas alphas = {fit->problem->tasks, fit->alpha};
  MK_TRY(mk_gram_mix(fit->gram, fit->theta));
  MK_TRY(mk_gram_response(fit->gram, &alphas, fit->response));
  for (size_t t = 0; t < alphas.tasks; t++) {
    mk_svm *svm = &fit->svm[t];
    for (size_t i = 0; i < svm->n; i++) svm->gradient[i] = svm->linear[i] - fit->response[t][i];
  }
  return MK_OK;
}

mk_status mk_fit_sharpen(mk_fit_state *fit) {
  MK_TRY(mk_gram_sharpen(fit->gram));
  fit->step.least_gap = INFINITY;
  return mk_fit_refresh(fit);
}

/* ---- values of the iterate ---- */

static mk_status measure_iterate(mk_fit_state *fit) {
  const mk_norm *norm = &fit->problem->norm;
  double gain = 0.0, loss, size, dual;
  fit->svm_gap = mk_fit_measure_svms(fit, &loss);
  for (size_t t = 0; t < fit->problem->tasks; t++) gain += mk_svm_gain(&fit->svm[t]);
  MK_TRY(mk_sides(norm, fit->kernels, fit->theta, fit->s, &size, &dual));
  double value = mk_simd_best()->dot(fit->kernels, fit->theta, fit->s);
  fit->lower = gain - 0.5 * dual;
  fit->upper = loss + 0.5 * size;
  fit->fixed_dual = gain - 0.5 * value;
  if (mk_norm_rises(norm)) fit->fixed_dual = -fit->fixed_dual;
  fit->theta_gap = mk_norm_gap(norm, dual, size, value);
  if (mk_gram_count(fit->gram) == fit->usable) fit->best_upper = fmin(fit->best_upper, fit->upper);
  return MK_OK;
}

/* ---- solving ---- */

static mk_status sum_forms(mk_fit_state *fit) {
  mk_alphas alphas = {fit->problem->tasks, fit->alpha};
  double began = mk_seconds();
  mk_status status = mk_gram_forms(fit->gram, &alphas, fit->s);
  fit->pace.forms = mk_seconds() - began;
  return status;
}

mk_status mk_fit_solve(mk_fit_state *fit, double target) {
  mk_status status = mk_fit_solve_svms(fit, target);
  if (status != MK_OK && status != MK_STALLED) return status;
  MK_TRY(sum_forms(fit));
  MK_TRY(measure_iterate(fit));
  fit->iterations += 1.0;
  fit->solves += 1.0;
  return status;
}

/* Bounds coordinates away from zero as far as tolerance and gap allow. */
static void adapt_norm(mk_fit_state *fit) {
  double price = fmax(fit->control->tol * fabs(fit->upper), MK_ROUND_SHARE * mk_fit_gap(fit));
  mk_norm_adapt(&fit->own.norm, fit->kernels, fit->theta, fit->s, MK_ANSWER_SHARE * price);
}

mk_status mk_fit_use_theta(mk_fit_state *fit, const double *theta, double target) {
  const mk_norm *norm = &fit->problem->norm;
  adapt_norm(fit);
  memcpy(fit->theta, theta, fit->kernels * sizeof *theta);
  if (norm->least > 0.0) mk_norm_normalize(norm, fit->kernels, fit->theta);
  /* Weights that vanish beside the largest become 0 at p = 1, as they are at the optimum; Newton
   * and interior steps can bring them back. */
  mk_norm_prune(norm, fit->kernels, MK_ROUNDED_WEIGHT, fit->theta);
  MK_TRY(mk_fit_refresh(fit));
  return mk_fit_solve(fit, target);
}

mk_status mk_fit_settle(mk_fit_state *fit) {
  MK_TRY(mk_fit_refresh(fit));
  MK_TRY(sum_forms(fit));
  return measure_iterate(fit);
}

/* ---- the best iterate ---- */

void mk_fit_read_alphas(const mk_fit_state *fit, double *out) {
  for (size_t t = 0; t < fit->problem->tasks; t++)
    memcpy(out + t * fit->problem->n, fit->alpha[t], fit->svm[t].n * sizeof(double));
}

void mk_fit_write_alphas(mk_fit_state *fit, const double *in) {
  for (size_t t = 0; t < fit->problem->tasks; t++) {
    memcpy(fit->alpha[t], in + t * fit->problem->n, fit->svm[t].n * sizeof(double));
    mk_svm_reset_bounds(&fit->svm[t]);
  }
}

void mk_fit_keep(mk_fit_state *fit) {
  mk_best_iterate *best = &fit->best;
  double gap = mk_relative_gap(fit->upper, fit->lower);
  if (!(gap < best->gap)) return;
  best->gap = gap;
  best->dual = fit->lower;
  best->primal = fit->upper;
  memcpy(best->theta, fit->theta, fit->kernels * sizeof(double));
  mk_fit_read_alphas(fit, best->alpha);
}

void mk_fit_return(mk_fit_state *fit) {
  if (!isfinite(fit->best.gap)) return;
  memcpy(fit->theta, fit->best.theta, fit->kernels * sizeof(double));
  mk_fit_write_alphas(fit, fit->best.alpha);
}

/* ---- history and certificate ---- */

static void copy_out(const mk_fit_state *fit) {
  const mk_problem *problem = fit->problem;
  mk_solution *solution = fit->solution;
  const int *samples = mk_gram_samples(fit->gram);
  memcpy(solution->theta, fit->theta, fit->kernels * sizeof(double));
  memset(solution->alpha, 0, problem->n * problem->tasks * sizeof(double));
  for (size_t t = 0; t < problem->tasks; t++)
    for (size_t k = 0; k < fit->svm[t].n; k++)
      solution->alpha[t * problem->n + (size_t)samples[k]] = fit->svm[t].alpha[k];
  solution->iterations = fit->iterations;
  solution->solves = fit->solves;
  solution->bytes =
      mk_gram_bytes(fit->gram) + fit->system.bytes + fit->step_bytes + mk_set_bytes(problem->set);
}

/* Estimates the time of the last certificate, for long fits with a limit. An early certificate,
 * while alphas are few, measures the time, and the fit goes on as if there had been none. */
static mk_status keep_time_back(mk_fit_state *fit) {
  mk_pace *pace = &fit->pace;
  double began = mk_seconds(), elapsed = began - fit->limits.start;
  double sums = pace->forms + pace->outside;
  int seen = pace->outside > 0.0 || mk_gram_count(fit->gram) == fit->usable;
  if (!isfinite(fit->max_time) || !seen || fit->limits.rough) return MK_OK;
  if (elapsed >= fit->max_time) return MK_OK; /* the last certificate comes next */
  if (pace->times == 0.0 && elapsed >= UNASKED_TIME * fit->max_time) {
    copy_out(fit);
    MK_TRY(mk_certify_solution(fit->problem, fit->control, fit->solution));
    pace->times = (mk_seconds() - began) / fmax(sums, MK_NANOSECOND);
  }
  fit->limits.max_time = fit->max_time - pace->times * sums;
  return MK_OK;
}

mk_status mk_fit_record(mk_fit_state *fit, double lower) {
  MK_TRY(keep_time_back(fit));
  size_t tasks = fit->problem->tasks, count = mk_gram_count(fit->gram);
  mk_line line = {.iteration = fit->iterations,
                  .objective = lower,
                  .gap = mk_relative_gap(fit->best_upper, lower),
                  .support = mk_support_count(fit->alpha, tasks, count),
                  .solves = fit->solves};
  return mk_history_note(&fit->solution->history, fit->control, line, fit->theta, fit->kernels);
}

mk_status mk_fit_certify(mk_fit_state *fit) {
  for (size_t t = 0; t < fit->problem->tasks; t++)
    mk_svm_restore_sum(&fit->svm[t]); /* rounding makes the sum drift */
  copy_out(fit);
  if (fit->control->rough) {
    fit->solution->gap = mk_relative_gap(fit->best_upper, fit->lower);
    return MK_OK;
  }
  MK_TRY(mk_certify_solution(fit->problem, fit->control, fit->solution));
  fit->best_upper = fit->solution->primal;
  return mk_fit_record(fit, fit->solution->dual);
}

/* Rescales alphas if the certificate finds too large a gap and there is time. */
static mk_status rescale_alphas(mk_fit_state *fit) {
  double found = fit->solution->gap;
  if (fit->limits.rough || mk_is_late(&fit->limits) || mk_loss_is_joint(&fit->problem->loss))
    return MK_OK;
  MK_TRY(mk_rescale_certified(fit->problem, fit->control, fit->solution));
  if (fit->solution->gap == found) return MK_OK;
  fit->best_upper = fit->solution->primal;
  return mk_fit_record(fit, fit->solution->dual);
}

static mk_status solve_until_certified(mk_fit_state *fit, mk_status begun, double goal,
                                       mk_status (*solve)(void *data, double goal), void *data) {
  double tol = fit->control->tol, least = INFINITY;
  for (mk_status status = begun;;) {
    if (status == MK_OK) {
      status = solve(data, goal);
      if (!mk_usable_end(status)) return status;
    } else {
      if (!mk_usable_end(status)) return status;
      MK_TRY(mk_fit_certify(fit));
    }
    MK_TRY(rescale_alphas(fit));
    if (fit->solution->gap <= tol) return MK_OK;
    if (status == MK_TIME_LIMIT || status == MK_ITERATION_LIMIT) return status;
    int single = mk_gram_is_single(fit->gram);
    if ((status == MK_STALLED && !single) || !(fit->solution->gap < least)) return MK_STALLED;
    least = fit->solution->gap;
    if (!single) goal *= MK_SHARPER_GOAL;
    status = single ? mk_fit_sharpen(fit) : mk_fit_refresh(fit);
  }
}

mk_status mk_fit_finish(mk_fit_state *fit, mk_status begun, double goal,
                        mk_status (*solve)(void *data, double goal), void *data) {
  mk_status status = solve_until_certified(fit, begun, goal, solve, data);
  fit->solution->late = mk_is_late(&fit->limits);
  return status;
}
