/* Stochastic dual coordinate ascent (Picard, Algorithm 1) for the hinge loss without an offset: it
 * moves one variable at a time to where its gradient vanishes or the box ends, in a random order
 * that the caller has drawn. Called by solve.c. MATHEMATICS.md, section 6.4. */
#include "svm.h"

#include <math.h>

int mk_sdca_serves(const mk_svm_task *task) {
  const mk_svm *svm = task->svm;
  return task->control->order != NULL && svm->kind.no_offset && svm->kind.type == MK_LOSS_HINGE;
}

/* Returns the gradient of alpha_i, or 0 if the box blocks the move. */
static double slope(const mk_svm *svm, size_t i) {
  double g = svm->gradient[i];
  if (g > 0.0 && svm->alpha[i] >= svm->upper[i]) return 0.0;
  if (g < 0.0 && svm->alpha[i] <= svm->lower[i]) return 0.0;
  return g;
}

static mk_status move(const mk_svm_task *task, size_t i) {
  mk_svm *svm = task->svm;
  mk_status status = MK_OK;
  double g = slope(svm, i), curvature = task->diagonal[i];
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
  for (size_t i = 0; i < svm->n; i++) most = fmax(most, fabs(slope(svm, i)));
  return most;
}

/* Returns the stride of a round through the caller's order. The start also differs between
 * rounds. */
static size_t stride_of(size_t round, size_t total) {
  static const size_t prime[] = {1, 7, 13, 19, 29, 37, 43, 53};
  size_t stride = prime[round % (sizeof prime / sizeof *prime)];
  return total % stride == 0 ? 1 : stride;
}

static mk_status visit_all(const mk_svm_task *task, size_t round) {
  const int *order = task->control->order;
  size_t total = task->control->order_length, stride = stride_of(round, total);
  size_t at = (size_t)order[round % total];
  for (size_t k = 0; k < total; k++, at = (at + stride) % total) {
    if (k % MK_POLL_STEPS == 0) MK_TRY(mk_check(task->control));
    if ((size_t)order[at] < task->svm->n) MK_TRY(move(task, (size_t)order[at]));
  }
  return MK_OK;
}

mk_status mk_sdca_run(const mk_svm_task *task, double epsilon, double limit, double *violation) {
  mk_svm *svm = task->svm;
  double end = svm->steps + limit;
  size_t round = (size_t)svm->steps; /* another round on each call */
  mk_status status = MK_OK;
  for (; status == MK_OK; round++) {
    *violation = violation_of(svm);
    if (*violation <= epsilon || svm->steps >= end || !isfinite(*violation)) break;
    double before = svm->steps;
    status = visit_all(task, round);
    if (svm->steps == before) break; /* rounding stops progress */
  }
  mk_svm_reset_bounds(svm);
  return status;
}
