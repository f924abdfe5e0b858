#include "active-internal.h"

#include "base/memory.h"
#include "optimizer/rescale.h"
#include "theta/lp.h"

#include <math.h>
#include <string.h>

#define GOAL_SHARE 0.2 /* gap of a round beside that of all before it */
#define LOOSEST 0.05   /* gap of a round in any case */
#define MOST_ROUNDS 200

/* ---- who takes part ---- */

/* The k-th largest of n values, which are put in another order. */
static double kth_largest(double *x, size_t n, size_t k) {
  size_t from = 0, to = n - 1;
  while (from < to) {
    double pivot = x[from + (to - from) / 2];
    size_t i = from, j = to;
    for (;; i++, j--) {
      while (x[i] > pivot) i++;
      while (x[j] < pivot) j--;
      if (i >= j) break;
      double held = x[i];
      x[i] = x[j];
      x[j] = held;
    }
    if (k - 1 <= j)
      to = j;
    else
      from = j + 1;
  }
  return x[from];
}

/* Marks the kernels with the largest forms above `least` among those that don't take part. */
static void take_largest(mk_active *a, double least) {
  size_t outside = 0, taken = 0, most = a->pool->taken;
  for (size_t m = 0; m < a->kernels; m++)
    if (!a->in[m] && a->s[m] > least) a->rank[outside++] = a->s[m];
  if (outside == 0) return;
  double last = kth_largest(a->rank, outside, outside < most ? outside : most);
  for (size_t m = 0; m < a->kernels && taken < most; m++)
    if (!a->in[m] && a->s[m] >= last) {
      a->in[m] = 1;
      taken++;
    }
}

/* Kernels without weight leave, those with the largest forms join. */
static void renew_list(mk_active *a) {
  const double *theta = a->solution->theta;
  double most = 0.0, form = 0.0;
  for (size_t m = 0; m < a->kernels; m++) {
    most = fmax(most, theta[m]);
    if (a->in[m]) form = fmax(form, a->s[m]);
  }
  for (size_t m = 0; m < a->kernels; m++) a->in[m] = (char)a->pool->stays(a, m, most, form);
  take_largest(a, a->pool->least * form);
  a->count = 0;
  for (size_t m = 0; m < a->kernels; m++)
    if (a->in[m]) a->list[a->count++] = (int)m;
}

/* ---- the best pair ---- */

/* `best` has theta, then alpha. Keeps the solution's if its gap is the least so far. */
static void keep_best(mk_active *a) {
  if (!(a->gap < a->best_gap)) return;
  a->best_gap = a->gap;
  memcpy(a->best, a->solution->theta, a->kernels * sizeof(double));
  memcpy(a->best + a->kernels, a->solution->alpha,
         a->problem->n * a->problem->tasks * sizeof(double));
}

static void return_to_best(mk_active *a) {
  if (!isfinite(a->best_gap) || a->gap <= a->best_gap) return;
  a->gap = a->best_gap;
  memcpy(a->solution->theta, a->best, a->kernels * sizeof(double));
  memcpy(a->solution->alpha, a->best + a->kernels,
         a->problem->n * a->problem->tasks * sizeof(double));
}

/* ---- a round ---- */

/* Where the kernels that take part start from: newcomers with a little weight. */
static void start_theta(const mk_active *a, double *theta) {
  double most = 0.0;
  for (size_t k = 0; k < a->count; k++) {
    theta[k] = a->solution->theta[a->list[k]];
    most = fmax(most, theta[k]);
  }
  if (most == 0.0) mk_lp_start(a->count, a->problem->norm.p, theta);
  for (size_t k = 0; k < a->count; k++) theta[k] = fmax(theta[k], a->pool->newcomer * most);
}

static void take_over(mk_active *a, const mk_solution *part) {
  mk_solution *whole = a->solution;
  memset(whole->theta, 0, a->kernels * sizeof(double));
  for (size_t k = 0; k < a->count; k++) {
    whole->theta[a->list[k]] = part->theta[k];
    a->s[a->list[k]] = part->forms[k];
  }
  memcpy(whole->alpha, part->alpha, a->problem->n * a->problem->tasks * sizeof(double));
  whole->bytes = whole->bytes > part->bytes ? whole->bytes : part->bytes;
  a->iterations = part->iterations;
  a->solves = part->solves;
  a->gap = INFINITY; /* not known yet */
}

static mk_status record(mk_active *a, double dual) {
  double kernels = 0.0, support = 0.0, seconds = mk_seconds() - a->control->start;
  size_t n = a->problem->n;
  for (size_t m = 0; m < a->kernels; m++) kernels += a->solution->theta[m] > 0.0;
  for (size_t i = 0; i < n; i++) {
    int any = 0;
    for (size_t t = 0; t < a->problem->tasks; t++) any |= a->solution->alpha[t * n + i] != 0.0;
    support += any;
  }
  if (a->control->progress != NULL)
    a->control->progress(a->control->data, a->iterations, seconds, dual, a->gap);
  mk_history *history = &a->solution->history;
  mk_line line = {a->iterations, seconds, dual, a->gap, kernels, support, a->solves};
  MK_TRY(mk_history_add(history, &line));
  if (!a->control->trace) return MK_OK;
  return mk_history_trace(history, a->solution->theta, a->kernels, mk_trace_budget(a->control));
}

/* The dual's norm over all forms in place of that over the ones that took part. */
static mk_status weigh(mk_active *a, const mk_solution *part) {
  double p = a->problem->norm.p, some = mk_lp_dual_norm(a->count, p, part->forms);
  MK_TRY(a->pool->price(a));
  double dual = part->dual - 0.5 * (mk_lp_dual_norm(a->kernels, p, a->s) - some);
  a->gap = (part->primal - dual) / fmax(fabs(part->primal), 1e-300);
  keep_best(a);
  return record(a, dual);
}

static mk_status solve_round(mk_active *a, double goal) {
  mk_solution part;
  double *theta = MK_NEW(double, a->count);
  mk_status status = mk_solution_new(&part, a->problem);
  if (theta == NULL) status = MK_NO_MEMORY;
  if (status == MK_OK) {
    start_theta(a, theta);
    mk_start start = {theta, a->solution->alpha, a->iterations, a->solves};
    status = a->pool->solve(a, &start, goal, &part);
  }
  if (mk_usable_end(status)) {
    take_over(a, &part);
    mk_status weighed = weigh(a, &part);
    if (status == MK_OK || weighed != MK_TIME_LIMIT) status = weighed == MK_OK ? status : weighed;
  }
  mk_solution_clear(&part);
  mk_free(theta);
  return status;
}

/* ---- the whole ---- */

/* MK_STALLED of a part is no end as long as other kernels join. */
static mk_status solve_rounds(mk_active *a, double tol) {
  double least = 0.5 * tol, goal = LOOSEST, before = INFINITY;
  for (int round = 0, idle = 0; round < MOST_ROUNDS; round++) {
    renew_list(a);
    goal = fmax(least, fmin(goal, GOAL_SHARE * a->gap));
    mk_status status = solve_round(a, goal);
    if (status != MK_OK && status != MK_STALLED) return status;
    if (a->gap <= tol) return MK_OK;
    idle = a->gap < 0.99 * before ? 0 : idle + 1;
    if (idle > 5) return MK_STALLED;
    before = fmin(before, a->gap);
    MK_TRY(mk_check(a->control));
  }
  return MK_STALLED;
}

static mk_status certify(mk_active *a) {
  mk_solution *solution = a->solution;
  MK_TRY(mk_certify_solution(a->problem, a->control, solution));
  solution->iterations = a->iterations;
  solution->solves = a->solves;
  a->gap = solution->gap;
  return record(a, solution->dual);
}

static mk_status run(mk_active *a, const mk_start *start) {
  double tol = a->control->tol;
  mk_status begun = a->pool->begin(a, start);
  if (begun == MK_OK && a->gap <= tol) return MK_OK;
  if (begun != MK_OK) {
    if (mk_usable_end(begun)) MK_TRY(certify(a));
    return begun;
  }
  keep_best(a);
  for (int attempt = 0;; attempt++) {
    mk_status status = solve_rounds(a, tol * pow(0.3, attempt));
    if (!mk_usable_end(status)) return status;
    if (status != MK_OK) return_to_best(a);
    MK_TRY(certify(a));
    if (a->solution->gap <= a->control->tol) return MK_OK;
    if (status != MK_OK) return status;
    if (attempt == 3 || a->solution->rounding >= a->control->tol) return MK_STALLED;
  }
}

mk_status mk_active_kernels(const mk_problem *problem, const mk_control *control,
                            const mk_start *start, const mk_pool *pool, mk_solution *solution) {
  size_t kernels = mk_set_kernels(problem->set);
  mk_active a = {.problem = problem, .control = control, .solution = solution, .pool = pool};
  a.kernels = kernels;
  a.gap = a.best_gap = INFINITY;
  a.list = MK_NEW(int, kernels);
  a.in = MK_NEW0(char, kernels);
  a.s = MK_NEW0(double, kernels);
  a.rank = MK_NEW(double, kernels);
  a.best = MK_NEW(double, kernels + problem->n * problem->tasks);
  mk_status status = MK_NO_MEMORY;
  if (a.list != NULL && a.in != NULL && a.s != NULL && a.rank != NULL && a.best != NULL)
    status = pool->prepare(&a);
  if (status == MK_OK) status = run(&a, start);
  pool->release(&a);
  mk_free(a.list);
  mk_free(a.in);
  mk_free(a.s);
  mk_free(a.rank);
  mk_free(a.best);
  return status;
}
