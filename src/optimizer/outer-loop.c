#include "outer-loop.h"

#include "base/memory.h"
#include "optimizer/theta-step.h"
#include "theta/barrier.h"
#include "theta/norm.h"

#include <math.h>
#include <string.h>

/* idle moves that are allowed where the bounds meet up to rounding */
#define MAX_ROUNDED_MOVES 30.0

typedef struct loop {
  mk_fit_state *fit;
  const mk_rule_type *type; /* NULL: Newton's method */
  mk_rule rule;
  mk_question question;   /* last question; its theta is memory of the loop */
  double *alpha;          /* tasks x n; memory of the loop */
  double upper;           /* least upper bound of the answers */
  double lower;           /* best lower bound of all */
  double mark, marked_at; /* gap at the last progress; number of moves then */
  double moves;
} loop;

/* ---- the loop ---- */

/* Updates the bounds of the optimum after an answer; returns their relative difference. */
static double update_bounds(loop *l) {
  mk_fit_state *fit = l->fit;
  mk_fit_keep(fit);
  fit->best_upper = fmin(fit->best_upper, fit->upper);
  l->lower = fmax(l->lower, fmax(fit->lower, l->question.lower));
  return mk_relative_gap(fit->best_upper, l->lower);
}

/* Records the best iterate so far, whose values the certificate replaces later. */
static mk_status record_best(loop *l) {
  mk_fit_state *fit = l->fit;
  double upper = fit->best_upper;
  fit->iterations = l->moves;
  fit->best_upper = fit->best.primal;
  mk_status status = mk_fit_record(fit, fit->best.dual);
  fit->best_upper = upper;
  mk_history *history = &fit->solution->history;
  if (status != MK_OK || history->count == 0 || !(l->question.lower > -INFINITY)) return status;
  mk_line *line = &history->line[history->count - 1];
  line->lower = l->question.lower;
  line->upper = l->upper;
  return status;
}

/* Returns 1 if MK_STALL_ROUNDS moves more than there were before have made no progress, or a few if
 * the bounds meet up to rounding: where the moves lead then depends on the machine, and each costs
 * more than the last. */
static int is_idle(loop *l, double gap) {
  double least = fmin(gap, l->fit->best.gap);
  if (least < MK_PROGRESS * l->mark) {
    l->mark = least;
    l->marked_at = l->moves;
  }
  double most = gap < MK_ROUNDED_GAP ? MAX_ROUNDED_MOVES : l->marked_at + MK_STALL_ROUNDS;
  return l->moves > l->marked_at + most;
}

/* Returns the answer for the iterate's theta. Alphas that are not optimal give a bound and a cut,
 * too. */
static mk_answer answer_of(loop *l) {
  const mk_fit_state *fit = l->fit;
  double value = fit->fixed_dual;
  mk_fit_read_alphas(fit, l->alpha);
  if (mk_norm_rises(&fit->problem->norm)) value = -value;
  l->upper = fmin(l->upper, value + fit->svm_gap);
  return (mk_answer){.theta = fit->theta,
                     .s = fit->s,
                     .lower = value,
                     .upper = value + fit->svm_gap,
                     .least_upper = l->upper,
                     .alpha = l->alpha};
}

/* Tries the mean of answers' alphas. If K_theta is singular, alphas are not unique, and those of
 * one answer may prove less than the rule's bound; the mean proves it after a few SVM steps, since
 * its margins are only as good as the root of its value. */
static mk_status try_mean(loop *l, double goal) {
  mk_fit_state *fit = l->fit;
  mk_fit_write_alphas(fit, l->question.mean);
  mk_fit_make_feasible(fit); /* means have rounding errors */
  MK_TRY(mk_fit_settle(fit));
  mk_status solved = mk_fit_solve(fit, MK_INNER_SHARE * goal);
  if (solved != MK_OK && solved != MK_STALLED) return solved;
  mk_fit_keep(fit);
  if (mk_fit_gap(fit) <= goal) return MK_OK;
  mk_fit_write_alphas(fit, l->alpha);
  return mk_fit_settle(fit);
}

/* Moves theta by the rule, or by a Newton step, and solves the SVMs to `epsilon` (absolute). *ends
 * is 1 if rounding leaves the rule no way on from a trial point. Trial points do not count as
 * moves, so the limit of idle moves would never end them. */
static mk_status move_theta(loop *l, const mk_answer *answer, double epsilon, double goal,
                            int *ends) {
  mk_fit_state *fit = l->fit;
  *ends = 0;
  if (l->type == NULL) return mk_newton_step(fit, &(mk_aim){.goal = goal, .svm_target = epsilon});
  mk_question *question = &l->question;
  mk_status asked = l->type->next(&l->rule, answer, question);
  *ends = asked == MK_STALLED && question->trial;
  if (asked != MK_OK) return asked;
  if (fit->step_bytes < question->bytes) fit->step_bytes = question->bytes;
  return mk_fit_use_theta(fit, question->theta, fmin(epsilon, question->accuracy));
}

/* Runs the rule to a relative gap of `goal` over all rows, as the fit's rows measure it. */
static mk_status run_rule(loop *l, double goal) {
  mk_fit_state *fit = l->fit;
  mk_status solved = mk_fit_solve(fit, MK_INNER_SHARE * goal * fabs(fit->best_upper));
  for (int ends = 0;;) {
    if (solved == MK_STALLED && mk_gram_is_single(fit->gram)) {
      MK_TRY(mk_fit_sharpen(fit)); /* single precision allows no more progress */
      solved = mk_fit_solve(fit, MK_INNER_SHARE * goal * fabs(fit->best_upper));
    } else if (ends) {
      return MK_STALLED;
    }
    if (solved != MK_OK && solved != MK_STALLED) return solved;
    mk_answer answer = answer_of(l);
    double gap = update_bounds(l), scale = fabs(fit->best_upper);
    if (!l->question.trial) {
      l->moves += 1.0;
      MK_TRY(record_best(l));
    }
    if (l->question.mean != NULL && l->upper - l->question.lower <= goal * scale)
      MK_TRY(try_mean(l, goal * scale));
    if (mk_fit_gap(fit) <= goal * fabs(fit->upper)) return MK_OK;
    if (is_idle(l, gap)) return MK_STALLED;
    if (l->moves >= fit->control->max_iter) return MK_ITERATION_LIMIT;
    MK_TRY(mk_check(fit->control));
    double share = MK_INNER_SHARE * goal;
    if (!fit->control->exact) share = fmax(share, MK_ROUND_SHARE * gap);
    solved = move_theta(l, &answer, share * scale, goal * scale, &ends);
  }
}

/* Runs the rule and certifies the best iterate. */
static mk_status solve_to_goal(void *data, double goal) {
  loop *l = data;
  mk_fit_state *fit = l->fit;
  fit->best.gap = l->mark = INFINITY;
  l->marked_at = l->moves;
  mk_status status = run_rule(l, goal);
  if (status == MK_STALLED && l->question.mean != NULL)
    MK_TRY(try_mean(l, goal * fabs(fit->best_upper)));
  if (status != MK_OK && mk_usable_end(status)) mk_fit_return(fit);
  fit->iterations = l->moves;
  if (mk_usable_end(status)) MK_TRY(mk_fit_certify(fit));
  return status;
}

/* ---- memory ---- */

static mk_status loop_new(loop *l, mk_fit_state *fit, const mk_rule_type *type) {
  size_t kernels = fit->kernels, size = fit->problem->n * fit->problem->tasks;
  memset(l, 0, sizeof *l);
  l->fit = fit;
  l->type = type;
  l->lower = -INFINITY;
  l->upper = INFINITY;
  l->rule = (mk_rule){.norm = &fit->problem->norm,
                      .count = kernels,
                      .alphas = size,
                      .budget = (size_t)mk_system_budget(fit->control),
                      .team = fit->control->team,
                      .tol = fit->control->tol,
                      .level = fit->control->level};
  double *theta = MK_NEW0(double, kernels + size);
  l->question = (mk_question){.theta = theta, .accuracy = INFINITY, .lower = -INFINITY};
  if (theta == NULL) return MK_NO_MEMORY;
  l->alpha = theta + kernels;
  return type != NULL && type->begin != NULL ? type->begin(&l->rule) : MK_OK;
}

static void loop_clear(loop *l) {
  if (l->type != NULL && l->type->end != NULL) l->type->end(&l->rule);
  mk_free(l->question.theta);
}

mk_status mk_outer_loop(const mk_problem *problem, const mk_control *control, const mk_start *start,
                        const mk_rule_type *rule, mk_solution *solution) {
  mk_fit_state fit;
  mk_control all = *control;
  loop l = {.fit = NULL};
  all.working_set = 0;
  mk_status status = mk_fit_new(&fit, problem, &all, solution);
  if (status == MK_OK) status = loop_new(&l, &fit, rule);
  if (status == MK_OK)
    status = mk_fit_finish(&fit, mk_fit_begin(&fit, start), MK_GOAL_SHARE * control->tol,
                           solve_to_goal, &l);
  loop_clear(&l);
  mk_fit_clear(&fit);
  return status;
}
