/* Stochastic dual coordinate ascent (Picard, Algorithm 1) for the hinge loss without an offset: it
 * moves one variable at a time to where its gradient vanishes or the box ends, in a random order
 * for each epoch, from two permutations that the caller has drawn. Called by solve.c.
 * MATHEMATICS.md, section 6.4. */
#include "sdca.h"

#include "svm/state.h"

#include <math.h>
#include <string.h>

int mk_sdca_serves(const mk_svm_task *task) {
  const mk_svm *svm = task->svm;
  return task->control->order != NULL && svm->kind.no_offset && svm->kind.type == MK_LOSS_HINGE;
}

/* Returns the gradient of alpha_i, or 0 if the box blocks the move. */
static double feasible_slope(const mk_svm *svm, size_t i) {
  double g = svm->gradient[i];
  if (g > 0.0 && svm->alpha[i] >= svm->upper[i]) return 0.0;
  if (g < 0.0 && svm->alpha[i] <= svm->lower[i]) return 0.0;
  return g;
}

static mk_status move_variable(const mk_svm_task *task, size_t i) {
  mk_svm *svm = task->svm;
  mk_status status = MK_OK;
  double g = feasible_slope(svm, i), curvature = task->diagonal[i];
  if (g == 0.0) return MK_OK;
  double wanted = curvature > 0.0 ? svm->alpha[i] + g / curvature : copysign(INFINITY, g);
  double alpha = fmax(svm->lower[i], fmin(wanted, svm->upper[i]));
  double step = alpha - svm->alpha[i];
  if (step == 0.0) return MK_OK;
  mk_row row = task->rows.row(task->rows.data, i, &status);
  if (row.at == NULL) return status;
  svm->simd->rows[row.single].axpy(svm->n, -step, row.at, svm->gradient);
  svm->alpha[i] = alpha;
  svm->steps += 1.0;
  return MK_OK;
}

static double violation_of(const mk_svm *svm) {
  double most = 0.0;
  for (size_t i = 0; i < svm->n; i++) most = fmax(most, fabs(feasible_slope(svm, i)));
  return most;
}

/* The permutation of an epoch: the caller's order, shuffled anew for each. */
typedef struct epoch {
  size_t total;
  int *order, *next;
} epoch;

static void permute_epoch(epoch *e, const int *shuffle) {
  for (size_t k = 0; k < e->total; k++) e->next[k] = e->order[shuffle[k]];
  int *order = e->order;
  e->order = e->next;
  e->next = order;
}

/* Goes to the epoch of this number. Powers of the shuffle by squaring take the logarithm of it. */
static mk_status go_to_epoch(const mk_control *control, size_t number, epoch *e) {
  epoch power = {.total = e->total};
  int *memory = MK_NEW(int, 2 * e->total);
  if (memory == NULL) return MK_NO_MEMORY;
  power.order = memory;
  power.next = memory + e->total;
  memcpy(e->order, control->order, e->total * sizeof(int));
  memcpy(power.order, control->shuffle, e->total * sizeof(int));
  for (; number > 0; number /= 2) {
    if (number % 2 == 1) permute_epoch(e, power.order);
    permute_epoch(&power, power.order);
  }
  mk_free(memory);
  return MK_OK;
}

static mk_status visit_all(const mk_svm_task *task, const epoch *e) {
  for (size_t k = 0; k < e->total; k++) {
    if (k % MK_POLL_STEPS == 0) MK_TRY(mk_check(task->control));
    if ((size_t)e->order[k] < task->svm->n) MK_TRY(move_variable(task, (size_t)e->order[k]));
  }
  return MK_OK;
}

/* Makes epochs until the violation is small or the steps are done. */
static mk_status run_epochs(const mk_svm_task *task, double epsilon, double end, epoch *e,
                            double *violation) {
  mk_svm *svm = task->svm;
  for (;;) {
    *violation = violation_of(svm);
    if (*violation <= epsilon || svm->steps >= end || !isfinite(*violation)) return MK_OK;
    double before = svm->steps;
    MK_TRY(visit_all(task, e));
    if (svm->steps == before) return MK_OK; /* rounding stops progress */
    permute_epoch(e, task->control->shuffle);
  }
}

mk_status mk_sdca_run(const mk_svm_task *task, double epsilon, double limit, double *violation) {
  mk_svm *svm = task->svm;
  size_t total = task->control->order_length;
  int *memory = MK_NEW(int, 2 * total);
  if (memory == NULL) return MK_NO_MEMORY;
  epoch e = {total, memory, memory + total};
  mk_status status = go_to_epoch(task->control, (size_t)svm->steps, &e); /* another on each call */
  if (status == MK_OK) status = run_epochs(task, epsilon, svm->steps + limit, &e, violation);
  mk_free(memory);
  mk_svm_reset_bounds(svm);
  return status;
}
