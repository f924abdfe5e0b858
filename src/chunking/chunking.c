/* Fits many rows: SVMs by chunks, forms and a step of theta in turns, until the gap is small
 * enough. Called by optimizers.c. MATHEMATICS.md, section 3.5. */
#include "chunking/chunking.h"

#include "certificate/certificate.h"
#include "chunking/checkpoint.h"
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
#define ROUND_PROGRESS 0.9   /* share of the least gap below which a round of chunks is progress */
#define MAX_IDLE_PASSES 4.0  /* passes over the samples without progress that count as a stall */
#define MIN_IDLE_ROUNDS 20.0 /* chunks without progress that do not count as a stall yet */
#define TASK_PARTS 3         /* parts of a task's state, in list_parts() */
#define OTHER_PARTS 5        /* the other parts of the state */

/* Numbers of the state; all are doubles. */
typedef struct fit_numbers {
  double moved; /* 1: `from` and `to` of the fit are known */
  double lower, upper, theta_gap, steps;
  double accuracy, least, idle; /* relative gap to aim at; least so far; steps without progress */
  double target, least_round, idle_rounds; /* at this theta, in absolute gaps */
} fit_numbers;

typedef struct fit {
  const mk_problem *problem;
  const mk_control *control;
  mk_solution *solution;
  mk_chunks chunks;
  double *s;         /* M: forms of alpha */
  double *next;      /* M: the next theta */
  double *from, *to; /* M: logarithms of the theta before and of the analytic step from there */
  fit_numbers now;
  mk_part *part; /* the state: theta, s, from, to, `now`, and of each task alpha, response, place */
  mk_pool memory;
} fit;

static void list_parts(fit *f) {
  mk_chunks *c = &f->chunks;
  const mk_part own[OTHER_PARTS] = {{c->theta, c->kernels},
                                    {f->s, c->kernels},
                                    {f->from, c->kernels},
                                    {f->to, c->kernels},
                                    {(double *)&f->now, sizeof f->now / sizeof(double)}};
  memcpy(f->part, own, sizeof own);
  for (size_t t = 0; t < c->tasks; t++) {
    mk_part *of_task = f->part + OTHER_PARTS + TASK_PARTS * t;
    of_task[0] = (mk_part){c->alpha[t], c->n};
    of_task[1] = (mk_part){c->response[t], c->n};
    of_task[2] = (mk_part){c->task[t].place, 2};
  }
}

static size_t count_parts(const fit *f) {
  return OTHER_PARTS + TASK_PARTS * f->chunks.tasks;
}

static mk_status fit_new(fit *f, const mk_problem *problem, const mk_control *control,
                         mk_solution *solution) {
  size_t kernels = mk_set_kernels(problem->set);
  *f = (fit){.problem = problem, .control = control, .solution = solution};
  f->s = MK_TAKE0(&f->memory, double, kernels);
  f->next = MK_TAKE0(&f->memory, double, kernels);
  f->from = MK_TAKE0(&f->memory, double, kernels);
  f->to = MK_TAKE0(&f->memory, double, kernels);
  f->part = MK_TAKE(&f->memory, mk_part, OTHER_PARTS + TASK_PARTS * problem->tasks);
  MK_TRY(mk_pool_status(&f->memory));
  MK_TRY(mk_chunks_new(&f->chunks, problem, control));
  list_parts(f);
  return MK_OK;
}

static void fit_clear(fit *f) {
  mk_chunks_clear(&f->chunks);
  mk_pool_free(&f->memory);
}

/* ---- values of the iterate ---- */

static mk_status record_iterate(fit *f, double primal, double dual) {
  mk_chunks *c = &f->chunks;
  mk_line line = {.iteration = f->now.steps,
                  .objective = dual,
                  .gap = mk_relative_gap(primal, dual),
                  .support = mk_support_count(c->alpha, c->tasks, c->n),
                  .solves = f->now.steps + 1.0};
  return mk_history_note(&f->solution->history, f->control, line, c->theta, c->kernels);
}

static mk_status measure_pair(fit *f) {
  mk_chunks *c = &f->chunks;
  const mk_norm *norm = &f->problem->norm;
  mk_chunk_sums sums = mk_chunks_sums(c);
  double price, worth;
  MK_TRY(mk_check(&c->lean));
  MK_TRY(mk_chunks_forms(c, f->s));
  MK_TRY(mk_sides(norm, c->kernels, c->theta, f->s, &price, &worth));
  f->now.upper = sums.loss + 0.5 * price;
  f->now.lower = sums.gain - 0.5 * worth;
  f->now.theta_gap = mk_norm_gap(norm, worth, price, sums.value);
  return record_iterate(f, f->now.upper, f->now.lower);
}

/* ---- the algorithm ---- */

/* Returns the derivative of log(analytic step) by log(theta) for one kernel, from the last two
 * steps. It is 2/(p + 1), its largest value, if forms do not depend on theta, and 0 if they fall
 * like inverse squares of theta. */
static double slope_of_step(const fit *f, size_t m, double from, double to) {
  double most = fmin(2.0 / (f->problem->norm.p + 1.0), MOST_SLOPE), way = from - f->from[m];
  if (f->now.moved == 0.0 || fabs(way) < LEAST_WAY) return 0.5 * most;
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
  f->now.moved = 1.0;
  mk_norm_normalize(norm, c->kernels, f->next);
  f->now.steps += 1.0;
  return mk_chunks_use_theta(c, f->next);
}

/* Reports the gap of the iterate: theta's part is that of the last measurement, 0 before the first.
 */
static void report_gap(const fit *f) {
  const mk_control *control = f->control;
  const mk_chunks *c = &f->chunks;
  if (control->progress == NULL) return;
  mk_chunk_sums sums = mk_chunks_sums(c);
  double gap = mk_chunks_gap(c) + f->now.theta_gap, dual = sums.gain - 0.5 * sums.value;
  control->progress(control->data, f->now.steps, mk_seconds() - control->start, dual,
                    gap / fabs(dual + gap), c->pairs / (double)c->n);
}

/* Solves chunks until the gap at this theta is within the target. MK_STALLED: no more progress. */
static mk_status run_chunks(fit *f) {
  mk_chunks *c = &f->chunks;
  fit_numbers *now = &f->now;
  double most = fmax(MIN_IDLE_ROUNDS, MAX_IDLE_PASSES * (double)c->n / (double)c->size);
  for (; mk_chunks_gap(c) > now->target; now->idle_rounds += 1.0) {
    if (mk_chunks_gap(c) < ROUND_PROGRESS * now->least_round) {
      now->least_round = mk_chunks_gap(c);
      now->idle_rounds = 0.0;
    }
    if (now->idle_rounds > most) return MK_STALLED;
    MK_TRY(mk_check(&c->lean));
    if (f->control->save != NULL)
      MK_TRY(mk_checkpoint_save(f->part, count_parts(f), c->kernels, &f->solution->history,
                                f->control));
    MK_TRY(mk_chunks_round(c, now->target));
    report_gap(f);
  }
  return MK_OK;
}

static void aim_rounds(fit *f) {
  mk_chunk_sums sums = mk_chunks_sums(&f->chunks);
  f->now.target = SVM_SHARE * f->now.accuracy * (sums.loss + 0.5 * sums.value);
  f->now.least_round = mk_chunks_gap(&f->chunks);
  f->now.idle_rounds = 0.0;
}

/* Solves to a relative gap of `goal`, as the fit's rows measure it. */
static mk_status solve_to_goal(fit *f, double goal) {
  mk_chunks *c = &f->chunks;
  fit_numbers *now = &f->now;
  for (;; aim_rounds(f)) {
    mk_status solved = run_chunks(f);
    if (solved != MK_OK && solved != MK_STALLED) return solved;
    MK_TRY(measure_pair(f));
    double gap = mk_relative_gap(now->upper, now->lower);
    if (gap <= goal) return MK_OK;
    now->idle = gap < PROGRESS * now->least ? 0.0 : now->idle + 1.0;
    now->least = fmin(now->least, gap);
    if (now->idle > MAX_IDLE || (solved == MK_STALLED && now->theta_gap < 0.5 * mk_chunks_gap(c)))
      return MK_STALLED;
    if (now->steps >= f->control->max_iter) return MK_ITERATION_LIMIT;
    now->accuracy = fmax(goal, fmin(now->accuracy, now->theta_gap / fabs(now->upper)));
    if (now->theta_gap > (1.0 - SVM_SHARE) * goal * fabs(now->upper)) MK_TRY(move_theta(f));
  }
}

/* Begins at theta, or where a call before was killed. */
static mk_status begin_or_resume(fit *f, const mk_start *start, double goal) {
  mk_chunks *c = &f->chunks;
  if (start->state != NULL) {
    MK_TRY(mk_checkpoint_load(f->part, count_parts(f), c->kernels, start, &f->solution->history));
    for (size_t t = 0; t < c->tasks; t++)
      if (!(c->task[t].place[0] >= 0.0 && c->task[t].place[0] < (double)c->n))
        return MK_BAD_ARGUMENT;
    return mk_chunks_resume(c);
  }
  f->now =
      (fit_numbers){.steps = start->iterations, .accuracy = FIRST_GAP * goal, .least = INFINITY};
  MK_TRY(mk_chunks_begin(c, start->theta, start->alpha));
  aim_rounds(f);
  return MK_OK;
}

static mk_status certify_iterate(fit *f) {
  mk_chunks *c = &f->chunks;
  mk_solution *solution = f->solution;
  memcpy(solution->theta, c->theta, c->kernels * sizeof *c->theta);
  for (size_t t = 0; t < c->tasks; t++)
    memcpy(solution->alpha + t * c->n, c->alpha[t], c->n * sizeof *solution->alpha);
  solution->iterations = f->now.steps;
  solution->solves = f->now.steps + 1.0;
  solution->bytes = mk_chunks_bytes(c) + mk_set_bytes(f->problem->set);
  MK_TRY(mk_certify_solution(f->problem, f->control, solution));
  return record_iterate(f, solution->primal, solution->dual);
}

static mk_status solve_and_certify(fit *f, const mk_start *start) {
  double goal = FINAL_SHARE * f->control->tol;
  mk_status status = begin_or_resume(f, start, goal);
  if (status == MK_OK) status = solve_to_goal(f, goal);
  if (!mk_usable_end(status)) return status;
  MK_TRY(certify_iterate(f));
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
