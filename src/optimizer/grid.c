/* Chains of fits, one for each problem, dealt out to threads. Called by the glue.
 * Mathematics section 1; what a pair is worth at other costs: Giesen, Jaggi and Laue (2012). */
#include "grid.h"

#include "base/memory.h"
#include "base/threads.h"
#include "certificate/certificate.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define LEAST_START 1e-4 /* of the largest theta: steps that multiply don't leave 0 */

/* What all chains share. */
typedef struct grid_work {
  const mk_grid *grid;
  const mk_control *control;
  atomic_int interrupted;
  atomic_size_t done; /* cells */
} grid_work;

/* ---- interrupts and progress: on the calling thread ---- */

static int poll(void *data) {
  grid_work *work = data;
  const mk_control *control = work->control;
  if (atomic_load(&work->interrupted)) return 1;
  if (!mk_team_leads(control->team) || control->poll == NULL || !control->poll(control->data)) return 0;
  atomic_store(&work->interrupted, 1);
  return 1;
}

static void tell(grid_work *work) {
  const mk_control *control = work->control;
  double done = (double)(atomic_fetch_add(&work->done, 1) + 1);
  if (control->progress != NULL && mk_team_leads(control->team))
    control->progress(control->data, done, mk_seconds() - control->start, NAN, NAN);
}

/* ---- one chain ---- */

/* The problem of a chain at the cost of a cell, and where its fit starts. */
typedef struct chain {
  grid_work *work;
  mk_problem problem;
  double *cost, *above, *shape, *theta, *alpha; /* n x tasks; that; three times that; M; n x tasks */
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

/* Alphas at their bounds grow with the costs, free ones don't: together they grow by what is best
 * along their direction, which for hinge loss is this factor. */
static double best_growth(const mk_solution *before, size_t kernels, double ratio) {
  double square = mk_simd_best()->dot(kernels, before->theta, before->forms);
  double loss = before->primal - 0.5 * square;
  return square > 0.0 ? fmin(ratio, 1.0 + fmax(loss, 0.0) / square) : ratio;
}

static mk_start warm_start(chain *c, const mk_solution *before, double ratio) {
  size_t kernels = mk_set_kernels(c->problem.set);
  double largest = 0.0, growth = best_growth(before, kernels, ratio);
  for (size_t m = 0; m < kernels; m++) largest = fmax(largest, before->theta[m]);
  for (size_t m = 0; m < kernels; m++)
    c->theta[m] = fmax(before->theta[m], LEAST_START * largest);
  for (size_t i = 0; i < c->problem.n * c->problem.tasks; i++)
    c->alpha[i] = growth * before->alpha[i];
  return (mk_start){.theta = c->theta, .alpha = c->alpha};
}

static void copy_solution(mk_solution *to, const mk_solution *from, const mk_problem *problem) {
  size_t kernels = mk_set_kernels(problem->set), size = problem->n * problem->tasks;
  memcpy(to->theta, from->theta, kernels * sizeof(double));
  memcpy(to->forms, from->forms, kernels * sizeof(double));
  memcpy(to->alpha, from->alpha, size * sizeof(double));
  memcpy(to->decision, from->decision, size * sizeof(double));
  memcpy(to->offset, from->offset, problem->tasks * sizeof(double));
  memcpy(to->slack, from->slack, (size + 2 * kernels) * sizeof(double));
}

/* The solution at the costs before is certified at these, too, as where no alpha is at its bound. */
static mk_status try_before(const chain *c, const mk_solution *before, double tol,
                            mk_solution *solution, int *serves) {
  copy_solution(solution, before, &c->problem);
  MK_TRY(mk_recertify_solution(&c->problem, solution));
  *serves = solution->gap <= tol;
  return MK_OK;
}

/* Where a warm fit stalls, a cold one may not. */
static mk_status fit_cell(chain *c, const mk_control *control, const mk_solution *before,
                          double ratio, mk_solution *solution) {
  mk_optimizer optimizer = c->work->grid->optimizer;
  int serves = 0;
  MK_TRY(mk_solution_new(solution, &c->problem));
  if (before != NULL) {
    MK_TRY(try_before(c, before, control->tol, solution, &serves));
    if (serves) return MK_OK;
    mk_start start = warm_start(c, before, ratio);
    mk_status status = mk_optimize(optimizer, &c->problem, control, &start, solution);
    if (status != MK_STALLED) return status;
    mk_solution_clear(solution);
    MK_TRY(mk_solution_new(solution, &c->problem));
  }
  return mk_optimize(optimizer, &c->problem, control, NULL, solution);
}

/* From the smallest cost on. */
static mk_status run_chain(chain *c, size_t k) {
  grid_work *work = c->work;
  const mk_grid *grid = work->grid;
  const mk_solution *before = NULL;
  double last = 1.0;
  for (size_t j = 0; j < grid->scales; j++) {
    mk_cell *cell = &grid->cell[k * grid->scales + j];
    mk_control control = *work->control;
    control.poll = poll;
    control.data = work;
    control.progress = NULL;
    control.team = NULL;
    if (work->control->team != NULL) control.blas = MK_BLAS_NEVER; /* it is the leader's */
    control.start = mk_seconds();
    control.max_time = fmin(control.max_time, grid->deadline - control.start);
    cell->status = MK_TIME_LIMIT;
    if (control.max_time > 0.0) {
      set_cost(c, &grid->problem[k], grid->scale[j]);
      cell->status = fit_cell(c, &control, before, grid->scale[j] / last, &cell->solution);
      if (!mk_usable_end(cell->status)) mk_solution_clear(&cell->solution);
      cell->seconds = mk_seconds() - control.start;
    }
    if (cell->status == MK_INTERRUPTED) return MK_INTERRUPTED;
    if (cell->solution.theta != NULL) {
      before = &cell->solution;
      last = grid->scale[j];
    }
    tell(work);
  }
  return MK_OK;
}

static mk_status chain_task(void *data, size_t k, int thread) {
  grid_work *work = data;
  const mk_problem *own = &work->grid->problem[k];
  size_t size = own->n * own->tasks;
  (void)thread;
  double *memory = MK_NEW(double, 6 * size + mk_set_kernels(own->set));
  if (memory == NULL) return MK_NO_MEMORY;
  chain c = {.work = work,
             .cost = memory,
             .above = memory + size,
             .shape = memory + 2 * size,
             .alpha = memory + 5 * size,
             .theta = memory + 6 * size};
  mk_status status = run_chain(&c, k);
  mk_free(memory);
  return status;
}

/* ---- all chains ---- */

/* Chains share sets, which must be ready to be read by several threads, and call nobody back. */
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
