#include "optimizers.h"

#include "base/mechanisms.h"
#include "optimizer/column-generation.h"
#include "optimizer/interleaved.h"
#include "optimizer/outer-loop.h"

#include <math.h>

/* One row per member: the rule by which theta moves, where it moves by one. */
static const mk_rule_type *const rules[MK_OPTIMIZERS] = {
    [MK_WRAPPER] = &mk_analytic_rule,
    [MK_CUTTING_PLANE] = &mk_cutting_plane_rule,
    [MK_LEVEL] = &mk_level_rule,
    [MK_REDUCED_GRADIENT] = &mk_reduced_gradient_rule,
};

int mk_optimizer_serves(mk_optimizer optimizer, const mk_norm *norm) {
  const mk_rule_type *rule = rules[optimizer];
  return rule == NULL || rule->serves == NULL || mk_norm_is_fixed(norm) || rule->serves(norm);
}

static mk_status run(mk_optimizer optimizer, const mk_problem *problem, const mk_control *control,
                     const mk_start *start, mk_solution *solution) {
  if (optimizer == MK_INTERLEAVED)
    return MK_WITH_COLUMN_GENERATION && mk_generates_columns(problem)
               ? mk_column_generation(problem, control, start, solution)
               : mk_interleaved(problem, control, start, solution);
  /* with theta fixed, any rule is as good as the one that serves all norms */
  const mk_rule_type *rule =
      mk_norm_is_fixed(&problem->norm) ? &mk_analytic_rule : rules[optimizer];
  return mk_outer_loop(problem, control, start, rule, solution);
}

/* ---- another way ---- */

/* The history goes on: it is handed over. */
static void hand_over(mk_history *from, mk_history *to) {
  *to = *from;
  *from = (mk_history){0};
}

/* The better one of two becomes the first, with the effort and the history of both. */
static mk_status keep_better(mk_solution *first, mk_solution *second, const mk_control *control,
                             size_t kernels) {
  size_t bytes = first->bytes > second->bytes ? first->bytes : second->bytes;
  double iterations = second->iterations, solves = second->solves;
  int worse = !(second->gap < first->gap);
  if (!worse) {
    mk_solution kept = *first;
    *first = *second;
    *second = kept;
  } else {
    hand_over(&second->history, &first->history);
  }
  first->bytes = bytes;
  first->iterations = iterations;
  first->solves = solves;
  if (!worse || first->history.count == 0) return MK_OK;
  mk_line last = first->history.line[first->history.count - 1];
  last.objective = first->dual;
  last.gap = first->gap;
  MK_TRY(mk_history_add(&first->history, &last));
  if (!control->trace) return MK_OK;
  return mk_history_trace(&first->history, first->theta, kernels, mk_trace_budget(control));
}

/* From where the first one stalled, within the same limits, by one of the two that serve all
 * norms. */
static mk_status try_another_way(mk_optimizer tried, const mk_problem *problem,
                                 const mk_control *control, mk_solution *solution) {
  mk_optimizer next = tried == MK_INTERLEAVED ? MK_NEWTON : MK_INTERLEAVED;
  mk_solution other;
  mk_status status = mk_solution_new(&other, problem);
  mk_start start = {.theta = solution->theta,
                    .alpha = solution->alpha,
                    .iterations = solution->iterations,
                    .solves = solution->solves};
  if (status == MK_OK) {
    hand_over(&solution->history, &other.history);
    other.iterations = solution->iterations;
    other.solves = solution->solves;
    other.gap = INFINITY;
    status = run(next, problem, control, &start, &other);
    mk_status kept = keep_better(solution, &other, control, mk_set_kernels(problem->set));
    if (kept != MK_OK) status = kept;
  }
  mk_solution_clear(&other);
  if (mk_usable_end(status)) return solution->gap <= control->tol ? MK_OK : status;
  /* what stopped the second one is no fault of the first's solution, unless the user did */
  return status == MK_INTERRUPTED ? status : MK_STALLED;
}

mk_status mk_optimize(mk_optimizer optimizer, const mk_problem *problem, const mk_control *control,
                      const mk_start *start, mk_solution *solution) {
  mk_start nothing = {.theta = NULL};
  if (start == NULL) start = &nothing;
  if (!mk_optimizer_serves(optimizer, &problem->norm)) return MK_BAD_ARGUMENT;
  mk_status status = run(optimizer, problem, control, start, solution);
  /* where rounding is what is left, no other way leads farther */
  if (!MK_WITH_SECOND_OPTIMIZER || status != MK_STALLED || solution->rounding >= control->tol)
    return status;
  return try_another_way(optimizer, problem, control, solution);
}
