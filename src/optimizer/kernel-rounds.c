/* PROTOTYPE */
#include "kernel-rounds.h"

#include "base/memory.h"
#include "kernel/exact.h"
#include "kernel/features.h"
#include "kernel/values.h"
#include "optimizer/certificate.h"
#include "optimizer/gram.h"
#include "optimizer/triangles.h"
#include "optimizer/interleaved.h"
#include "optimizer/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static double cpu(void){struct timespec t;clock_gettime(CLOCK_THREAD_CPUTIME_ID,&t);return (double)t.tv_sec+1e-9*(double)t.tv_nsec;}
#define mk_seconds cpu

static double env(const char *name, double or) {
  const char *v = getenv(name);
  return v ? atof(v) : or;
}

typedef struct rounds {
  const mk_problem *problem;
  const mk_control *control;
  mk_solution *solution;
  size_t kernels, n;
  mk_triangles *triangles;
  int *list;
  size_t count;
  char *in;
  double *s;
  double **alpha;
  double iterations, solves, gap, primal, dual;
} rounds;

static double seconds_fill, seconds_price, seconds_solve;

static mk_status solve_part(rounds *r, const double *theta, double goal, mk_solution *out) {
  double t0 = mk_seconds();
  mk_some_kernels part = {r->problem->set, r->triangles, r->list, r->count};
  mk_problem problem = *r->problem;
  problem.part = &part;
  mk_control control = *r->control;
  control.progress = NULL;
  control.trace = 0;
  mk_status status = mk_solution_new(out, &problem);
  mk_start start = {theta, r->iterations > 0 ? r->solution->alpha : NULL};
  if (status == MK_OK) status = mk_interleaved_part(&problem, &control, &start, goal, out);
  seconds_solve += mk_seconds() - t0;
  return status;
}

static mk_status price(rounds *r) {
  double t0 = mk_seconds();
  mk_status status = mk_triangles_forms(r->triangles, r->solution->alpha, 1, r->control->team, r->s);
  seconds_price += mk_seconds() - t0;
  return status;
}

static int compare_down(const void *a, const void *b) {
  double x = **(double *const *)a, y = **(double *const *)b;
  return x < y ? 1 : x > y ? -1 : 0;
}

/* adds up to `most` kernels with s > least, by size. */
static size_t join(rounds *r, size_t most, double least) {
  double **p = MK_NEW(double *, r->kernels);
  size_t c = 0, taken = 0;
  for (size_t m = 0; m < r->kernels; m++)
    if (!r->in[m] && r->s[m] > least) p[c++] = &r->s[m];
  qsort(p, c, sizeof *p, compare_down);
  for (; taken < c && taken < most; taken++) r->in[p[taken] - r->s] = 1;
  mk_free(p);
  r->count = 0;
  for (size_t m = 0; m < r->kernels; m++)
    if (r->in[m]) r->list[r->count++] = (int)m;
  return taken;
}

static mk_status run(rounds *r) {
  const mk_problem *problem = r->problem;
  double tol = r->control->tol, t00 = mk_seconds();
  size_t n = r->n;
  mk_triangles *triangles;
  MK_TRY(mk_triangles_new(&triangles, problem->set, r->control));
  r->triangles = triangles;
  double tn = mk_seconds();
  for (size_t m = 0; m < r->kernels; m++) r->list[m] = (int)m;
  r->count = r->kernels;
  mk_solution whole;
  MK_TRY(solve_part(r, NULL, 1e300, &whole));
  memcpy(r->s, whole.forms, r->kernels * sizeof(double));
  memcpy(r->solution->alpha, whole.alpha, n * sizeof(double));
  double t1 = mk_seconds(), gap0 = (whole.primal - whole.dual) / whole.primal;
  r->iterations = 1;
  mk_solution_clear(&whole);
  size_t first = (size_t)env("K0", 40);
  join(r, first, 0.0);
  double *theta = MK_NEW(double, r->kernels), goal = env("G0", .1);
  for (size_t k = 0; k < r->count; k++) theta[k] = 1.0 / r->count;
  double time_setup = t1 - t00;
  mk_status status = MK_OK;
  r->solves = 1;
  if (env("TRACE", 0)) fprintf(stderr, "first gap %.3f, fill %.1f solve %.1f ms\n", gap0, 1e3 * (tn-t00), 1e3*(t1-tn));
  for (int round = 0; round < 60; round++) {
    mk_solution part;
    double t2 = mk_seconds();
    status = solve_part(r, theta, goal, &part);
    if (status != MK_OK && status != MK_STALLED && status != MK_ITERATION_LIMIT) return status;
    double t3 = mk_seconds();
    memcpy(r->solution->alpha, part.alpha, n * sizeof(double));
    memset(r->solution->theta, 0, r->kernels * sizeof(double));
    double most_in = 0.0, most = 0.0;
    for (size_t k = 0; k < r->count; k++) r->solution->theta[r->list[k]] = part.theta[k];
    r->solves += part.solves;
    r->iterations += part.iterations;
    MK_TRY(price(r));
    size_t active = 0;
    for (size_t m = 0; m < r->kernels; m++) {
      most = fmax(most, r->s[m]);
      if (r->in[m]) most_in = fmax(most_in, r->s[m]);
      active += r->solution->theta[m] > 0;
    }
    double dual = part.dual - 0.5 * (most - most_in);
    double best_dual = fmax(dual, round ? r->dual : -INFINITY);
    part.gap = (part.primal - part.dual) / part.primal; r->gap = (part.primal - dual) / part.primal;
    double violators = 0;
    for (size_t m = 0; m < r->kernels; m++) violators += !r->in[m] && r->s[m] > most_in;
    if (env("TRACE", 0))
      fprintf(stderr, "  round %d: K %zu active %zu, goal %.4f own gap %.4f all gap %.4f violators %g solves %g, fill+solve %.1f ms, price %.1f st %d\n", round,
              r->count, active, goal, part.gap, r->gap, violators, part.solves, 1e3 * (t3 - t2), 1e3 * (mk_seconds() - t3), status);
    r->dual = best_dual;
    r->primal = part.primal;
    mk_solution_clear(&part);
    if (r->gap <= tol * 0.95) break;
    /* leave */
    for (size_t m = 0; m < r->kernels; m++)
      if (r->in[m] && r->solution->theta[m] == 0.0 && r->s[m] < env("KEEP", .8) * most_in) r->in[m] = 0;
    size_t added = join(r, (size_t)env("K", 30), most_in * env("LEAST", .98));
    (void)added;
    double mt = 0;
    for (size_t k = 0; k < r->count; k++) mt = fmax(mt, r->solution->theta[r->list[k]]);
    for (size_t k = 0; k < r->count; k++) theta[k] = fmax(r->solution->theta[r->list[k]], env("NEW", 1e-2) * mt);
    goal = fmax(env("GEND", .5) * tol, fmin(goal, env("GSHARE", .2) * r->gap));
  }
  double t4 = mk_seconds();
  mk_certificate certificate = {
      .offset = r->solution->offset, .forms = r->solution->forms, .decision = r->solution->decision};
  MK_TRY(mk_certify(problem, r->solution->theta, r->solution->alpha, r->control, &certificate));
  r->solution->primal = certificate.primal;
  r->solution->dual = certificate.dual;
  r->solution->gap = certificate.gap;
  r->solution->iterations = r->iterations;
  r->solution->solves = r->solves;
  if (env("TRACE", 0))
    fprintf(stderr, "setup %.1f fill %.1f solve %.1f price %.1f certify %.1f all %.1f ms; gap %.4f\n", 1e3 * time_setup, 1e3 * seconds_fill, 1e3 * seconds_solve, 1e3 * seconds_price, 1e3 * (mk_seconds() - t4), 1e3 * (mk_seconds() - t00), certificate.gap);
  mk_triangles_free(triangles);
  mk_free(theta);
  return MK_OK;
}

mk_status mk_kernel_rounds(const mk_problem *problem, const mk_control *control, mk_solution *solution) {
  rounds r = {.problem = problem, .control = control, .solution = solution};
  seconds_fill = seconds_price = seconds_solve = 0;
  r.kernels = mk_set_kernels(problem->set);
  r.n = problem->n;
  r.list = MK_NEW(int, r.kernels);
  r.in = MK_NEW0(char, r.kernels);
  r.s = MK_NEW0(double, r.kernels);
  mk_status status = run(&r);
  mk_free(r.list);
  mk_free(r.in);
  mk_free(r.s);
  return status;
}
