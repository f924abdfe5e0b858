/* Solves an SVM by SMO, judged by its true gap. Proximal point steps take over once SMO has spent
 * more time than their systems would. Called by solve-svms.c. MATHEMATICS.md, section 3.1. */
#include "solve.h"

#include "base/cholesky.h"
#include "base/mechanisms.h"
#include "base/sum.h"
#include "svm/proximal.h"
#include "svm/sdca.h"
#include "svm/smo.h"
#include "svm/state.h"

#include <math.h>

/* steps between two computations of the gap, which takes as long as tens of steps */
#define ROUND_MIN_STEPS 1000.0
/* speed of a factor of f variables, whose operations are f^3 / 3 */
#define OPERATIONS_PER_NS 20.0
#define SEARCH_NS 100.0 /* time of a system's line searches, for each variable */
/* multiple of a system's time that SMO must take before systems do, since SMO slows down later */
#define SYSTEMS_TIME 2.0
#define PACE_SHARE 0.2 /* share of a system's time after which the pace of SMO is measured */
/* rounds of SMO after proximal steps that missed the target; their number doubles each time */
#define REST_ROUNDS 4

/* Returns roughly the nanoseconds that SMO needs to reach the target if the gap falls as before. A
 * pair of passes with their rows takes about one nanosecond per point. */
static double smo_time(const mk_svm *svm, double steps, double gap_before, double target) {
  double fall = log(gap_before / svm->gap);
  return fall > 0.0 ? steps * (double)svm->n * log(svm->gap / target) / fall : INFINITY;
}

/* Returns roughly the nanoseconds of a system of the free variables and its line searches. */
static double system_time(const mk_svm *svm) {
  double f = (double)mk_svm_free_count(svm);
  return f * f * f / (3.0 * OPERATIONS_PER_NS) + SEARCH_NS * (double)svm->n;
}

/* Returns the largest number of variables for which SYSTEMS_TIME systems take less than `time` and
 * one fits the memory. */
static size_t most_variables(const mk_svm_task *task, double time) {
  double value = (double)mk_row_size(task->rows.single);
  double factor = fmax(0.0, time / SYSTEMS_TIME - SEARCH_NS * (double)task->svm->n);
  return (size_t)fmin(cbrt(3.0 * OPERATIONS_PER_NS * factor),
                      mk_factor_most(mk_system_budget(task->control) / value));
}

/* Returns the violation below which only rounding is left. */
static double rounding_level(const mk_svm_task *task) {
  const mk_svm *svm = task->svm;
  double most = 0.0, diagonal = 0.0, sum = 0.0;
  for (size_t i = 0; i < svm->n; i++) {
    most = fmax(most, fabs(svm->gradient[i]));
    diagonal = fmax(diagonal, fabs(task->diagonal[i]));
    sum += fabs(svm->alpha[i]);
  }
  return MK_ROUNDING_UNITS * MK_UNIT * (most + sum * diagonal);
}

static mk_status run_steps(const mk_svm_task *task, double epsilon, double limit,
                           double *violation) {
  return mk_sdca_serves(task) ? mk_sdca_run(task, epsilon, limit, violation)
                              : mk_smo_run(task, epsilon, limit, violation);
}

/* Solves systems if the free variables fit one, since they are less affected by rounding. */
static mk_status solve_exactly(const mk_svm_task *task, double violation, double target) {
  size_t most = most_variables(task, INFINITY);
  if (mk_svm_free_count(task->svm) > most) return MK_STALLED;
  mk_status status = mk_svm_proximal(task, violation, target, most);
  return status == MK_OK && task->svm->gap > target ? MK_STALLED : status;
}

/* Makes rounds of SMO until the target, and proximal point steps in between if SMO is too slow. */
static mk_status solve_in_rounds(const mk_svm_task *task, double violation, double target) {
  mk_svm *svm = task->svm;
  int resting = 0, rest = REST_ROUNDS, idle = 0;
  double window_start = svm->steps, window_gap = svm->gap, best = svm->gap;
  double epsilon = violation * fmax(MK_ROUND_SHARE, fmin(0.5, target / svm->gap));
  for (;;) {
    double gap_before = svm->gap;
    MK_TRY(run_steps(task, epsilon, fmax(ROUND_MIN_STEPS, (double)svm->n), &violation));
    mk_svm_measure(svm);
    if (!isfinite(svm->gap)) return MK_NOT_FINITE;
    if (svm->gap <= target) return MK_OK;
    MK_TRY(mk_check(task->control));
    idle = svm->gap < MK_SLIGHT_PROGRESS * best ? 0 : idle + 1;
    best = fmin(best, svm->gap);
    int rounded = violation <= rounding_level(task) && svm->gap >= 0.5 * gap_before;
    if (rounded || idle > MK_STALL_ROUNDS) return solve_exactly(task, violation, target);
    if (violation <= epsilon)
      epsilon = violation * fmax(MK_INNER_SHARE, fmin(0.5, target / svm->gap));
    double steps = svm->steps - window_start;
    if (steps * (double)svm->n < PACE_SHARE * system_time(svm)) continue;
    size_t most = most_variables(task, smo_time(svm, steps, window_gap, target));
    if (!MK_WITH_PROXIMAL || resting-- > 0 || mk_svm_free_count(svm) > most) continue;
    mk_status status = mk_svm_proximal(task, violation, target, most);
    if (status != MK_STALLED || task->rows.single) MK_TRY(status);
    if (svm->gap <= target) return MK_OK;
    resting = rest;
    rest *= 2;
    window_start = svm->steps;
    window_gap = svm->gap;
  }
}

mk_status mk_svm_solve(const mk_svm_task *task, double target) {
  mk_svm *svm = task->svm;
  double violation = 0.0;
  mk_svm_measure(svm);
  if (svm->gap <= target) return MK_OK;
  MK_TRY(run_steps(task, INFINITY, 0.0, &violation));
  if (!MK_WITH_PROXIMAL || (task->columns == NULL && !mk_loss_is_dense(&svm->kind)))
    return solve_in_rounds(task, violation, target);
  /* Columns keep systems small and need no rows. SMO is slow if hardly any alpha is 0. */
  size_t most = task->columns != NULL ? svm->n : most_variables(task, INFINITY);
  return mk_svm_proximal(task, violation, target, most);
}
