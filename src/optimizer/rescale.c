/* The factor near 1 by which alphas close most of the gap, and the certificate after it. Called by
 * fit-state.c and column-generation.c. MATHEMATICS.md, section 1.6. */
#include "rescale.h"

#include "base/memory.h"
#include "certificate/certificate.h"
#include "problem/sides.h"
#include "svm/loss.h"

#include <float.h>
#include <math.h>

#define LARGEST_POWER (-4) /* largest k of the factors 1 +- {1, 2, 5} 10^k */

typedef struct scaling {
  const mk_problem *problem;
  const mk_solution *solution;
  double *gradient;
  int *order;
  double *alpha;                       /* n: scaled alphas */
  double gain, dual_norm, regularizer; /* linear'alpha, ||s||, twice the primal regulariser */
} scaling;

static double gap_at(const scaling *s, double factor) {
  const mk_problem *problem = s->problem;
  double loss = 0.0, offset, square = factor * factor;
  for (size_t t = 0; t < problem->tasks; t++) {
    size_t from = t * problem->n;
    mk_terms terms = mk_problem_terms(problem, t);
    for (size_t i = 0; i < problem->n; i++) {
      s->gradient[i] = problem->linear[from + i] -
                       factor * (s->solution->decision[from + i] - s->solution->offset[t]);
      s->alpha[i] = factor * s->solution->alpha[from + i];
    }
    loss += mk_loss_total(&terms, s->gradient, s->order, &offset) +
            mk_loss_total_penalty(&terms, s->alpha);
  }
  return loss + 0.5 * square * (s->regularizer + s->dual_norm) - factor * s->gain;
}

/* Returns how much alpha can grow inside the box. */
static double largest_factor(const mk_problem *problem, const double *alpha) {
  double most = INFINITY;
  for (size_t i = 0; i < problem->n * problem->tasks; i++) {
    if (alpha[i] > 0.0)
      most = fmin(most, problem->upper[i] / alpha[i]);
    else if (alpha[i] < 0.0)
      most = fmin(most, problem->lower[i] / alpha[i]);
  }
  return most;
}

static double search_factor(const scaling *s, double most) {
  static const double digit[] = {1.0, 2.0, 5.0};
  double best = 1.0, least = gap_at(s, 1.0);
  for (int power = 1 - DBL_DIG; power <= LARGEST_POWER; power++)
    for (int k = 0; k < 6; k++) {
      double factor = 1.0 + (k < 3 ? 1.0 : -1.0) * digit[k % 3] * pow(10.0, power);
      double gap = factor <= most ? gap_at(s, factor) : INFINITY;
      if (gap < least) {
        least = gap;
        best = factor;
      }
    }
  return best;
}

/* Finds the factor that closes most of the certified gap, from the certificate's decision values
 * and forms; 1 if none does. */
static mk_status best_factor(const mk_problem *problem, const mk_solution *solution,
                             double *factor) {
  size_t kernels = mk_set_kernels(problem->set);
  scaling s = {.problem = problem, .solution = solution};
  s.gradient = MK_NEW(double, problem->n);
  s.alpha = MK_NEW(double, problem->n);
  s.order = MK_NEW(int, problem->n);
  mk_status status =
      s.gradient == NULL || s.alpha == NULL || s.order == NULL ? MK_NO_MEMORY : MK_OK;
  *factor = 1.0;
  if (status == MK_OK) {
    for (size_t i = 0; i < problem->n * problem->tasks; i++)
      s.gain += problem->linear[i] * solution->alpha[i];
    status = mk_sides(&problem->norm, kernels, solution->theta, solution->forms, &s.regularizer,
                      &s.dual_norm);
  }
  if (status == MK_OK) *factor = search_factor(&s, largest_factor(problem, solution->alpha));
  mk_free(s.gradient);
  mk_free(s.alpha);
  mk_free(s.order);
  return status;
}

mk_status mk_rescale_certified(const mk_problem *problem, const mk_control *control,
                               mk_solution *solution) {
  double factor;
  if (solution->gap <= control->tol) return MK_OK;
  MK_TRY(best_factor(problem, solution, &factor));
  if (factor == 1.0) return MK_OK;
  for (size_t i = 0; i < problem->n * problem->tasks; i++) solution->alpha[i] *= factor;
  return mk_certify_solution(problem, control, solution);
}

mk_status mk_certify_rescaled(const mk_problem *problem, const mk_control *control,
                              mk_solution *solution) {
  MK_TRY(mk_certify_solution(problem, control, solution));
  return mk_rescale_certified(problem, control, solution);
}
