/* SMO, measured by the true gap; proximal point steps take over where they are
 * expected to be cheaper than the SMO steps still to come. */
#include "svm.h"

#include "base/cholesky.h"

#include <math.h>

#define LEAST_STEPS 1000.0
#define PATIENCE 100 /* rounds of SMO without progress before rounding is blamed */
#define SYSTEMS 2.0  /* whose time SMO has to exceed: its pace at first promises too much */
#define TRIAL 0.2    /* of a system's time that SMO gets to show its pace */
#define BESIDE 100.0 /* nanoseconds for each variable that systems cost beside their factor */
#define FEW 64   /* variables for which both are nothing, and systems end nearer to the optimum */
#define REST 4   /* rounds that SMO gets after proximal steps that fell short, ... */
#define LONGER 2 /* ... and so much more each time */

/* Rough nanoseconds of SMO until the target if the gap goes on falling as it did: a pair of passes
 * and their rows takes about one for every point. */
static double smo_time(const mk_svm *svm, double steps, double gap_before, double target) {
  double fall = log(gap_before / svm->gap);
  if (!(fall > 0.0)) return INFINITY;
  return steps * (double)svm->n * log(svm->gap / target) / fall;
}

size_t mk_svm_free_count(const mk_svm *svm) {
  size_t count = 0;
  for (size_t i = 0; i < svm->n; i++) count += mk_svm_is_free(svm, i);
  return count;
}

/* What systems cost beside their factor: the line searches. */
static double beside(const mk_svm *svm) {
  return svm->n > FEW ? BESIDE * (double)svm->n : 0.0;
}

/* The most variables of which SYSTEMS factors, at twenty operations a nanosecond, take less than
 * `time`, and one fits the memory. */
static double most_variables(const mk_svm_task *task, double time) {
  double value = (double)mk_row_size(task->rows.single);
  double left = fmax(0.0, time / SYSTEMS - beside(task->svm));
  return fmin(cbrt(60.0 * left), mk_factor_most(mk_system_budget(task->control) / value));
}

/* Rough nanoseconds of a system of the free variables, at twenty operations in each, and of the
 * line searches behind it. */
static double system_time(const mk_svm *svm) {
  double f = (double)mk_svm_free_count(svm);
  return f * f * f / 60.0 + beside(svm);
}

/* The violation below which only rounding is left. */
static double rounding_level(const mk_svm_task *task) {
  const mk_svm *svm = task->svm;
  double most = 0.0, diagonal = 0.0, sum = 0.0;
  for (size_t i = 0; i < svm->n; i++) {
    most = fmax(most, fabs(svm->gradient[i]));
    diagonal = fmax(diagonal, fabs(task->diagonal[i]));
    sum += fabs(svm->alpha[i]);
  }
  return 4e-16 * (most + sum * diagonal);
}

/* K alpha being linear - gradient. */
static double dual_value(const mk_svm *svm) {
  mk_terms terms = mk_svm_terms(svm);
  double sum = -mk_loss_total_penalty(&terms, svm->alpha);
  for (size_t i = 0; i < svm->n; i++)
    sum += 0.5 * svm->alpha[i] * (svm->linear[i] + svm->gradient[i]);
  return sum;
}

static mk_status run_steps(const mk_svm_task *task, double epsilon, double limit,
                           double *violation) {
  return mk_sdca_serves(task) ? mk_sdca_run(task, epsilon, limit, violation)
                              : mk_smo_run(task, epsilon, limit, violation);
}

/* By columns no system is too large, and no row is made; where hardly any alpha is 0, SMO is no
 * good. */
static mk_status solve_at_once(const mk_svm_task *task, double target) {
  double violation = 0.0;
  mk_svm_measure(task->svm);
  if (task->svm->gap <= target) return MK_OK;
  MK_TRY(run_steps(task, INFINITY, 0.0, &violation));
  size_t most = task->columns != NULL ? task->svm->n : (size_t)most_variables(task, INFINITY);
  return mk_svm_proximal(task, violation, target, most);
}

/* What rounding leaves is less where systems are solved, if the free variables fit one. */
static mk_status solve_exactly(const mk_svm_task *task, double violation, double target) {
  double most = most_variables(task, INFINITY);
  if ((double)mk_svm_free_count(task->svm) > most) return MK_STALLED;
  mk_status status = mk_svm_proximal(task, violation, target, (size_t)most);
  return status == MK_OK && task->svm->gap > target ? MK_STALLED : status;
}

mk_status mk_svm_solve(const mk_svm_task *task, double target) {
  mk_svm *svm = task->svm;
  if (task->columns != NULL || mk_loss_is_dense(&svm->kind)) return solve_at_once(task, target);
  double violation = 0.0;
  int resting = 0, rest = REST, idle = 0;
  double best_value = -INFINITY;
  double window_start, window_gap, best;
  mk_svm_measure(svm);
  if (svm->gap <= target) return MK_OK;
  MK_TRY(run_steps(task, INFINITY, 0.0, &violation));
  double epsilon = violation * fmax(0.1, fmin(0.5, target / svm->gap));
  window_start = svm->steps;
  window_gap = best = svm->gap;
  for (;;) {
    double gap_before = svm->gap;
    MK_TRY(run_steps(task, epsilon, fmax(LEAST_STEPS, (double)svm->n), &violation));
    mk_svm_measure(svm);
    if (!isfinite(svm->gap)) return MK_NOT_FINITE;
    if (svm->gap <= target) return MK_OK;
    MK_TRY(mk_check(task->control));
    /* steps of two variables have given what they can */
    if (violation <= rounding_level(task) && svm->gap >= 0.5 * gap_before)
      return solve_exactly(task, violation, target);
    double value = dual_value(svm);
    int rising = value > best_value + 1e-10 * fabs(best_value);
    idle = rising && svm->gap < 0.99 * best ? 0 : idle + 1;
    best = fmin(best, svm->gap);
    best_value = fmax(best_value, value);
    if (idle > PATIENCE) return solve_exactly(task, violation, target);
    if (violation <= epsilon) epsilon = violation * fmax(0.02, fmin(0.5, target / svm->gap));
    double steps = svm->steps - window_start;
    if (steps * (double)svm->n < TRIAL * system_time(svm)) continue;
    double most = most_variables(task, smo_time(svm, steps, window_gap, target));
    if (resting-- > 0 || (double)mk_svm_free_count(svm) > most) continue;
    mk_status status = mk_svm_proximal(task, violation, target, (size_t)most);
    if (status != MK_STALLED || task->rows.single) MK_TRY(status);
    if (svm->gap <= target) return MK_OK;
    resting = rest;
    rest *= LONGER;
    window_start = svm->steps;
    window_gap = svm->gap;
  }
}
