#include "column-generation.h"

#include "base/largest.h"
#include "base/memory.h"
#include "base/pool.h"
#include "kernel/features.h"
#include "optimizer/rescale.h"
#include "optimizer/fit-state.h"
#include "optimizer/interleaved.h"
#include "optimizer/outer-loop.h"
#include "optimizer/working-set.h"
#include "theta/lp.h"
#include "rows/feature-pass.h"
#include "rows/gram.h"
#include "theta/norm.h"

#include <math.h>
#include <string.h>

#define JOINING_COLUMNS 500 /* columns that join at a time */
#define JOINING_KERNELS 50  /* other kernels that join at a time, since their forms cost more */
/* number of kernels, in multiples of those that join, up to which all are solved at once */
#define LEAST_ROUNDS 4
/* mean number of kernels per family above which a family's moments serve all of them */
#define MOST_PER_FAMILY 14
/* relative gap of the first solve, with all columns, since alphas of a few rank the others badly */
#define FIRST_SOLVE_GAP 0.3
#define FIRST_MOVES 10   /* most moves of the first solve */
#define IDLE_WEIGHT 1e-2 /* share of the largest weight below which a kernel is idle */
#define TIGHT_FORM 0.8   /* share of the largest form above which an idle kernel stays */

typedef struct generation {
  const mk_problem *problem;
  const mk_control *control;
  mk_solution *solution;
  mk_pool memory;      /* owns the vectors below */
  size_t kernels;      /* number of kernels of the whole set */
  char *optional, *in; /* M: 1 if it may be left out; 1 if it takes part */
  int *list;           /* kernels that take part, in increasing order */
  size_t count;
  size_t joining;      /* number of kernels that join at a time */
  size_t *place;       /* joining: scratch */
  double *s, *outside; /* M: forms at the solution's alphas; scratch */
  /* prices all kernels over the support vectors so far; NULL: a pass over columns does */
  mk_gram *gram;
  mk_pass pass;           /* pass over all columns that prices them */
  double gap;             /* relative gap of the whole problem; infinite: not known */
  double part_gap;        /* relative gap of the last round's own problem */
  double *best, best_gap; /* theta and alpha of the best iterate so far */
} generation;

/* ---- memory ---- */

/* Returns 1 for thousands of linear kernels on columns. */
static int has_many_columns(const mk_kernel_set *set) {
  return mk_set_explicit(set) &&
         mk_family_size(set, mk_set_families(set) - 1) > LEAST_ROUNDS * JOINING_COLUMNS;
}

/* Lists the kernels that may be left out: columns if a pass prices them, otherwise all kernels. */
static void list_optional(generation *g) {
  const mk_kernel_set *set = g->problem->set;
  size_t f = mk_set_families(set) - 1;
  memset(g->optional, g->gram != NULL, g->kernels);
  for (size_t k = 0; g->gram == NULL && k < mk_family_size(set, f); k++)
    g->optional[mk_family_member(set, f, k)] = 1;
}

static mk_status generation_new(generation *g) {
  const mk_kernel_set *set = g->problem->set;
  size_t tasks = g->problem->tasks;
  int columns = has_many_columns(set);
  g->joining = columns ? JOINING_COLUMNS : JOINING_KERNELS;
  if (!columns) MK_TRY(mk_gram_new(&g->gram, set, 0, !g->problem->loss.no_offset, g->control));
  mk_pool *memory = &g->memory;
  g->optional = MK_TAKE0(memory, char, g->kernels);
  g->in = MK_TAKE0(memory, char, g->kernels);
  g->list = MK_TAKE(memory, int, g->kernels);
  g->place = MK_TAKE(memory, size_t, g->joining);
  g->s = MK_TAKE0(memory, double, g->kernels);
  g->outside = MK_TAKE(memory, double, g->kernels);
  g->best = MK_TAKE(memory, double, g->kernels + g->problem->n * tasks);
  g->pass.tasks = tasks;
  g->pass.alpha = MK_TAKE(memory, double *, tasks);
  g->pass.g = MK_TAKE(memory, double *, tasks);
  if (memory->failed) return MK_NO_MEMORY;
  list_optional(g);
  for (size_t t = 0; t < tasks; t++) {
    g->pass.alpha[t] = g->solution->alpha + t * g->problem->n;
    g->pass.g[t] = MK_TAKE(memory, double, columns ? mk_set_column_ids(set) : g->problem->n);
  }
  return mk_pool_status(memory);
}

/* ---- the best iterate ---- */

static void copy_iterate(const generation *g, int back) {
  double *theta = g->solution->theta, *alpha = g->solution->alpha;
  size_t values = g->problem->n * g->problem->tasks, m = g->kernels;
  memcpy(back ? theta : g->best, back ? g->best : theta, m * sizeof *theta);
  memcpy(back ? alpha : g->best + m, back ? g->best + m : alpha, values * sizeof *alpha);
}

static void keep_best(generation *g) {
  if (!(g->gap < g->best_gap)) return;
  g->best_gap = g->gap;
  copy_iterate(g, 0);
}

/* ---- a round ---- */

/* Adds the kernels with the largest forms and, where others may leave, removes those without
 * weight. Returns how many join. */
static size_t renew_list(generation *g, int others_leave) {
  const double *theta = g->solution->theta;
  double weight = 0.0, form = 0.0;
  for (size_t m = 0; m < g->kernels; m++) {
    weight = fmax(weight, theta[m]);
    if (g->in[m]) form = fmax(form, g->s[m]);
  }
  for (size_t m = 0; m < g->kernels; m++) {
    int tight = g->in[m] && (!others_leave || g->s[m] > TIGHT_FORM * form);
    g->in[m] = !g->optional[m] || theta[m] > IDLE_WEIGHT * weight || tight;
    g->outside[m] = g->in[m] ? 0.0 : g->s[m];
  }
  size_t joining = mk_largest(g->outside, g->kernels, 0.0, g->joining, g->place);
  for (size_t k = 0; k < joining; k++) g->in[g->place[k]] = 1;
  g->count = 0;
  for (size_t m = 0; m < g->kernels; m++)
    if (g->in[m]) g->list[g->count++] = (int)m;
  return joining;
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

/* Solves with the listed kernels to a relative gap of `goal` of their own problem. */
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

static mk_status record_round(generation *g, double dual) {
  mk_solution *whole = g->solution;
  mk_line line = {.iteration = whole->iterations,
                  .objective = dual,
                  .gap = g->gap,
                  .support = mk_support_count(g->pass.alpha, g->problem->tasks, g->problem->n),
                  .solves = whole->solves};
  return mk_history_note(&whole->history, g->control, line, whole->theta, g->kernels);
}

/* Adds new support vectors to the samples of g->gram. */
static mk_status extend_gram(generation *g) {
  const size_t tasks = g->problem->tasks, n = g->problem->n, before = mk_gram_count(g->gram);
  char *known = MK_NEW0(char, n);
  int *fresh = MK_NEW(int, n);
  size_t count = 0;
  for (size_t k = 0; known != NULL && k < before; k++) known[mk_gram_samples(g->gram)[k]] = 1;
  for (size_t i = 0; known != NULL && fresh != NULL && i < n; i++) {
    int any = 0;
    for (size_t t = 0; t < tasks; t++) any |= g->pass.alpha[t][i] != 0.0;
    if (any && !known[i]) fresh[count++] = (int)i;
  }
  mk_status status = known == NULL || fresh == NULL ? MK_NO_MEMORY : MK_OK;
  if (status == MK_OK && count > 0) status = mk_gram_extend(g->gram, fresh, count);
  mk_free(known);
  mk_free(fresh);
  return status;
}

static mk_status form_all(generation *g) {
  const mk_kernel_set *set = g->problem->set;
  if (g->gram == NULL) {
    MK_TRY(mk_features_pass(set, &g->pass, g->control));
    mk_features_forms(set, &g->pass, g->s);
    return MK_OK;
  }
  MK_TRY(extend_gram(g));
  const mk_alphas by_position = {g->pass.tasks, g->pass.g};
  for (size_t t = 0; t < by_position.tasks; t++)
    for (size_t k = 0; k < mk_gram_count(g->gram); k++)
      g->pass.g[t][k] = g->pass.alpha[t][mk_gram_samples(g->gram)[k]];
  return mk_gram_forms(g->gram, &by_position, g->s);
}

/* Prices all kernels at the new alphas: the dual norm now includes the forms of all kernels. */
static mk_status price_all(generation *g, const mk_solution *part) {
  double p = g->problem->norm.p;
  for (size_t k = 0; k < g->count; k++) g->s[g->list[k]] = part->forms[k];
  g->part_gap = mk_relative_gap(part->primal, part->dual);
  g->gap = INFINITY; /* not known yet */
  MK_TRY(form_all(g));
  double more = mk_lp_dual_norm(g->kernels, p, g->s) - mk_lp_dual_norm(g->count, p, part->forms);
  double dual = part->dual - 0.5 * more;
  g->gap = mk_relative_gap(part->primal, dual);
  keep_best(g);
  return record_round(g, dual);
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
    mk_status priced = price_all(g, &part);
    if (status == MK_OK || priced != MK_TIME_LIMIT) status = priced == MK_OK ? status : priced;
  }
  mk_solution_clear(&part);
  mk_set_free(subset);
  return status;
}

/* ---- the whole ---- */

/* Begins with a rough solve over all columns. Columns chosen too early would be too few, and their
 * alphas would rank the others badly. */
static mk_status begin_with_all(generation *g, const mk_start *start) {
  mk_control control = *g->control;
  control.tol = fmax(FIRST_SOLVE_GAP, control.tol);
  control.max_iter = fmin(FIRST_MOVES, control.max_iter);
  mk_status status = mk_outer_loop(g->problem, &control, start, &mk_analytic_rule, g->solution);
  memcpy(g->s, g->solution->forms, g->kernels * sizeof(double));
  g->gap = g->solution->gap;
  keep_best(g);
  int rough = status == MK_STALLED || status == MK_ITERATION_LIMIT;
  return rough && g->solution->iterations < g->control->max_iter ? MK_OK : status;
}

/* Begins with the kernels that agree best with the response, by the alphas of a Parzen classifier,
 * which weights all samples equally. */
static mk_status begin_with_some(generation *g, const mk_start *start) {
  const mk_problem *problem = g->problem;
  size_t values = problem->n * problem->tasks;
  double *alpha = g->solution->alpha, most = 0.0;
  memcpy(alpha, start->alpha != NULL ? start->alpha : problem->linear, values * sizeof *alpha);
  for (size_t t = 0; t < problem->tasks; t++) {
    mk_terms terms = mk_problem_terms(problem, t);
    mk_make_feasible(&terms, alpha + t * problem->n);
  }
  MK_TRY(form_all(g));
  for (size_t m = 0; m < g->kernels; m++) most = fmax(most, g->s[m]);
  /* alphas of a Parzen classifier rank no kernel above another */
  if (most == 0.0) return begin_with_all(g, start);
  g->solution->iterations = start->iterations;
  g->solution->solves = start->solves;
  if (start->alpha == NULL) memset(alpha, 0, values * sizeof *alpha);
  if (start->theta != NULL) memcpy(g->solution->theta, start->theta, g->kernels * sizeof(double));
  return MK_OK;
}

static mk_status begin_rounds(generation *g, const mk_start *start) {
  if (g->gram == NULL) return begin_with_all(g, start);
  mk_status status = begin_with_some(g, start);
  /* begin_with_all() leaves a solution where the time limit came before any */
  return status == MK_TIME_LIMIT ? begin_with_all(g, start) : status;
}

/* Returns 1 if most of the gap is due to the kernels outside the list. */
static int others_matter(const generation *g) {
  return g->gap > 2.0 * g->part_gap;
}

/* Solves rounds until the gap is within tol. After a round with MK_STALLED, other kernels join if
 * they matter. Kernels leave only after progress, so the number of rounds is finite. */
static mk_status solve_rounds(generation *g, double tol) {
  double goal = MK_ROUND_SHARE * FIRST_SOLVE_GAP, least = INFINITY;
  for (;;) {
    size_t joining = renew_list(g, g->gap < MK_PROGRESS * least);
    least = fmin(least, g->gap);
    goal = fmax(0.5 * tol, fmin(goal, MK_ROUND_SHARE * g->gap));
    mk_status status = solve_round(g, goal);
    if (status != MK_OK && status != MK_STALLED) return status;
    if (g->gap <= tol) return MK_OK;
    if (others_matter(g) ? joining == 0 : status == MK_STALLED) return MK_STALLED;
    MK_TRY(mk_check(g->control));
  }
}

static mk_status certify_all(generation *g) {
  MK_TRY(mk_certify_rescaled(g->problem, g->control, g->solution));
  g->gap = g->solution->gap;
  return record_round(g, g->solution->dual);
}

/* Solves and certifies. If the certificate finds a larger gap, rounds continue with a smaller
 * goal. */
static mk_status generate_columns(generation *g, const mk_start *start) {
  double least = INFINITY;
  mk_status status = begin_rounds(g, start);
  if (status == MK_OK && g->gap <= g->control->tol) return MK_OK;
  for (double tol = g->control->tol;; tol *= MK_SHARPER_GOAL) {
    if (status == MK_OK) status = solve_rounds(g, tol);
    if (!mk_usable_end(status)) return status;
    if (status != MK_OK && g->best_gap < g->gap) copy_iterate(g, 1);
    MK_TRY(certify_all(g));
    if (g->gap <= g->control->tol) return MK_OK;
    if (status != MK_OK) return status;
    if (!(g->gap < least) || g->solution->rounding >= g->control->tol) return MK_STALLED;
    least = g->gap;
  }
}

/* Returns 1 for hundreds of kernels on few samples, most of which have features of their own. */
static int has_few_samples(const mk_problem *problem) {
  const mk_kernel_set *set = problem->set;
  size_t kernels = mk_set_kernels(set), families = mk_set_families(set);
  if (problem->n > MK_SMALL_PROBLEM || mk_set_explicit(set)) return 0;
  for (size_t f = 0; f < families; f++)
    if (mk_family_serial(set, f)) return 0; /* calls of users' functions should be few */
  return kernels > LEAST_ROUNDS * JOINING_KERNELS && kernels <= MOST_PER_FAMILY * families;
}

int mk_generates_columns(const mk_problem *problem) {
  const mk_norm *norm = &problem->norm;
  return mk_norm_is_plain(norm) && mk_norm_is_sparse(norm) &&
         (has_many_columns(problem->set) || has_few_samples(problem));
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
  if (status == MK_OK) status = generate_columns(&g, start);
  mk_gram_free(g.gram);
  mk_pool_free(&g.memory);
  return status;
}
