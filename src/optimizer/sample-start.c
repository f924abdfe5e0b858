/* The fit of a sample is one of the whole problem in which no other sample's loss weighs anything.
 * Called by optimizers.c; MATHEMATICS.md, section 1. */
#include "optimizer/sample-start.h"

#include "base/memory.h"
#include "base/pool.h"
#include "optimizer/interleaved.h"
#include "optimizer/working-set.h"
#include "theta/norm.h"

#include <math.h>
#include <string.h>

#define SAMPLE_SHARE 0.2    /* of all samples, ... */
#define MOST_SAMPLE 10000.0 /* ... and at most; at least MK_SMALL_PROBLEM */
#define SAMPLE_TOL 1e-2     /* gap of the sample's fit, whose theta is but a start */

/* out = values of evenly spaced samples of each sign, as many times as there are samples for each
 * of them; 0 for the others. */
static void weigh_sample(const mk_problem *problem, double share, const double *values,
                         double *out) {
  size_t seen[2] = {0, 0};
  for (size_t i = 0; i < problem->n; i++) {
    double k = (double)seen[problem->linear[i] > 0.0]++;
    out[i] = floor((k + 1.0) * share) > floor(k * share) ? values[i] / share : 0.0;
  }
}

/* The problem with the sample's losses alone; memory: 5 n. */
static mk_problem sampled(const mk_problem *problem, double share, double *memory) {
  size_t n = problem->n;
  mk_problem out = *problem;
  if (problem->cost == NULL) { /* the box says what losses weigh */
    weigh_sample(problem, share, problem->lower, memory);
    weigh_sample(problem, share, problem->upper, memory + n);
    out.lower = memory;
    out.upper = memory + n;
    return out;
  }
  weigh_sample(problem, share, problem->cost, memory + 3 * n);
  out.cost = memory + 3 * n;
  if (problem->cost_above != NULL) {
    weigh_sample(problem, share, problem->cost_above, memory + 4 * n);
    out.cost_above = memory + 4 * n;
  }
  mk_problem_shape(&out, memory);
  return out;
}

/* The sample's theta; *bytes: that its fit held. */
static mk_status fit_sample(const mk_problem *problem, const mk_control *control, double *theta,
                            size_t *bytes) {
  double n = (double)problem->n;
  double size = fmin(fmin(fmax(SAMPLE_SHARE * n, (double)MK_SMALL_PROBLEM), MOST_SAMPLE), n);
  mk_pool memory = {NULL};
  mk_solution solution;
  mk_start nothing = {.theta = NULL};
  mk_control rough = *control;
  rough.tol = fmax(control->tol, SAMPLE_TOL);
  rough.trace = 0;
  double *box = MK_TAKE(&memory, double, 5 * problem->n);
  mk_status status = box == NULL ? MK_NO_MEMORY : mk_solution_new(&solution, problem);
  if (status == MK_OK) {
    mk_problem some = sampled(problem, size / n, box);
    status = mk_interleaved(&some, &rough, &nothing, &solution);
    memcpy(theta, solution.theta, mk_set_kernels(problem->set) * sizeof *theta);
    *bytes = solution.bytes;
  }
  if (box != NULL) mk_solution_clear(&solution);
  mk_pool_free(&memory);
  return mk_usable_end(status) ? MK_OK : status;
}

mk_status mk_from_sample(const mk_problem *problem, const mk_control *control,
                         const mk_start *start, mk_solver solve, mk_solution *solution) {
  mk_start from = *start;
  if (problem->tasks != 1) return MK_BAD_ARGUMENT;
  if (from.theta != NULL) return solve(problem, control, &from, solution);
  double *theta = MK_NEW(double, mk_set_kernels(problem->set));
  if (theta == NULL) return MK_NO_MEMORY;
  mk_norm_start(&problem->norm, mk_set_kernels(problem->set), theta);
  mk_status status = MK_OK;
  size_t bytes = 0;
  if (!mk_norm_is_fixed(&problem->norm)) status = fit_sample(problem, control, theta, &bytes);
  from.theta = theta;
  if (status == MK_OK) status = solve(problem, control, &from, solution);
  if (solution->bytes < bytes) solution->bytes = bytes;
  mk_free(theta);
  return status;
}
