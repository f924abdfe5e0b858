/* Fits many rows: SVMs by chunks, forms and a step of theta in turns, until the gap is small
 * enough. Called by optimizers.c. MATHEMATICS.md, section 3.5. */
#include "chunking/chunking.h"

#include "certificate/certificate.h"
#include "chunking/chunks.h"
#include "problem/sides.h"
#include "theta/norm.h"

#include <math.h>
#include <string.h>

/* share of the tolerance to aim at, since the certificate may find a little more */
#define FINAL_SHARE 0.8
#define SVM_SHARE 0.4  /* share of the wanted gap that SVMs may leave */
#define FIRST_GAP 4.0  /* first gap of SVMs in multiples of the goal, before any forms are known */
#define PROGRESS 0.98  /* share of the least gap so far below which a gap is progress */
#define MOST_SLOPE 0.9 /* largest slope of a step, which lengthens analytic steps tenfold */
#define LEAST_WAY 1e-3 /* least move of a weight's logarithm from which a slope is estimated */
#define MAX_IDLE 4     /* steps without progress that count as a stall */

typedef struct fit {
  const mk_problem *problem;
  const mk_control *control;
  mk_solution *solution;
  mk_chunks chunks;
  double *s;         /* M: forms of alpha */
  double *next;      /* M: the next theta */
  double *from, *to; /* M: logarithms of the theta before and of the analytic step from there */
  int moved;         /* 1 if `from` and `to` are known */
  double lower, upper, theta_gap, steps;
  mk_pool memory;
} fit;

static mk_status fit_new(fit *f, const mk_problem *problem, const mk_control *control,
                         mk_solution *solution) {
  size_t kernels = mk_set_kernels(problem->set);
  *f = (fit){.problem = problem, .control = control, .solution = solution};
  f->s = MK_TAKE0(&f->memory, double, kernels);
  f->next = MK_TAKE0(&f->memory, double, kernels);
  f->from = MK_TAKE0(&f->memory, double, kernels);
  f->to = MK_TAKE0(&f->memory, double, kernels);
  MK_TRY(mk_pool_status(&f->memory));
  return mk_chunks_new(&f->chunks, problem, control);
}

static void fit_clear(fit *f) {
  mk_chunks_clear(&f->chunks);
  mk_pool_free(&f->memory);
}

/* ---- values of the pair ---- */

static mk_status record(fit *f, double primal, double dual) {
  mk_chunks *c = &f->chunks;
  mk_line line = {.iteration = f->steps,
                  .objective = dual,
                  .gap = mk_relative_gap(primal, dual),
                  .support = mk_support_count(c->alpha, c->tasks, c->n),
                  .solves = f->steps + 1.0};
  return mk_history_note(&f->solution->history, f->control, line, c->theta, c->kernels);
}

static mk_status measure(fit *f) {
  mk_chunks *c = &f->chunks;
  const mk_norm *norm = &f->problem->norm;
  mk_alphas alphas = {c->tasks, c->alpha};
  mk_chunk_sums sums = mk_chunks_sums(c);
  double price, worth;
  MK_TRY(mk_check(&c->lean));
  MK_TRY(mk_gram_forms(c->gram, &alphas, f->s));
  MK_TRY(mk_sides(norm, c->kernels, c->theta, f->s, &price, &worth));
  f->upper = sums.loss + 0.5 * price;
  f->lower = sums.gain - 0.5 * worth;
  f->theta_gap = mk_norm_gap(norm, worth, price, sums.value);
  return record(f, f->upper, f->lower);
}

/* ---- the algorithm ---- */

/* Returns the derivative of log(analytic step) by log(theta) for one kernel, from the last two
 * steps. It is 2/(p + 1), its largest value, if forms do not depend on theta, and 0 if they fall
 * like inverse squares of theta. */
static double slope_of_step(const fit *f, size_t m, double from, double to) {
  double most = fmin(2.0 / (f->problem->norm.p + 1.0), MOST_SLOPE), way = from - f->from[m];
  if (!f->moved || fabs(way) < LEAST_WAY) return 0.5 * most;
  return fmin(fmax((to - f->to[m]) / way, 0.0), most);
}

/* Makes a step of the secant method for the fixed point of analytic steps, kernel by kernel in
 * logarithms. */
static mk_status move_theta(fit *f) {
  const mk_norm *norm = &f->problem->norm;
  mk_chunks *c = &f->chunks;
  mk_norm_step(norm, c->kernels, c->theta, f->s, f->next);
  for (size_t m = 0; m < c->kernels; m++) {
    if (!(c->theta[m] > 0.0 && f->next[m] > 0.0)) continue;
    double from = log(c->theta[m]), to = log(f->next[m]);
    double slope = slope_of_step(f, m, from, to);
    f->from[m] = from;
    f->to[m] = to;
    f->next[m] = exp(from + (to - from) / (1.0 - slope));
  }
  f->moved = 1;
  mk_norm_normalize(norm, c->kernels, f->next);
  f->steps += 1.0;
  return mk_chunks_use_theta(c, f->next);
}

/* Solves to a relative gap of `goal`, as the fit's rows measure it. */
static mk_status solve(fit *f, double goal) {
  mk_chunks *c = &f->chunks;
  double accuracy = FIRST_GAP * goal, least = INFINITY;
  for (int idle = 0;;) {
    mk_chunk_sums sums = mk_chunks_sums(c);
    mk_status solved = mk_chunks_run(c, SVM_SHARE * accuracy * (sums.loss + 0.5 * sums.value));
    if (solved != MK_OK && solved != MK_STALLED) return solved;
    MK_TRY(measure(f));
    double gap = mk_relative_gap(f->upper, f->lower);
    if (gap <= goal) return MK_OK;
    idle = gap < PROGRESS * least ? 0 : idle + 1;
    least = fmin(least, gap);
    if (idle > MAX_IDLE || (solved == MK_STALLED && f->theta_gap < 0.5 * mk_chunks_gap(c)))
      return MK_STALLED;
    if (f->steps >= f->control->max_iter) return MK_ITERATION_LIMIT;
    accuracy = fmax(goal, fmin(accuracy, f->theta_gap / fabs(f->upper)));
    if (f->theta_gap > (1.0 - SVM_SHARE) * goal * fabs(f->upper)) MK_TRY(move_theta(f));
  }
}

static mk_status certify(fit *f) {
  mk_chunks *c = &f->chunks;
  mk_solution *solution = f->solution;
  memcpy(solution->theta, c->theta, c->kernels * sizeof *c->theta);
  for (size_t t = 0; t < c->tasks; t++)
    memcpy(solution->alpha + t * c->n, c->alpha[t], c->n * sizeof *solution->alpha);
  solution->iterations = f->steps;
  solution->solves = f->steps + 1.0;
  solution->bytes = mk_chunks_bytes(c) + mk_set_bytes(f->problem->set);
  MK_TRY(mk_certify_solution(f->problem, f->control, solution));
  return record(f, solution->primal, solution->dual);
}

static mk_status solve_and_certify(fit *f, const mk_start *start) {
  f->steps = start->iterations;
  mk_status status = mk_chunks_begin(&f->chunks, start->theta, start->alpha);
  if (status == MK_OK) status = solve(f, FINAL_SHARE * f->control->tol);
  if (!mk_usable_end(status)) return status;
  MK_TRY(certify(f));
  if (f->solution->gap <= f->control->tol) return MK_OK;
  return status == MK_OK ? MK_STALLED : status;
}

mk_status mk_chunking(const mk_problem *problem, const mk_control *control, const mk_start *start,
                      mk_solution *solution) {
  fit f;
  mk_status status = fit_new(&f, problem, control, solution);
  if (status == MK_OK) status = solve_and_certify(&f, start);
  fit_clear(&f);
  return status;
}
