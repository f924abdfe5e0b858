#include "problem.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

mk_terms mk_problem_terms(const mk_problem *problem, size_t task) {
  size_t from = task * problem->n;
  return (mk_terms){problem->loss,          problem->n,
                    problem->linear + from, problem->lower + from,
                    problem->upper + from,  problem->ridge != NULL ? problem->ridge + from : NULL};
}

void mk_problem_shape(mk_problem *problem, double *memory) {
  size_t size = problem->n * problem->tasks;
  double *lower = memory, *upper = memory + size, *ridge = upper + size;
  for (size_t i = 0; i < size; i++)
    mk_loss_shape(&problem->loss, problem->linear[i], problem->cost[i], lower + i, upper + i,
                  ridge + i);
  problem->lower = lower;
  problem->upper = upper;
  problem->ridge = ridge;
}

void mk_make_feasible(const mk_terms *terms, double *alpha) {
  size_t n = terms->n;
  double positive = 0.0, negative = 0.0;
  for (size_t i = 0; i < n; i++) {
    alpha[i] = fmin(fmax(alpha[i], terms->lower[i]), terms->upper[i]);
    if (alpha[i] > 0.0)
      positive += alpha[i];
    else
      negative -= alpha[i];
  }
  if (positive == negative || terms->loss.no_offset) return;
  double shrink = positive > negative ? negative / positive : positive / negative;
  for (size_t i = 0; i < n; i++)
    if ((alpha[i] > 0.0) == (positive > negative)) alpha[i] *= shrink;
}

mk_status mk_solution_new(mk_solution *solution, const mk_problem *problem) {
  size_t kernels = mk_set_kernels(problem->set), size = problem->n * problem->tasks;
  memset(solution, 0, sizeof *solution);
  solution->theta = MK_NEW0(double, kernels);
  solution->forms = MK_NEW0(double, kernels);
  solution->alpha = MK_NEW0(double, size);
  solution->decision = MK_NEW0(double, size);
  solution->offset = MK_NEW0(double, problem->tasks);
  if (solution->theta == NULL || solution->forms == NULL || solution->alpha == NULL ||
      solution->decision == NULL || solution->offset == NULL)
    return MK_NO_MEMORY;
  return MK_OK;
}

void mk_solution_clear(mk_solution *solution) {
  mk_free(solution->theta);
  mk_free(solution->forms);
  mk_free(solution->alpha);
  mk_free(solution->decision);
  mk_free(solution->offset);
  mk_free(solution->history.iteration);
  memset(solution, 0, sizeof *solution);
}

/* The six columns live in one block. */
static mk_status grow(mk_history *history) {
  size_t capacity = history->capacity == 0 ? 64 : 2 * history->capacity;
  double *block = MK_NEW(double, 6 * capacity);
  if (block == NULL) return MK_NO_MEMORY;
  double **column[6] = {&history->iteration, &history->seconds, &history->objective,
                        &history->gap,       &history->kernels, &history->support};
  double *old = history->iteration;
  for (int k = 0; k < 6; k++) {
    if (history->count > 0)
      memcpy(block + (size_t)k * capacity, *column[k], history->count * sizeof(double));
    *column[k] = block + (size_t)k * capacity;
  }
  mk_free(old);
  history->capacity = capacity;
  return MK_OK;
}

mk_status mk_history_add(mk_history *history, double iteration, double seconds, double objective,
                         double gap, double kernels, double support) {
  if (history->count == history->capacity) MK_TRY(grow(history));
  size_t k = history->count++;
  history->iteration[k] = iteration;
  history->seconds[k] = seconds;
  history->objective[k] = objective;
  history->gap[k] = gap;
  history->kernels[k] = kernels;
  history->support[k] = support;
  return MK_OK;
}
