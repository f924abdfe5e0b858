/* Chains of fits, one for each problem, distributed over the threads. Called by the glue.
 * MATHEMATICS.md, section 1.6 (Giesen, Jaggi and Laue 2012). */
#include "grid.h"

#include "base/memory.h"
#include "base/threads.h"
#include "certificate/certificate.h"
#include "rows/mixture.h"
#include "theta/norm.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* least weight as a share of the largest, since multiplicative steps cannot leave 0 */
#define LEAST_START 1e-4
#define AT_BOUND (1.0 - 1e-8) /* share of its bound from which an alpha counts as at the bound */

/* Data that all chains share. */
typedef struct grid_work {
  const mk_grid *grid;
  const mk_control *control;
  atomic_int interrupted;
  atomic_size_t done; /* number of cells done */
} grid_work;

/* ---- interrupts and progress: on the calling thread ---- */

static int poll_caller(void *data) {
  grid_work *work = data;
  const mk_control *control = work->control;
  if (atomic_load(&work->interrupted)) return 1;
  if (!mk_team_leads(control->team) || control->poll == NULL || !control->poll(control->data))
    return 0;
  atomic_store(&work->interrupted, 1);
  return 1;
}

static void report_fit(grid_work *work) {
  const mk_control *control = work->control;
  double done = (double)(atomic_fetch_add(&work->done, 1) + 1);
  if (control->progress != NULL && mk_team_leads(control->team))
    control->progress(control->data, done, mk_seconds() - control->start, NAN, NAN, 0.0);
}

/* ---- one chain ---- */

/* One chain: the problem at the cost of a cell, and the start of its fit. */
typedef struct chain {
  grid_work *work;
  mk_problem problem;
  double *cost, *above, *shape;     /* n x tasks; n x tasks; 3 x n x tasks */
  double *theta, *alpha, *decision; /* M; n x tasks; n x tasks */
} chain;

static void set_cost(chain *c, const mk_problem *own, double scale) {
  c->problem = *own;
  size_t size = own->n * own->tasks;
  for (size_t i = 0; i < size; i++) c->cost[i] = scale * own->cost[i];
  c->problem.cost = c->cost;
  for (size_t i = 0; own->cost_above != NULL && i < size; i++)
    c->above[i] = scale * own->cost_above[i];
  if (own->cost_above != NULL) c->problem.cost_above = c->above;
  mk_problem_shape(&c->problem, c->shape);
}

/* Returns a common factor for all alphas. Alphas at their bounds should grow like the costs, free
 * ones not at all; for the hinge loss the factor is the best one along alpha. */
static double best_growth(const mk_solution *before, size_t kernels, double ratio) {
  double square = mk_simd_best()->dot(kernels, before->theta, before->forms);
  double loss = before->primal - 0.5 * square;
  return square > 0.0 ? fmin(ratio, 1.0 + fmax(loss, 0.0) / square) : ratio;
}

/* Starts from one solution. */
static void start_behind(chain *c, const mk_known *last, double scale) {
  size_t kernels = mk_set_kernels(c->problem.set);
  double growth = best_growth(last->solution, kernels, scale / last->scale);
  memcpy(c->theta, last->solution->theta, kernels * sizeof(double));
  for (size_t i = 0; i < c->problem.n * c->problem.tasks; i++)
    c->alpha[i] = growth * last->solution->alpha[i];
}

/* Extrapolates one alpha, which keeps its sign and stays at its bound. */
static double extended_alpha(const mk_problem *problem, size_t i, double last, double next,
                             double ratio) {
  double bound = last > 0.0 ? problem->upper[i] : problem->lower[i];
  if (last == 0.0 || fabs(last) * ratio >= AT_BOUND * fabs(bound)) return last == 0.0 ? 0.0 : bound;
  return last > 0.0 ? fmin(fmax(next, 0.0), bound) : fmax(fmin(next, 0.0), bound);
}

/* Extrapolates theta, alphas and decision values from the last two solutions, linearly in the
 * logarithm of the cost. */
static void start_beyond(chain *c, const mk_known *last, const mk_known *before, double scale,
                         mk_start *start) {
  const mk_solution *a = before->solution, *b = last->solution;
  size_t size = c->problem.n * c->problem.tasks;
  double further = log(scale / last->scale) / log(last->scale / before->scale), sum = 0.0;
  for (size_t m = 0; m < mk_set_kernels(c->problem.set); m++)
    c->theta[m] = fmax(b->theta[m] + further * (b->theta[m] - a->theta[m]), 0.0);
  for (size_t i = 0; i < size; i++) {
    double next = b->alpha[i] + further * (b->alpha[i] - a->alpha[i]);
    double change = further * (b->decision[i] - a->decision[i]);
    c->alpha[i] = extended_alpha(&c->problem, i, b->alpha[i], next, scale / last->scale);
    c->decision[i] = b->decision[i] + change;
    sum += fabs(change);
  }
  start->decision = c->decision;
  start->decision_error = sum / (double)size;
}

static mk_start warm_start(chain *c, const mk_known *last, const mk_known *before, double scale) {
  mk_start start = {.theta = c->theta, .alpha = c->alpha};
  const mk_norm *norm = &c->problem.norm;
  double largest = 0.0;
  if (before->solution != NULL)
    start_beyond(c, last, before, scale, &start);
  else
    start_behind(c, last, scale);
  /* with sparse weights, steps of theta raise the right weights from 0 */
  mk_optimizer optimizer = c->work->grid->optimizer;
  int interleaved = optimizer == MK_INTERLEAVED || optimizer == MK_AUTO;
  if (interleaved && mk_norm_is_plain(norm) && norm->p == 1.0) return start;
  for (size_t m = 0; m < mk_set_kernels(c->problem.set); m++) largest = fmax(largest, c->theta[m]);
  for (size_t m = 0; m < mk_set_kernels(c->problem.set); m++)
    c->theta[m] = fmax(c->theta[m], LEAST_START * largest);
  return start;
}

/* Certifies the solution of the last cost at the present cost, which succeeds if no alpha is at its
 * bound. */
static mk_status try_before(const chain *c, const mk_solution *before, double tol,
                            mk_solution *solution, int *serves) {
  mk_solution_copy(solution, before, &c->problem);
  MK_TRY(mk_recertify_solution(&c->problem, solution));
  *serves = solution->gap <= tol;
  return MK_OK;
}

/* Fits one cell. If a fit from a warm start stalls, it is repeated from a cold one. */
static mk_status fit_cell(chain *c, const mk_control *control, const mk_known *last,
                          const mk_known *before, double scale, mk_solution *solution) {
  mk_optimizer optimizer = c->work->grid->optimizer;
  int serves = 0;
  MK_TRY(mk_solution_new(solution, &c->problem));
  if (last->solution != NULL) {
    MK_TRY(try_before(c, last->solution, control->tol, solution, &serves));
    if (serves) return MK_OK;
    mk_start start = warm_start(c, last, before, scale);
    mk_status status = mk_optimize(optimizer, &c->problem, control, &start, solution);
    if (status != MK_STALLED) return status;
    mk_solution_clear(solution);
    MK_TRY(mk_solution_new(solution, &c->problem));
  }
  return mk_optimize(optimizer, &c->problem, control, NULL, solution);
}

/* Fits a chain from its smallest cost, or from the last known solution. */
static mk_status run_chain(chain *c, size_t k) {
  grid_work *work = c->work;
  const mk_grid *grid = work->grid;
  mk_known last = {NULL, 1.0}, before = {NULL, 1.0};
  if (grid->known != NULL) {
    last = grid->known[2 * k];
    before = grid->known[2 * k + 1];
  }
  for (size_t j = 0; j < grid->scales; j++) {
    mk_cell *cell = &grid->cell[k * grid->scales + j];
    mk_control control = *work->control;
    control.poll = poll_caller;
    control.data = work;
    control.progress = NULL;
    control.team = NULL;
    /* only the leader may call BLAS */
    if (work->control->team != NULL) control.blas = MK_BLAS_NEVER;
    control.start = mk_seconds();
    control.max_time = fmin(control.max_time, grid->deadline - control.start);
    cell->status = MK_TIME_LIMIT;
    if (control.max_time > 0.0) {
      set_cost(c, &grid->problem[k], grid->scale[j]);
      cell->status = fit_cell(c, &control, &last, &before, grid->scale[j], &cell->solution);
      if (!mk_usable_end(cell->status)) mk_solution_clear(&cell->solution);
      cell->seconds = mk_seconds() - control.start;
    }
    if (cell->status == MK_INTERRUPTED) return MK_INTERRUPTED;
    if (cell->solution.theta != NULL) {
      before = last;
      last = (mk_known){&cell->solution, grid->scale[j]};
    }
    report_fit(work);
  }
  return MK_OK;
}

static mk_status chain_task(void *data, size_t k, int thread) {
  grid_work *work = data;
  const mk_problem *own = &work->grid->problem[k];
  size_t size = own->n * own->tasks;
  (void)thread;
  double *memory = MK_NEW(double, 7 * size + mk_set_kernels(own->set));
  if (memory == NULL) return MK_NO_MEMORY;
  chain c = {.work = work,
             .cost = memory,
             .above = memory + size,
             .shape = memory + 2 * size,
             .alpha = memory + 5 * size,
             .decision = memory + 6 * size,
             .theta = memory + 7 * size};
  mk_status status = run_chain(&c, k);
  mk_free(memory);
  return status;
}

/* ---- all chains ---- */

/* Prepares the sets that chains share: several threads must be able to read them, without
 * callbacks. */
static mk_status settle_sets(const mk_grid *grid, mk_control *control) {
  const mk_kernel_set *last = NULL;
  for (size_t k = 0; k < grid->problems; k++) {
    const mk_kernel_set *set = grid->problem[k].set;
    if (set != last) MK_TRY(mk_set_settle(set, control));
    last = set;
  }
  for (size_t k = 0; k < grid->problems; k++)
    if (mk_set_calls_back(grid->problem[k].set)) control->team = NULL;
  return MK_OK;
}

mk_status mk_fit_grid(const mk_grid *grid, const mk_control *control) {
  mk_control shared = *control;
  grid_work work = {.grid = grid, .control = &shared};
  MK_TRY(settle_sets(grid, &shared));
  shared.cache /= (size_t)mk_team_size(shared.team);
  return mk_deal_out(grid->problems, shared.team, chain_task, &work);
}

void mk_grid_clear(mk_grid *grid) {
  for (size_t k = 0; grid->cell != NULL && k < grid->problems * grid->scales; k++)
    mk_solution_clear(&grid->cell[k].solution);
}
