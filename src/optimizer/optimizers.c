#include "optimizers.h"

#include "base/mechanisms.h"
#include "chunking/chunking.h"
#include "optimizer/column-generation.h"
#include "optimizer/interleaved.h"
#include "optimizer/outer-loop.h"
#include "optimizer/sample-start.h"
#include "theta/norm.h"

#include <math.h>

/* The rule of each optimiser that moves theta by a rule, or NULL. */
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

static mk_status run_interleaved(const mk_problem *problem, const mk_control *control,
                                 const mk_start *start, mk_solution *solution) {
  solution->optimizer = MK_INTERLEAVED;
  return MK_WITH_COLUMN_GENERATION && mk_generates_columns(problem)
             ? mk_column_generation(problem, control, start, solution)
             : mk_interleaved(problem, control, start, solution);
}

static mk_status run_chunking(const mk_problem *problem, const mk_control *control,
                              const mk_start *start, mk_solution *solution) {
  solution->optimizer = MK_CHUNKING;
  return mk_chunking(problem, control, start, solution);
}

/* ---- the default ---- */

/* Number of samples, and of expected support vectors, from which chunks are used, since values
 * between so many no longer fit the default budget. With fewer samples chunks save memory only.
 * Processor seconds on one thread, and memory, of the interleaved optimiser / of chunks, 20
 * Gaussians on 10 columns, hinge loss, p = 4/3, C = 1, gap 1e-3, 10 % and no label noise:
 *     samples   noise                        no noise
 *     12,500     3.6 /  4.9,  610 / 31 MB    1.7 / 2.6
 *     20,000     8.7 /  8.4, 1535 / 71 MB    3.0 / 3.0
 *     25,000    15.8 / 11.6, 2426 / 106 MB
 *     30,000    15.7 / 16.4, 3074 / 150 MB   4.4 / 5.5
 * Chunks are slower at larger costs (C = 10: 15.8 / 48.0 at 22,000 and 41.4 / 90.2 at 40,000; C =
 * 100: 16.3 / 68.0 at 22,000), with fixed weights (p = Inf: 8.5 / 21.6 at 22,000), and for losses
 * whose dual has a term for each alpha (squared hinge 5.2 / 9.5, epsilon-insensitive 7.0 / 33.8 at
 * 20,000). bench/million-rows.R measured this. */
#define MANY_SAMPLES 28000.0
#define SMALL_COST 1.0 /* largest bound of an alpha at which chunks are used */

static int costs_are_small(const mk_problem *problem) {
  for (size_t i = 0; i < problem->n; i++)
    if (problem->upper[i] > SMALL_COST || problem->lower[i] < -SMALL_COST) return 0;
  return 1;
}

/* Returns 1 if chunks may be quicker: one model, weights that are learnt and not sparse, a dual
 * without a term of its own for each alpha, small costs, and kernel values that cost little. */
static int may_chunk(const mk_problem *problem, const mk_control *control) {
  const mk_norm *norm = &problem->norm;
  return control->working_set && (double)problem->n >= MANY_SAMPLES && problem->tasks == 1 &&
         mk_loss_is_linear(&problem->loss) && mk_norm_is_plain(norm) && !mk_norm_is_fixed(norm) &&
         !mk_norm_is_sparse(norm) && costs_are_small(problem) &&
         mk_set_has_quick_pairs(problem->set);
}

#define FEW_KERNELS 10

/* The joint loss has rules alone, since no other steps serve its dual. Analytic steps are slow
 * where few kernels get weight. Cutting planes take a fifth of the level method's time over 7
 * Gaussians, and many times as long over 27. */
static mk_status run_joint(mk_optimizer optimizer, const mk_problem *problem,
                           const mk_control *control, const mk_start *start,
                           mk_solution *solution) {
  if (rules[optimizer] == NULL) {
    mk_optimizer sparse = mk_set_kernels(problem->set) > FEW_KERNELS ? MK_LEVEL : MK_CUTTING_PLANE;
    int serves = mk_norm_is_sparse(&problem->norm) && mk_optimizer_serves(sparse, &problem->norm);
    optimizer = serves ? sparse : MK_WRAPPER;
  }
  if (mk_norm_is_fixed(&problem->norm)) optimizer = MK_WRAPPER;
  solution->optimizer = (int)optimizer;
  return mk_outer_loop(problem, control, start, rules[optimizer], solution);
}

static mk_status run_optimizer(mk_optimizer optimizer, const mk_problem *problem,
                               const mk_control *control, const mk_start *start,
                               mk_solution *solution) {
  if (mk_loss_is_joint(&problem->loss))
    return run_joint(optimizer, problem, control, start, solution);
  const mk_after_sample chunks = {run_chunking, run_chunking, 0.0};
  const mk_after_sample either = {run_interleaved, run_chunking, MANY_SAMPLES};
  if (optimizer == MK_AUTO && may_chunk(problem, control))
    return mk_from_sample(problem, control, start, &either, solution);
  if (optimizer == MK_AUTO || optimizer == MK_INTERLEAVED)
    return run_interleaved(problem, control, start, solution);
  if (optimizer == MK_CHUNKING) return mk_from_sample(problem, control, start, &chunks, solution);
  /* the rule that works for all norms will do if theta is fixed */
  const mk_rule_type *rule =
      mk_norm_is_fixed(&problem->norm) ? &mk_analytic_rule : rules[optimizer];
  solution->optimizer = (int)optimizer;
  return mk_outer_loop(problem, control, start, rule, solution);
}

/* ---- after a stall ---- */

/* Restores the first iterate, to which the history's last line belongs. */
static mk_status restore_first(const mk_problem *problem, const mk_control *control,
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
static mk_status continue_interleaved(const mk_problem *problem, const mk_control *control,
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
    status = run_interleaved(problem, control, &start, solution);
    solution->optimizer = first.optimizer;
    if (solution->bytes < bytes) solution->bytes = bytes;
    mk_status back =
        solution->gap < first.gap ? MK_OK : restore_first(problem, control, &first, solution);
    if (back != MK_OK) status = back;
  }
  mk_solution_clear(&first);
  if (mk_usable_end(status)) return solution->gap <= control->tol ? MK_OK : status;
  /* the first optimiser's solution stands unless the user interrupted */
  return status == MK_INTERRUPTED ? status : MK_STALLED;
}

mk_status mk_optimize(mk_optimizer optimizer, const mk_problem *problem, const mk_control *control,
                      const mk_start *start, mk_solution *solution) {
  mk_start nothing = {.theta = NULL};
  if (start == NULL) start = &nothing;
  if (!mk_optimizer_serves(optimizer, &problem->norm)) return MK_BAD_ARGUMENT;
  mk_status status = run_optimizer(optimizer, problem, control, start, solution);
  /* no other optimiser can do better if only rounding is left */
  int stalled = status == MK_STALLED && solution->rounding < control->tol;
  int another = solution->optimizer != MK_INTERLEAVED && !mk_loss_is_joint(&problem->loss);
  return stalled && another ? continue_interleaved(problem, control, solution) : status;
}
