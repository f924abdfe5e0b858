/* SMO, measured by the true gap; Newton steps on the free variables take over
 * where they are expected to be cheaper than the SMO steps still to come. */
#include "svm.h"

#include <math.h>

#define LEAST_STEPS 1000.0
#define PATIENCE 100    /* rounds of SMO without progress before rounding is blamed */
#define TRIAL_SHARE 0.2 /* of a Newton step's time that SMO gets to show its pace */

/* Rough nanoseconds: a factor does some twenty operations in each, a pair of
 * SMO passes and their rows takes about one for every point. */
static double newton_time(const mk_svm *svm) {
  double f = (double)mk_svm_free_count(svm), n = (double)svm->n;
  return f * f * f / 60.0 + f * n;
}

static int fits_memory(const mk_svm_task *task) {
  double f = (double)mk_svm_free_count(task->svm);
  return 8.0 * f * f <= mk_system_budget(task->control);
}

/* Time of SMO until the target if the gap goes on falling as it did. */
static double smo_time(const mk_svm *svm, double steps, double gap_before, double target) {
  double fall = log(gap_before / svm->gap);
  if (!(fall > 0.0)) return INFINITY;
  return steps * (double)svm->n * log(svm->gap / target) / fall;
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

/* linear'alpha - alpha'K alpha/2, K alpha being linear - gradient. */
static double dual_value(const mk_svm *svm) {
  double sum = 0.0;
  for (size_t i = 0; i < svm->n; i++)
    sum += 0.5 * svm->alpha[i] * (svm->linear[i] + svm->gradient[i]);
  return sum;
}

mk_status mk_svm_solve(const mk_svm_task *task, double target) {
  mk_svm *svm = task->svm;
  double violation = 0.0;
  int newton_failed = 0, idle = 0;
  double best_value = -INFINITY;
  double window_start, window_gap, best;
  mk_svm_measure(svm);
  if (svm->gap <= target) return MK_OK;
  MK_TRY(mk_smo_run(task, INFINITY, 0.0, &violation));
  double epsilon = violation * fmax(0.1, fmin(0.5, target / svm->gap));
  window_start = svm->steps;
  window_gap = best = svm->gap;
  for (;;) {
    double gap_before = svm->gap;
    MK_TRY(mk_smo_run(task, epsilon, fmax(LEAST_STEPS, (double)svm->n), &violation));
    mk_svm_measure(svm);
    if (!isfinite(svm->gap)) return MK_NOT_FINITE;
    if (svm->gap <= target) return MK_OK;
    MK_TRY(mk_check(task->control));
    if (violation <= rounding_level(task) && svm->gap >= 0.5 * gap_before) return MK_STALLED;
    double value = dual_value(svm);
    int rising = value > best_value + 1e-10 * fabs(best_value);
    idle = rising && svm->gap < 0.99 * best ? 0 : idle + 1;
    best = fmin(best, svm->gap);
    best_value = fmax(best_value, value);
    if (idle > PATIENCE) return MK_STALLED;
    if (violation <= epsilon) epsilon = violation * fmax(0.02, fmin(0.5, target / svm->gap));
    double steps = svm->steps - window_start, cost = newton_time(svm);
    if (newton_failed-- > 0 || !fits_memory(task) || steps * (double)svm->n < TRIAL_SHARE * cost ||
        cost > smo_time(svm, steps, window_gap, target))
      continue;
    gap_before = svm->gap;
    int moved = 0;
    MK_TRY(mk_svm_newton(task, &moved));
    mk_svm_measure(svm);
    if (svm->gap <= target) return MK_OK;
    window_start = svm->steps;
    window_gap = svm->gap;
    newton_failed =
        moved && svm->gap < 0.9 * gap_before ? 0 : 4; /* SMO first changes the free set */
  }
}
