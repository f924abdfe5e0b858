#include "active-kernels.h"

#include "base/memory.h"
#include "kernel/exact.h"
#include "kernel/features.h"
#include "optimizer/certificate.h"
#include "optimizer/interleaved.h"
#include "optimizer/machine.h"
#include "theta/lp.h"

#include <math.h>
#include <string.h>

#define TAKEN 500        /* kernels that join at a time */
#define MANY (4 * TAKEN) /* fewer are solved with all at once */
#define FIRST_GOAL 0.3   /* relative gap with all kernels ... */
#define FIRST_MOVES 30   /* ... or moves */
#define GOAL_SHARE 0.2   /* gap of a round beside that of all before it */
#define NEWCOMER 1e-3    /* weight of a kernel that joins, of the largest */
#define IDLE 1e-2        /* weights below this, of the largest, are none */
#define MOST_ROUNDS 200

typedef struct active_set {
  const mk_problem *problem;
  const mk_control *control;
  mk_solution *solution;
  size_t kernels, family; /* of the whole set; its feature blocks */
  int *list;              /* kernels that take part, increasing ... */
  size_t count;
  char *in;            /* M: ... and as marks */
  double *s;           /* M: forms at the solution's alphas */
  double *rank;        /* M: scratch */
  double **alpha, **g; /* tasks: pointers into the solution; slots */
  double iterations, solves;
  double gap; /* of the whole problem */
} active_set;

int mk_has_many_columns(const mk_problem *problem) {
  const mk_norm *norm = &problem->norm;
  if (!mk_norm_is_plain(norm) || norm->p > MK_NEAR_ONE || !mk_set_explicit(problem->set)) return 0;
  return mk_exact_family_size(problem->set, mk_set_families(problem->set) - 1) > MANY;
}

/* ---- prices ---- */

/* Forms of all feature blocks at the solution's alphas. */
static mk_status price(active_set *a) {
  mk_pass pass = {.tasks = a->problem->tasks, .alpha = a->alpha, .g = a->g};
  MK_TRY(mk_features_pass(a->problem->set, &pass, a->control));
  mk_features_forms(a->problem->set, &pass, a->s);
  return MK_OK;
}

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

/* Marks the kernels with the largest forms among those that don't take part. */
static void take_largest(active_set *a) {
  size_t outside = 0, taken = 0;
  for (size_t m = 0; m < a->kernels; m++)
    if (!a->in[m]) a->rank[outside++] = a->s[m];
  if (outside == 0) return;
  double least = kth_largest(a->rank, outside, outside < TAKEN ? outside : TAKEN);
  for (size_t m = 0; m < a->kernels && taken < TAKEN; m++)
    if (!a->in[m] && a->s[m] >= least) {
      a->in[m] = 1;
      taken++;
    }
}

/* Feature blocks without weight leave, those with the largest forms join. */
static void renew_list(active_set *a) {
  const double *theta = a->solution->theta;
  double most = 0.0;
  for (size_t m = 0; m < a->kernels; m++) most = fmax(most, theta[m]);
  memset(a->in, 1, a->kernels);
  for (size_t k = 0; k < mk_exact_family_size(a->problem->set, a->family); k++) {
    size_t m = mk_exact_family_member(a->problem->set, a->family, k);
    a->in[m] = theta[m] > IDLE * most;
  }
  take_largest(a);
  a->count = 0;
  for (size_t m = 0; m < a->kernels; m++)
    if (a->in[m]) a->list[a->count++] = (int)m;
}

/* ---- a round ---- */

/* Where the kernels that take part start from: newcomers with a little weight. */
static void start_theta(const active_set *a, double *theta) {
  double most = 0.0;
  for (size_t k = 0; k < a->count; k++) {
    theta[k] = a->solution->theta[a->list[k]];
    most = fmax(most, theta[k]);
  }
  if (most == 0.0) mk_lp_start(a->count, a->problem->norm.p, theta);
  for (size_t k = 0; k < a->count; k++) theta[k] = fmax(theta[k], NEWCOMER * most);
}

static void take_over(active_set *a, const mk_solution *part) {
  mk_solution *whole = a->solution;
  memset(whole->theta, 0, a->kernels * sizeof(double));
  for (size_t k = 0; k < a->count; k++) {
    whole->theta[a->list[k]] = part->theta[k];
    a->s[a->list[k]] = part->forms[k];
  }
  memcpy(whole->alpha, part->alpha, a->problem->n * a->problem->tasks * sizeof(double));
  whole->bytes = whole->bytes > part->bytes ? whole->bytes : part->bytes;
  a->iterations += part->iterations;
  a->solves += part->solves;
}

static mk_status record(active_set *a, const mk_solution *part, double dual) {
  double kernels = 0.0, support = 0.0, seconds = mk_seconds() - a->control->start;
  size_t n = a->problem->n;
  for (size_t k = 0; k < a->count; k++) kernels += part->theta[k] > 0.0;
  for (size_t i = 0; i < n; i++) {
    int any = 0;
    for (size_t t = 0; t < a->problem->tasks; t++) any |= part->alpha[t * n + i] != 0.0;
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
static mk_status weigh(active_set *a, const mk_solution *part) {
  double p = a->problem->norm.p, some = mk_lp_dual_norm(a->count, p, part->forms);
  MK_TRY(price(a));
  double dual = part->dual - 0.5 * (mk_lp_dual_norm(a->kernels, p, a->s) - some);
  a->gap = (part->primal - dual) / fabs(part->primal);
  return record(a, part, dual);
}

static mk_status solve_part(active_set *a, const mk_problem *problem, const mk_start *start,
                            double goal) {
  mk_solution part;
  mk_control control = *a->control;
  control.tol = goal;
  control.progress = NULL;
  control.trace = 0;
  control.max_iter -= a->iterations;
  mk_status status = mk_solution_new(&part, problem);
  if (status == MK_OK) status = mk_interleaved_whole(problem, &control, start, 0, &part);
  int usable = status == MK_OK || status == MK_STALLED || status == MK_TIME_LIMIT ||
               status == MK_ITERATION_LIMIT;
  if (usable) {
    take_over(a, &part);
    mk_status weighed = weigh(a, &part);
    if (status == MK_OK || weighed != MK_TIME_LIMIT) status = weighed == MK_OK ? status : weighed;
  }
  mk_solution_clear(&part);
  return status;
}

static mk_status solve_round(active_set *a, double goal) {
  mk_problem problem = *a->problem;
  mk_kernel_set *subset = NULL;
  double *theta = MK_NEW(double, a->count);
  mk_status status = theta == NULL ? MK_NO_MEMORY : MK_OK;
  if (status == MK_OK)
    status = mk_set_subset(&subset, a->problem->set, a->list, a->count, a->control->team);
  if (status == MK_OK) {
    problem.set = subset;
    start_theta(a, theta);
    mk_start start = {theta, a->solution->alpha};
    status = solve_part(a, &problem, &start, goal);
  }
  mk_set_free(subset);
  mk_free(theta);
  return status;
}

/* ---- the whole ---- */

/* MK_STALLED of a part is no end as long as other kernels join. */
static mk_status solve_rounds(active_set *a, double tol) {
  double least = 0.5 * tol, goal = INFINITY, before = INFINITY;
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

static mk_status certify(active_set *a) {
  mk_solution *solution = a->solution;
  mk_certificate certificate = {
      .offset = solution->offset, .forms = solution->forms, .decision = solution->decision};
  mk_control patient = *a->control; /* a fit that ran out of time still gets its gap */
  patient.max_time = INFINITY;
  MK_TRY(mk_certify(a->problem, solution->theta, solution->alpha, &patient, &certificate));
  solution->primal = certificate.primal;
  solution->dual = certificate.dual;
  solution->gap = certificate.gap;
  solution->iterations = a->iterations;
  solution->solves = a->solves;
  return MK_OK;
}

/* Few kernels chosen too early have too little room, and the alphas that they ask for say little
 * about the others: all of them, roughly, come first. */
static mk_status begin(active_set *a, const mk_start *start) {
  mk_control control = *a->control;
  control.tol = fmax(FIRST_GOAL, control.tol);
  control.max_iter = fmin(FIRST_MOVES, control.max_iter);
  mk_status status = mk_interleaved_whole(a->problem, &control, start, 1, a->solution);
  memcpy(a->s, a->solution->forms, a->kernels * sizeof(double));
  a->gap = a->solution->gap;
  a->iterations = a->solution->iterations;
  a->solves = a->solution->solves;
  int rough = status == MK_STALLED || status == MK_ITERATION_LIMIT;
  return rough && a->iterations < a->control->max_iter ? MK_OK : status;
}

static mk_status run(active_set *a, const mk_start *start) {
  double tol = a->control->tol;
  mk_status begun = begin(a, start);
  if (begun != MK_OK || a->gap <= tol) return begun;
  for (int attempt = 0;; attempt++) {
    mk_status status = solve_rounds(a, tol * pow(0.3, attempt));
    if (status != MK_OK && status != MK_STALLED && status != MK_TIME_LIMIT &&
        status != MK_ITERATION_LIMIT)
      return status;
    MK_TRY(certify(a));
    if (a->solution->gap <= a->control->tol) return MK_OK;
    if (status != MK_OK) return status;
    if (attempt == 3) return MK_STALLED;
  }
}

mk_status mk_active_kernels(const mk_problem *problem, const mk_control *control,
                            const mk_start *start, mk_solution *solution) {
  size_t kernels = mk_set_kernels(problem->set), slots = mk_set_slots(problem->set);
  active_set a = {.problem = problem, .control = control, .solution = solution};
  a.kernels = kernels;
  a.family = mk_set_families(problem->set) - 1;
  a.list = MK_NEW(int, kernels);
  a.in = MK_NEW0(char, kernels);
  a.s = MK_NEW0(double, kernels);
  a.rank = MK_NEW(double, kernels);
  a.alpha = MK_NEW0(double *, problem->tasks);
  a.g = MK_NEW0(double *, problem->tasks);
  double *g = MK_NEW(double, problem->tasks *slots);
  mk_status status = MK_NO_MEMORY;
  if (a.list != NULL && a.in != NULL && a.s != NULL && a.rank != NULL && a.alpha != NULL &&
      a.g != NULL && g != NULL) {
    for (size_t t = 0; t < problem->tasks; t++) {
      a.alpha[t] = solution->alpha + t * problem->n;
      a.g[t] = g + t * slots;
    }
    status = run(&a, start);
  }
  mk_free(a.list);
  mk_free(a.in);
  mk_free(a.s);
  mk_free(a.rank);
  mk_free(a.alpha);
  mk_free(a.g);
  mk_free(g);
  return status;
}
