/* Linear kernels on a few features each, by the thousand: all are priced in one pass over the
 * columns. Other kernels always take part. */
#include "active-internal.h"

#include "base/mechanisms.h"
#include "base/memory.h"
#include "kernel/exact.h"
#include "kernel/features.h"
#include "optimizer/interleaved.h"
#include "optimizer/outer-loop.h"

#include <math.h>
#include <string.h>

#define TAKEN 500        /* kernels that join at a time */
#define MANY (4 * TAKEN) /* fewer are solved with all at once */
#define FIRST_GOAL 0.3   /* relative gap with all kernels ... */
#define FIRST_MOVES 10   /* ... or moves */
#define NEWCOMER 1e-3    /* weight of a kernel that joins, of the largest */
#define IDLE 1e-2        /* weights below this, of the largest, are none, ... */
#define TIGHT 0.8        /* ... unless their kernel's form is within this share of the largest */

typedef struct columns {
  char *block; /* M: 1: a feature block */
  mk_pass pass;
} columns;

int mk_has_many_columns(const mk_problem *problem) {
  const mk_norm *norm = &problem->norm;
  if (!MK_WITH_COLUMN_GENERATION || !mk_norm_is_plain(norm) || !mk_norm_is_sparse(norm) ||
      !mk_set_explicit(problem->set))
    return 0;
  return mk_exact_family_size(problem->set, mk_set_families(problem->set) - 1) > MANY;
}

static mk_status prepare(mk_active *a) {
  const mk_kernel_set *set = a->problem->set;
  size_t tasks = a->problem->tasks, f = mk_set_families(set) - 1;
  columns *own = a->own = MK_NEW0(columns, 1);
  if (own == NULL) return MK_NO_MEMORY;
  own->block = MK_NEW0(char, a->kernels);
  own->pass.tasks = tasks;
  own->pass.alpha = MK_NEW0(double *, tasks);
  own->pass.g = MK_NEW0(double *, tasks);
  if (own->block == NULL || own->pass.alpha == NULL || own->pass.g == NULL) return MK_NO_MEMORY;
  own->pass.g[0] = MK_NEW(double, tasks *mk_set_slots(set));
  if (own->pass.g[0] == NULL) return MK_NO_MEMORY;
  for (size_t t = 0; t < tasks; t++) {
    own->pass.alpha[t] = a->solution->alpha + t * a->problem->n;
    own->pass.g[t] = own->pass.g[0] + t * mk_set_slots(set);
  }
  for (size_t k = 0; k < mk_exact_family_size(set, f); k++)
    own->block[mk_exact_family_member(set, f, k)] = 1;
  return MK_OK;
}

static void release(mk_active *a) {
  columns *own = a->own;
  if (own == NULL) return;
  if (own->pass.g != NULL) mk_free(own->pass.g[0]);
  mk_free(own->pass.g);
  mk_free(own->pass.alpha);
  mk_free(own->block);
  mk_free(own);
}

/* Few kernels chosen too early have too little room, and the alphas that they ask for say little
 * about the others: all of them, roughly, come first. */
static mk_status begin(mk_active *a, const mk_start *start) {
  mk_control control = *a->control;
  control.tol = fmax(FIRST_GOAL, control.tol);
  control.max_iter = fmin(FIRST_MOVES, control.max_iter);
  mk_status status = mk_outer_loop(a->problem, &control, start, &mk_analytic_rule, a->solution);
  memcpy(a->s, a->solution->forms, a->kernels * sizeof(double));
  a->gap = a->solution->gap;
  a->iterations = a->solution->iterations;
  a->solves = a->solution->solves;
  int rough = status == MK_STALLED || status == MK_ITERATION_LIMIT;
  return rough && a->iterations < a->control->max_iter ? MK_OK : status;
}

static int stays(const mk_active *a, size_t m, double most_weight, double most_form) {
  const columns *own = a->own;
  return !own->block[m] || a->solution->theta[m] > IDLE * most_weight ||
         (a->in[m] && a->s[m] > TIGHT * most_form);
}

static mk_status price(mk_active *a) {
  columns *own = a->own;
  MK_TRY(mk_features_pass(a->problem->set, &own->pass, a->control));
  mk_features_forms(a->problem->set, &own->pass, a->s);
  return MK_OK;
}

static mk_status solve(mk_active *a, const mk_start *start, double goal, mk_solution *part) {
  mk_problem problem = *a->problem;
  mk_kernel_set *subset = NULL;
  mk_control control = *a->control;
  control.tol = goal;
  control.progress = NULL;
  control.trace = 0;
  mk_status status = mk_set_subset(&subset, a->problem->set, a->list, a->count, a->control->team);
  problem.set = subset;
  if (status == MK_OK) status = mk_interleaved(&problem, &control, start, part);
  mk_set_free(subset);
  return status;
}

const mk_pool mk_column_pool = {TAKEN, 0.0, NEWCOMER, prepare, release, begin, stays, price, solve};
