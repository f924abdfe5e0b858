/* Feasible alphas, and memory of solutions and histories. Called by the certificate and the
 * optimisers. MATHEMATICS.md, section 1.2: the feasible alphas. */
#include "problem.h"

#include "base/memory.h"
#include "base/sum.h"

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
  for (size_t i = 0; i < size; i++) {
    mk_loss_shape(&problem->loss, problem->linear[i], problem->cost[i], lower + i, upper + i,
                  ridge + i);
    if (problem->cost_above != NULL) lower[i] = -problem->cost_above[i];
  }
  problem->lower = lower;
  problem->upper = upper;
  problem->ridge = ridge;
}

/* Removes the sum that rounding leaves after shrinking, from the smallest alpha that exceeds it.
 * The smaller rounding error of that is removed from an even smaller alpha. */
static void settle_sum(size_t n, double *alpha) {
  double before = INFINITY;
  for (size_t least = 0; least < n;) {
    mk_sum all = {0.0, 0.0};
    for (size_t i = 0; i < n; i++) mk_sum_add(&all, alpha[i]);
    double sum = mk_sum_total(&all), most = fabs(sum);
    least = n;
    if (!(most < before)) return;
    before = most;
    for (size_t i = 0; sum != 0.0 && i < n; i++)
      if ((alpha[i] > 0.0) == (sum > 0.0) && alpha[i] - sum != alpha[i] && fabs(alpha[i]) > most &&
          (least == n || fabs(alpha[i]) < fabs(alpha[least])))
        least = i;
    if (least < n) alpha[least] -= sum;
  }
}

void mk_make_feasible(const mk_terms *terms, double *alpha) {
  size_t n = terms->n;
  mk_sum positives = {0.0, 0.0}, negatives = {0.0, 0.0};
  for (size_t i = 0; i < n; i++) {
    alpha[i] = fmin(fmax(alpha[i], terms->lower[i]), terms->upper[i]);
    mk_sum_add(alpha[i] > 0.0 ? &positives : &negatives, fabs(alpha[i]));
  }
  double positive = mk_sum_total(&positives), negative = mk_sum_total(&negatives);
  if (terms->loss.no_offset || positive + negative == 0.0) return;
  double shrink = fmin(positive, negative) / fmax(positive, negative);
  for (size_t i = 0; i < n; i++)
    if ((alpha[i] > 0.0) == (positive > negative)) alpha[i] *= shrink;
  settle_sum(n, alpha);
}

void mk_make_joint_feasible(size_t n, size_t tasks, const double *const *upper,
                            double *const *alpha) {
  for (size_t i = 0; i < n; i++) {
    double cost = 0.0, others = 0.0, sum = 0.0;
    for (size_t t = 0; t < tasks; t++) {
      cost = fmax(cost, upper[t][i]);
      if (!(upper[t][i] > 0.0)) others -= alpha[t][i];
    }
    double shrink = others > cost ? cost / others : 1.0;
    for (size_t t = 0; t < tasks; t++)
      if (!(upper[t][i] > 0.0)) sum -= alpha[t][i] *= shrink;
    for (size_t t = 0; t < tasks; t++)
      if (upper[t][i] > 0.0) alpha[t][i] = sum;
  }
}

mk_status mk_solution_new(mk_solution *solution, const mk_problem *problem) {
  size_t kernels = mk_set_kernels(problem->set), size = problem->n * problem->tasks;
  memset(solution, 0, sizeof *solution);
  solution->theta = MK_NEW0(double, kernels);
  solution->forms = MK_NEW0(double, kernels);
  solution->alpha = MK_NEW0(double, size);
  solution->decision = MK_NEW0(double, size);
  solution->offset = MK_NEW0(double, problem->tasks);
  solution->slack = MK_NEW0(double, size + 2 * kernels);
  if (solution->theta == NULL || solution->forms == NULL || solution->alpha == NULL ||
      solution->decision == NULL || solution->offset == NULL || solution->slack == NULL)
    return MK_NO_MEMORY;
  return MK_OK;
}

void mk_solution_copy(mk_solution *to, const mk_solution *from, const mk_problem *problem) {
  size_t kernels = mk_set_kernels(problem->set), size = problem->n * problem->tasks;
  memcpy(to->theta, from->theta, kernels * sizeof(double));
  memcpy(to->forms, from->forms, kernels * sizeof(double));
  memcpy(to->alpha, from->alpha, size * sizeof(double));
  memcpy(to->decision, from->decision, size * sizeof(double));
  memcpy(to->offset, from->offset, problem->tasks * sizeof(double));
  memcpy(to->slack, from->slack, (size + 2 * kernels) * sizeof(double));
  to->primal = from->primal;
  to->dual = from->dual;
  to->gap = from->gap;
  to->rounding = from->rounding;
  to->optimizer = from->optimizer;
}

void mk_solution_clear(mk_solution *solution) {
  mk_free(solution->theta);
  mk_free(solution->forms);
  mk_free(solution->alpha);
  mk_free(solution->decision);
  mk_free(solution->offset);
  mk_free(solution->slack);
  mk_free(solution->history.line);
  mk_free(solution->history.theta);
  memset(solution, 0, sizeof *solution);
}

static size_t more_room(size_t rows) {
  return rows == 0 ? 64 : 2 * rows;
}

static mk_status add_line(mk_history *history, const mk_line *line) {
  if (history->count == history->capacity) {
    size_t room = more_room(history->capacity);
    void *larger = mk_grown(history->line, history->count, room, sizeof *line);
    if (larger == NULL) return MK_NO_MEMORY;
    history->line = larger;
    history->capacity = room;
  }
  history->line[history->count++] = *line;
  return MK_OK;
}

/* Stores theta for the last line, unless its rows would then exceed `budget` bytes. */
static mk_status trace_theta(mk_history *history, const double *theta, size_t kernels,
                             size_t budget) {
  size_t bytes = kernels * sizeof *theta;
  if (history->traced + 1 < history->count || history->count > budget / bytes) return MK_OK;
  if (history->traced == history->room) {
    size_t room = more_room(history->room);
    void *larger = mk_grown(history->theta, history->traced, room, bytes);
    if (larger == NULL) return MK_NO_MEMORY;
    history->theta = larger;
    history->room = room;
  }
  memcpy(history->theta + history->traced++ * kernels, theta, bytes);
  return MK_OK;
}

mk_status mk_history_add(mk_history *history, const mk_line *line, const double *theta,
                         size_t kernels, size_t budget) {
  MK_TRY(add_line(history, line));
  return theta != NULL ? trace_theta(history, theta, kernels, budget) : MK_OK;
}

double mk_support_count(double *const *alpha, size_t tasks, size_t n) {
  double support = 0.0;
  for (size_t i = 0; i < n; i++) {
    int any = 0;
    for (size_t t = 0; t < tasks; t++) any |= alpha[t][i] != 0.0;
    support += any;
  }
  return support;
}

mk_status mk_history_note(mk_history *history, const mk_control *control, mk_line line,
                          const double *theta, size_t kernels) {
  line.seconds = mk_seconds() - control->start;
  line.kernels = 0.0;
  for (size_t m = 0; m < kernels; m++) line.kernels += theta[m] > 0.0;
  if (control->progress != NULL)
    control->progress(control->data, line.iteration, line.seconds, line.objective, line.gap, 0.0);
  return mk_history_add(history, &line, control->trace ? theta : NULL, kernels,
                        mk_trace_budget(control));
}
