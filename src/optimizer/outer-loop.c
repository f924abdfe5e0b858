#include "outer-loop.h"

#include "base/memory.h"
#include "optimizer/oracle.h"

#include <math.h>
#include <string.h>

#define EXACT 0.02     /* share of the final gap that SVMs may leave ... */
#define INEXACT 0.1    /* ... and of the present one, where no more is asked of them */
#define PATIENCE 100.0 /* moves, and as many more as went before, without progress: */
#define PROGRESS 0.9   /* less than this of the gap left */

typedef struct loop {
  mk_machine *machine;
  const mk_rule_type *type; /* NULL: Newton */
  mk_rule rule;
  double *trial;          /* M */
  double lower;           /* best bound of all */
  double mark, marked_at; /* gap of all, and moves then, when there was progress last */
  double moves;
} loop;

static double relative(double gap, double upper) {
  return gap / fmax(fabs(upper), 1e-300);
}

/* ---- the loop ---- */

/* What is known of the optimum after an answer; the gap between the bounds, relative. */
static double take_stock(loop *l, const mk_answer *answer) {
  mk_machine *machine = l->machine;
  mk_machine_keep(machine);
  l->rule.upper = fmin(l->rule.upper, answer->upper);
  machine->best_upper = fmin(machine->best_upper, machine->upper);
  l->lower = fmax(l->lower, fmax(machine->lower, l->rule.lower));
  return relative(machine->best_upper - l->lower, machine->best_upper);
}

/* The best pair so far; the last words are the certificate's, and of the same kind. */
static mk_status record(loop *l) {
  mk_machine *machine = l->machine;
  double lower = machine->lower, upper = machine->best_upper;
  machine->iterations = l->moves;
  machine->lower = machine->best.dual;
  machine->best_upper = machine->best.primal;
  mk_status status = mk_machine_record(machine);
  machine->lower = lower;
  machine->best_upper = upper;
  return status;
}

/* 1: as many moves as there were before have brought nothing. */
static int is_idle(loop *l, double gap) {
  double least = fmin(gap, l->machine->best.gap);
  if (least < PROGRESS * l->mark) {
    l->mark = least;
    l->marked_at = l->moves;
  }
  return l->moves > 2.0 * l->marked_at + PATIENCE;
}

/* A Newton step, SVMs solved behind it. */
static mk_status newton_move(mk_machine *machine, double epsilon, double goal) {
  mk_oracle_aim(machine, epsilon);
  machine->svm_goal = epsilon;
  machine->theta_goal = goal - epsilon;
  if (machine->control->exact) { /* the second derivatives anew each time */
    mk_free(machine->curvature.z);
    machine->curvature.z = NULL;
  }
  return mk_machine_newton(machine);
}

/* Single precision has given what it can. */
static mk_status sharpen(loop *l) {
  MK_TRY(mk_machine_sharpen(l->machine));
  return mk_machine_solve(l->machine);
}

static mk_status run(loop *l, double goal) {
  mk_machine *machine = l->machine;
  machine->target = EXACT * goal * fabs(machine->best_upper);
  mk_status solved = mk_machine_solve(machine);
  for (;;) {
    if (solved == MK_STALLED && mk_gram_is_single(machine->gram)) solved = sharpen(l);
    if (solved != MK_OK && solved != MK_STALLED) return solved;
    mk_answer answer = mk_oracle_answer(machine);
    double gap = take_stock(l, &answer), scale = fabs(machine->best_upper);
    if (!l->rule.trial) {
      l->moves += 1.0;
      MK_TRY(record(l));
    }
    if (mk_machine_gap(machine) <= goal * fabs(machine->upper)) return MK_OK;
    if (is_idle(l, gap)) return MK_STALLED;
    if (l->moves >= machine->control->max_iter) return MK_ITERATION_LIMIT;
    MK_TRY(mk_check(machine->control));
    double epsilon = machine->control->exact ? EXACT * goal : fmax(EXACT * goal, INEXACT * gap);
    if (l->type != NULL) {
      MK_TRY(l->type->next(&l->rule, &answer, l->trial));
      solved = mk_oracle_ask(machine, l->trial, fmin(epsilon * scale, l->rule.accuracy));
    } else {
      solved = newton_move(machine, epsilon * scale, goal * scale);
    }
  }
}

static mk_status solve(mk_machine *machine, double goal, int attempt, void *data) {
  loop *l = data;
  (void)attempt;
  machine->best.gap = INFINITY;
  l->mark = INFINITY;
  l->marked_at = l->moves;
  mk_status status = run(l, goal);
  if (status != MK_OK) mk_machine_return(machine);
  machine->iterations = l->moves;
  return status;
}

/* ---- memory ---- */

static mk_status loop_new(loop *l, mk_machine *machine, const mk_rule_type *type) {
  size_t kernels = machine->kernels;
  memset(l, 0, sizeof *l);
  l->machine = machine;
  l->type = type;
  l->lower = -INFINITY;
  l->rule = (mk_rule){.norm = &machine->problem->norm,
                      .count = kernels,
                      .budget = (size_t)mk_system_budget(machine->control),
                      .team = machine->control->team,
                      .tol = machine->control->tol,
                      .lower = -INFINITY,
                      .upper = INFINITY,
                      .accuracy = INFINITY};
  l->trial = MK_NEW(double, kernels);
  if (l->trial == NULL) return MK_NO_MEMORY;
  return type != NULL && type->begin != NULL ? type->begin(&l->rule) : MK_OK;
}

static void loop_clear(loop *l) {
  if (l->type != NULL && l->type->end != NULL) l->type->end(&l->rule);
  mk_free(l->trial);
}

mk_status mk_outer_loop(const mk_problem *problem, const mk_control *control, const mk_start *start,
                        const mk_rule_type *rule, mk_solution *solution) {
  mk_machine machine;
  mk_control all = *control;
  loop l = {NULL};
  all.candidate = 0;
  mk_status status = mk_machine_new(&machine, problem, &all, solution);
  if (status == MK_OK) status = loop_new(&l, &machine, rule);
  if (status == MK_OK)
    status = mk_machine_conclude(&machine, mk_machine_begin(&machine, start), solve, &l);
  loop_clear(&l);
  mk_machine_clear(&machine);
  return status;
}
