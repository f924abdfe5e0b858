#include "column-generation.h"

#include "base/largest.h"
#include "base/memory.h"
#include "base/pool.h"
#include "kernel/features.h"
#include "optimizer/rescale.h"
#include "optimizer/fit-state.h"
#include "optimizer/interleaved.h"
#include "optimizer/outer-loop.h"
#include "theta/lp.h"
#include "rows/feature-pass.h"

#include <math.h>
#include <string.h>

#define JOINING_KERNELS 500                 /* kernels that join at a time */
#define LEAST_KERNELS (4 * JOINING_KERNELS) /* fewer are solved with all at once */
#define FIRST_GAP 0.3    /* with all kernels: alphas of a few say little about the others */
#define FIRST_MOVES 10   /* ... or so many moves */
#define IDLE_WEIGHT 1e-2 /* of the largest: less is none ... */
#define TIGHT_FORM 0.8   /* ... unless the kernel's form is within this share of the largest */

typedef struct generation {
  const mk_problem *problem;
  const mk_control *control;
  mk_solution *solution;
  mk_pool memory;      /* of the vectors below */
  size_t kernels;      /* of the whole set */
  char *optional, *in; /* M: 1: may be left out; takes part */
  int *list;           /* kernels that take part, increasing */
  size_t count;
  size_t *place;          /* JOINING_KERNELS: scratch */
  double *s, *outside;    /* M: forms at the solution's alphas; scratch */
  mk_pass pass;           /* over all columns */
  double gap;             /* of the whole problem; infinite: not known */
  double *best, best_gap; /* theta and alpha: the best pair so far */
} generation;

/* ---- memory ---- */

static mk_status generation_new(generation *g) {
  const mk_kernel_set *set = g->problem->set;
  size_t f = mk_set_families(set) - 1, tasks = g->problem->tasks;
  mk_pool *memory = &g->memory;
  g->optional = MK_TAKE0(memory, char, g->kernels);
  g->in = MK_TAKE0(memory, char, g->kernels);
  g->list = MK_TAKE(memory, int, g->kernels);
  g->place = MK_TAKE(memory, size_t, JOINING_KERNELS);
  g->s = MK_TAKE0(memory, double, g->kernels);
  g->outside = MK_TAKE(memory, double, g->kernels);
  g->best = MK_TAKE(memory, double, g->kernels + g->problem->n * tasks);
  g->pass.tasks = tasks;
  g->pass.alpha = MK_TAKE(memory, double *, tasks);
  g->pass.g = MK_TAKE(memory, double *, tasks);
  if (memory->failed) return MK_NO_MEMORY;
  for (size_t k = 0; k < mk_family_size(set, f); k++) g->optional[mk_family_member(set, f, k)] = 1;
  for (size_t t = 0; t < tasks; t++) {
    g->pass.alpha[t] = g->solution->alpha + t * g->problem->n;
    g->pass.g[t] = MK_TAKE(memory, double, mk_set_column_ids(set));
  }
  return mk_pool_status(memory);
}

/* ---- the best pair ---- */

static void copy_pair(const generation *g, int back) {
  double *theta = g->solution->theta, *alpha = g->solution->alpha;
  size_t values = g->problem->n * g->problem->tasks, m = g->kernels;
  memcpy(back ? theta : g->best, back ? g->best : theta, m * sizeof *theta);
  memcpy(back ? alpha : g->best + m, back ? g->best + m : alpha, values * sizeof *alpha);
}

static void keep_best(generation *g) {
  if (!(g->gap < g->best_gap)) return;
  g->best_gap = g->gap;
  copy_pair(g, 0);
}

/* ---- a round ---- */

/* Kernels without weight leave, those with the largest forms join. */
static void renew_list(generation *g) {
  const double *theta = g->solution->theta;
  double weight = 0.0, form = 0.0;
  for (size_t m = 0; m < g->kernels; m++) {
    weight = fmax(weight, theta[m]);
    if (g->in[m]) form = fmax(form, g->s[m]);
  }
  for (size_t m = 0; m < g->kernels; m++) {
    int tight = g->in[m] && g->s[m] > TIGHT_FORM * form;
    g->in[m] = !g->optional[m] || theta[m] > IDLE_WEIGHT * weight || tight;
    g->outside[m] = g->in[m] ? 0.0 : g->s[m];
  }
  size_t joining = mk_largest(g->outside, g->kernels, 0.0, JOINING_KERNELS, g->place);
  for (size_t k = 0; k < joining; k++) g->in[g->place[k]] = 1;
  g->count = 0;
  for (size_t m = 0; m < g->kernels; m++)
    if (g->in[m]) g->list[g->count++] = (int)m;
}

static void start_weights(const generation *g, double *theta) {
  double most = 0.0;
  for (size_t k = 0; k < g->count; k++) {
    theta[k] = g->solution->theta[g->list[k]];
    most = fmax(most, theta[k]);
  }
  if (most == 0.0) mk_lp_start(g->count, g->problem->norm.p, theta);
  for (size_t k = 0; k < g->count; k++) theta[k] = fmax(theta[k], MK_JOINING_WEIGHT * most);
}

/* Those in the list alone, to a relative gap of `goal` of their own. */
static mk_status solve_part(const generation *g, double goal, mk_problem *problem,
                            mk_solution *part) {
  mk_control control = *g->control;
  double *theta = MK_NEW(double, g->count);
  mk_status status = theta == NULL ? MK_NO_MEMORY : mk_solution_new(part, problem);
  control.tol = goal;
  control.progress = NULL;
  control.trace = 0;
  if (status == MK_OK) {
    start_weights(g, theta);
    mk_start start = {.theta = theta,
                      .alpha = g->solution->alpha,
                      .iterations = g->solution->iterations,
                      .solves = g->solution->solves};
    status = mk_interleaved(problem, &control, &start, part);
  }
  mk_free(theta);
  return status;
}

static void take_over(generation *g, const mk_solution *part) {
  mk_solution *whole = g->solution;
  memset(whole->theta, 0, g->kernels * sizeof(double));
  for (size_t k = 0; k < g->count; k++) whole->theta[g->list[k]] = part->theta[k];
  memcpy(whole->alpha, part->alpha, g->problem->n * g->problem->tasks * sizeof(double));
  whole->bytes = whole->bytes > part->bytes ? whole->bytes : part->bytes;
  whole->iterations = part->iterations;
  whole->solves = part->solves;
}

static mk_status record(generation *g, double dual) {
  mk_solution *whole = g->solution;
  mk_line line = {.iteration = whole->iterations,
                  .objective = dual,
                  .gap = g->gap,
                  .support = mk_support_count(g->pass.alpha, g->problem->tasks, g->problem->n),
                  .solves = whole->solves};
  return mk_history_note(&whole->history, g->control, line, whole->theta, g->kernels);
}

/* All kernels at the new alphas: the dual's norm over all forms in place of that over the ones that
 * took part. */
static mk_status price(generation *g, const mk_solution *part) {
  const mk_kernel_set *set = g->problem->set;
  double p = g->problem->norm.p;
  for (size_t k = 0; k < g->count; k++) g->s[g->list[k]] = part->forms[k];
  g->gap = INFINITY; /* not known yet */
  MK_TRY(mk_features_pass(set, &g->pass, g->control));
  mk_features_forms(set, &g->pass, g->s);
  double more = mk_lp_dual_norm(g->kernels, p, g->s) - mk_lp_dual_norm(g->count, p, part->forms);
  double dual = part->dual - 0.5 * more;
  g->gap = mk_relative_gap(part->primal, dual);
  keep_best(g);
  return record(g, dual);
}

static mk_status solve_round(generation *g, double goal) {
  mk_solution part = {.theta = NULL};
  mk_problem problem = *g->problem;
  mk_kernel_set *subset = NULL;
  mk_status status = mk_set_subset(&subset, g->problem->set, g->list, g->count, g->control->team);
  problem.set = subset;
  if (status == MK_OK) status = solve_part(g, goal, &problem, &part);
  if (mk_usable_end(status)) {
    take_over(g, &part);
    mk_status priced = price(g, &part);
    if (status == MK_OK || priced != MK_TIME_LIMIT) status = priced == MK_OK ? status : priced;
  }
  mk_solution_clear(&part);
  mk_set_free(subset);
  return status;
}

/* ---- the whole ---- */

/* Few kernels chosen too early have too little room, and the alphas that they ask for say little
 * about the others: all of them, roughly, come first. */
static mk_status begin(generation *g, const mk_start *start) {
  mk_control control = *g->control;
  control.tol = fmax(FIRST_GAP, control.tol);
  control.max_iter = fmin(FIRST_MOVES, control.max_iter);
  mk_status status = mk_outer_loop(g->problem, &control, start, &mk_analytic_rule, g->solution);
  memcpy(g->s, g->solution->forms, g->kernels * sizeof(double));
  g->gap = g->solution->gap;
  keep_best(g);
  int rough = status == MK_STALLED || status == MK_ITERATION_LIMIT;
  return rough && g->solution->iterations < g->control->max_iter ? MK_OK : status;
}

/* MK_STALLED of a round is no end as long as other kernels join. */
static mk_status solve_rounds(generation *g, double tol) {
  double goal = MK_ROUND_SHARE * FIRST_GAP, before = INFINITY;
  for (int idle = 0; idle <= MK_MAX_IDLE; before = fmin(before, g->gap)) {
    renew_list(g);
    goal = fmax(0.5 * tol, fmin(goal, MK_ROUND_SHARE * g->gap));
    mk_status status = solve_round(g, goal);
    if (status != MK_OK && status != MK_STALLED) return status;
    if (g->gap <= tol) return MK_OK;
    idle = g->gap < 0.99 * before ? 0 : idle + 1;
    MK_TRY(mk_check(g->control));
  }
  return MK_STALLED;
}

static mk_status certify_all(generation *g) {
  MK_TRY(mk_certify_rescaled(g->problem, g->control, g->solution));
  g->gap = g->solution->gap;
  return record(g, g->solution->dual);
}

/* The certificate decides; where it finds more, the rounds go on to less. */
static mk_status generate(generation *g, const mk_start *start) {
  double least = INFINITY;
  mk_status status = begin(g, start);
  if (status == MK_OK && g->gap <= g->control->tol) return MK_OK;
  for (double tol = g->control->tol;; tol *= 0.3) {
    if (status == MK_OK) status = solve_rounds(g, tol);
    if (!mk_usable_end(status)) return status;
    if (status != MK_OK && g->best_gap < g->gap) copy_pair(g, 1);
    MK_TRY(certify_all(g));
    if (g->gap <= g->control->tol) return MK_OK;
    if (status != MK_OK) return status;
    if (!(g->gap < least) || g->solution->rounding >= g->control->tol) return MK_STALLED;
    least = g->gap;
  }
}

int mk_generates_columns(const mk_problem *problem) {
  const mk_norm *norm = &problem->norm;
  if (!mk_norm_is_plain(norm) || !mk_norm_is_sparse(norm) || !mk_set_explicit(problem->set))
    return 0;
  return mk_family_size(problem->set, mk_set_families(problem->set) - 1) > LEAST_KERNELS;
}

mk_status mk_column_generation(const mk_problem *problem, const mk_control *control,
                               const mk_start *start, mk_solution *solution) {
  generation g = {.problem = problem,
                  .control = control,
                  .solution = solution,
                  .kernels = mk_set_kernels(problem->set),
                  .gap = INFINITY,
                  .best_gap = INFINITY};
  mk_status status = generation_new(&g);
  if (status == MK_OK) status = generate(&g, start);
  mk_pool_free(&g.memory);
  return status;
}
