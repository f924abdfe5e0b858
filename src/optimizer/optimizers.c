#include "optimizers.h"

#include "optimizer/active-kernels.h"
#include "optimizer/interleaved.h"
#include "optimizer/outer-loop.h"

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

mk_status mk_optimize(mk_optimizer optimizer, const mk_problem *problem, const mk_control *control,
                      const mk_start *start, mk_solution *solution) {
  mk_start nothing = {.theta = NULL};
  if (start == NULL) start = &nothing;
  if (!mk_optimizer_serves(optimizer, &problem->norm)) return MK_BAD_ARGUMENT;
  if (optimizer == MK_INTERLEAVED)
    return mk_has_many_columns(problem)
               ? mk_active_kernels(problem, control, start, &mk_column_pool, solution)
               : mk_interleaved(problem, control, start, solution);
  /* with theta fixed, any rule is as good as the one that serves all norms */
  const mk_rule_type *rule =
      mk_norm_is_fixed(&problem->norm) ? &mk_analytic_rule : rules[optimizer];
  return mk_outer_loop(problem, control, start, rule, solution);
}
