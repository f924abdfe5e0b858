#include "optimizers.h"

#include "base/mechanisms.h"
#include "optimizer/column-generation.h"
#include "chunking/chunking.h"
#include "optimizer/interleaved.h"
#include "optimizer/outer-loop.h"
#include "optimizer/sample-start.h"

#include <math.h>

/* One row per optimiser: the rule that moves theta, or NULL. */
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

static mk_status run_optimizer(mk_optimizer optimizer, const mk_problem *problem,
                               const mk_control *control, const mk_start *start,
                               mk_solution *solution) {
  if (optimizer == MK_INTERLEAVED)
    return MK_WITH_COLUMN_GENERATION && mk_generates_columns(problem)
               ? mk_column_generation(problem, control, start, solution)
               : mk_interleaved(problem, control, start, solution);
  if (optimizer == MK_CHUNKING)
    return mk_from_sample(problem, control, start, mk_chunking, solution);
  /* if theta is fixed, the rule that works for all norms will do */
  const mk_rule_type *rule =
      mk_norm_is_fixed(&problem->norm) ? &mk_analytic_rule : rules[optimizer];
  return mk_outer_loop(problem, control, start, rule, solution);
}

/* ---- where others stall ---- */

/* Restores the first pair, to which the history's last line belongs. */
static mk_status go_back(const mk_problem *problem, const mk_control *control,
                         const mk_solution *first, mk_solution *solution) {
  mk_history *history = &solution->history;
  mk_solution_copy(solution, first, problem);
  if (history->count == 0) return MK_OK;
  mk_line last = history->line[history->count - 1];
  last.objective = first->dual;
  last.gap = first->gap;
  return mk_history_note(history, control, last, first->theta, mk_set_kernels(problem->set));
}

/* Continues with the interleaved optimiser, within the same limits. */
static mk_status go_on(const mk_problem *problem, const mk_control *control,
                       mk_solution *solution) {
  mk_solution first;
  size_t bytes = solution->bytes;
  mk_status status = mk_solution_new(&first, problem);
  if (status == MK_OK) {
    mk_solution_copy(&first, solution, problem);
    mk_start start = {.theta = first.theta,
                      .alpha = first.alpha,
                      .iterations = solution->iterations,
                      .solves = solution->solves};
    solution->gap = INFINITY;
    status = run_optimizer(MK_INTERLEAVED, problem, control, &start, solution);
    if (solution->bytes < bytes) solution->bytes = bytes;
    mk_status back =
        solution->gap < first.gap ? MK_OK : go_back(problem, control, &first, solution);
    if (back != MK_OK) status = back;
  }
  mk_solution_clear(&first);
  if (mk_usable_end(status)) return solution->gap <= control->tol ? MK_OK : status;
  /* unless the user interrupted, the first optimiser's solution stands */
  return status == MK_INTERRUPTED ? status : MK_STALLED;
}

mk_status mk_optimize(mk_optimizer optimizer, const mk_problem *problem, const mk_control *control,
                      const mk_start *start, mk_solution *solution) {
  mk_start nothing = {.theta = NULL};
  if (start == NULL) start = &nothing;
  if (!mk_optimizer_serves(optimizer, &problem->norm)) return MK_BAD_ARGUMENT;
  mk_status status = run_optimizer(optimizer, problem, control, start, solution);
  /* if only rounding is left, no other optimiser can do better */
  int stalled = status == MK_STALLED && solution->rounding < control->tol;
  return stalled && optimizer != MK_INTERLEAVED ? go_on(problem, control, solution) : status;
}
