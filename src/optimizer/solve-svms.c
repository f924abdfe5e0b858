#include "solve-svms.h"

#include "base/memory.h"
#include "svm/joint.h"
#include "svm/loss.h"
#include "svm/solve.h"
#include "svm/state.h"

#include <math.h>
#include <string.h>

double mk_fit_measure_svms(mk_fit_state *fit, double *loss) {
  double gap = 0.0;
  *loss = 0.0;
  if (mk_loss_is_joint(&fit->problem->loss)) {
    mk_joint_measure(fit->svm, fit->problem->tasks, loss, &gap);
    return gap;
  }
  for (size_t t = 0; t < fit->problem->tasks; t++) {
    mk_svm_measure(&fit->svm[t]);
    gap += fit->svm[t].gap;
    *loss += fit->svm[t].loss;
  }
  return gap;
}

static mk_svm_rows rows_of(mk_gram *gram) {
  return (mk_svm_rows){.row = mk_gram_row,
                       .data = gram,
                       .single = mk_gram_is_single(gram),
                       .unit = mk_gram_unit(gram)};
}

/* Solves on the rows as they are. */
static mk_status solve_on_rows(mk_fit_state *fit, double target) {
  mk_status status = MK_OK;
  for (size_t t = 0; t < fit->problem->tasks; t++) {
    mk_svm_task task = {.svm = &fit->svm[t],
                        .rows = rows_of(fit->gram),
                        .columns = mk_gram_thin(fit->gram),
                        .diagonal = mk_gram_diagonal(fit->gram),
                        .control = fit->control,
                        .system = &fit->system};
    mk_status solved = mk_svm_solve(&task, target / (double)fit->problem->tasks);
    if (solved == MK_STALLED)
      status = MK_STALLED;
    else if (solved != MK_OK)
      return solved;
  }
  return status;
}

static mk_status solve_joint(mk_fit_state *fit, double target) {
  mk_joint_task task = {.svm = fit->svm,
                        .classes = fit->problem->tasks,
                        .rows = rows_of(fit->gram),
                        .diagonal = mk_gram_diagonal(fit->gram),
                        .control = fit->control};
  return mk_joint_solve(&task, target);
}

/* ---- iterative refinement ---- */

/* Rows are approximate but responses are exact. With the exact gradient at alpha_0, the SVM solver
 * moves along
 *   gradient = linear - K alpha_0 - K_rows (alpha - alpha_0);
 * then the exact gradient at its answer is computed, and the best point between both is taken,
 * which needs no kernel values, since gradients are linear in alpha. */

/* The segment from where a task's round began to where it ended. */
typedef struct segment {
  const mk_svm *svm;
  mk_terms terms;
  const double *alpha, *gradient; /* n: at the beginning */
} segment;

/* Returns the derivative of the dual along the segment at `share` of its length. */
static double rise_at(const void *data, double share, double *rate) {
  const segment *s = data;
  const mk_svm *svm = s->svm;
  double sum = 0.0;
  *rate = 0.0;
  for (size_t i = 0; i < svm->n; i++) {
    double d = svm->alpha[i] - s->alpha[i], bend = s->gradient[i] - svm->gradient[i];
    if (d == 0.0) continue;
    double slope = 0.0;
    if (!mk_loss_is_linear(&svm->kind)) {
      double a = s->alpha[i] + share * d, right, left;
      mk_loss_slopes(&s->terms, i, a, &right, &left);
      slope = d > 0.0 ? left : right;
      bend += mk_loss_curvature(&s->terms, i, a) * d;
    }
    sum += (s->gradient[i] + share * (svm->gradient[i] - s->gradient[i]) - slope) * d;
    *rate += bend * d;
  }
  return sum;
}

/* Goes back along the segment to where the dual is largest. */
static void step_back(mk_svm *svm, const double *alpha, const double *gradient) {
  segment s = {svm, mk_svm_terms(svm), alpha, gradient};
  double rate, step = 1.0;
  if (rise_at(&s, 1.0, &rate) < 0.0) step = mk_loss_root(rise_at, &s, 0.0, 1.0);
  if (step == 1.0) return;
  for (size_t i = 0; i < svm->n; i++) {
    svm->alpha[i] = alpha[i] + step * (svm->alpha[i] - alpha[i]);
    svm->gradient[i] = gradient[i] + step * (svm->gradient[i] - gradient[i]);
  }
  mk_svm_reset_bounds(svm);
}

/* Makes one round of refinement; `start` is scratch for alphas and gradients of all tasks. */
static mk_status refine_once(mk_fit_state *fit, double target, double *start) {
  size_t n = fit->problem->n, tasks = fit->problem->tasks;
  mk_alphas alphas = {tasks, fit->alpha};
  double *gradients = start + tasks * n;
  for (size_t t = 0; t < tasks; t++) {
    const mk_svm *svm = &fit->svm[t];
    memcpy(start + t * n, svm->alpha, svm->n * sizeof(double));
    memcpy(gradients + t * n, svm->gradient, svm->n * sizeof(double));
  }
  mk_status solved = solve_on_rows(fit, target);
  if (solved != MK_OK && solved != MK_STALLED) return solved;
  MK_TRY(mk_gram_response(fit->gram, &alphas, fit->response));
  for (size_t t = 0; t < tasks; t++) {
    mk_svm *svm = &fit->svm[t];
    for (size_t i = 0; i < svm->n; i++) svm->gradient[i] = svm->linear[i] - fit->response[t][i];
    step_back(svm, start + t * n, gradients + t * n);
  }
  return MK_OK;
}

static mk_status refine_svms(mk_fit_state *fit, double target) {
  double *start = MK_NEW(double, 2 * fit->problem->tasks * fit->problem->n);
  double loss, gap = mk_fit_measure_svms(fit, &loss);
  mk_status status = start == NULL ? MK_NO_MEMORY : MK_OK;
  for (int idle = 0; status == MK_OK && gap > target;) {
    double before = gap;
    status = mk_check(fit->control);
    if (status == MK_OK) status = refine_once(fit, MK_INNER_SHARE * gap, start);
    if (status != MK_OK) break;
    gap = mk_fit_measure_svms(fit, &loss);
    idle = gap > MK_PROGRESS * before ? idle + 1 : 0;
    if (!isfinite(gap)) status = MK_NOT_FINITE;
    if (idle > MK_MAX_IDLE) status = MK_STALLED;
  }
  mk_free(start);
  return status;
}

mk_status mk_fit_solve_svms(mk_fit_state *fit, double target) {
  if (mk_loss_is_joint(&fit->problem->loss)) return solve_joint(fit, target);
  return mk_gram_is_approximate(fit->gram) ? refine_svms(fit, target) : solve_on_rows(fit, target);
}
