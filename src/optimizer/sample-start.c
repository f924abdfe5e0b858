/* Fits some samples as the whole problem with cost 0 for all others, then goes on from their theta.
 * Called by optimizers.c; MATHEMATICS.md, section 1. */
#include "optimizer/sample-start.h"

#include "base/memory.h"
#include "optimizer/interleaved.h"
#include "optimizer/working-set.h"
#include "theta/norm.h"

#include <math.h>
#include <string.h>

/* share of the samples that take part, at least MK_SMALL_PROBLEM samples */
#define SAMPLE_SHARE 0.2
#define MOST_SAMPLE 10000.0 /* largest number of samples that take part */
#define SAMPLE_TOL 1e-2     /* relative gap of their fit, which is only a start */
#define SAMPLE_TIME 0.3     /* share of the time that is left which their fit may take */

/* Computes out = values / share for evenly spaced samples of each sign of y in the first task, 0
 * for the others. Both are n x tasks. */
static void weigh_sample(const mk_problem *problem, double share, const double *values,
                         double *out) {
  size_t seen[2] = {0, 0}, n = problem->n;
  for (size_t i = 0; i < n; i++) {
    double k = (double)seen[problem->linear[i] > 0.0]++;
    int chosen = floor((k + 1.0) * share) > floor(k * share);
    for (size_t at = i; at < n * problem->tasks; at += n)
      out[at] = chosen ? values[at] / share : 0.0;
  }
}

/* Returns the problem with the losses of the chosen samples alone. `memory` has 5 x n x tasks
 * values. */
static mk_problem sampled_problem(const mk_problem *problem, double share, double *memory) {
  size_t size = problem->n * problem->tasks;
  mk_problem out = *problem;
  if (problem->cost == NULL) { /* without costs, the box has the weights of losses */
    weigh_sample(problem, share, problem->lower, memory);
    weigh_sample(problem, share, problem->upper, memory + size);
    out.lower = memory;
    out.upper = memory + size;
    return out;
  }
  weigh_sample(problem, share, problem->cost, memory + 3 * size);
  out.cost = memory + 3 * size;
  if (problem->cost_above != NULL) {
    weigh_sample(problem, share, problem->cost_above, memory + 4 * size);
    out.cost_above = memory + 4 * size;
  }
  mk_problem_shape(&out, memory);
  return out;
}

/* Fits the chosen samples, whose losses weigh 1 / share times as much. Theta is near that of all
 * samples; alphas, cut to the box of one sample, are a start and what an early end leaves.
 * *support is the number of support vectors of the first task to expect over all samples. */
static mk_status fit_sample(const mk_problem *problem, const mk_control *control,
                            mk_solution *solution, double *support) {
  double n = (double)problem->n;
  double share = fmin(fmin(fmax(SAMPLE_SHARE * n, (double)MK_SMALL_PROBLEM), MOST_SAMPLE), n) / n;
  mk_start nothing = {.theta = NULL};
  mk_control rough = *control;
  rough.tol = fmax(control->tol, SAMPLE_TOL);
  rough.trace = 0;
  rough.rough = 1;
  double elapsed = mk_seconds() - control->start;
  if (isfinite(control->max_time))
    rough.max_time = elapsed + SAMPLE_TIME * fmax(control->max_time - elapsed, 0.0);
  double *box = MK_NEW(double, 5 * problem->n * problem->tasks);
  if (box == NULL) return MK_NO_MEMORY;
  mk_problem some = sampled_problem(problem, share, box);
  mk_status status = mk_interleaved(&some, &rough, &nothing, solution);
  *support = mk_support_count(&solution->alpha, 1, problem->n) / share;
  mk_free(box);
  return mk_usable_end(status) ? MK_OK : status;
}

static mk_status solve_from(const mk_problem *problem, const mk_control *control,
                            const mk_start *start, const mk_after_sample *after, double support,
                            mk_solution *solution) {
  mk_solver solve = support >= after->least ? after->many : after->few;
  return solve(problem, control, start, solution);
}

static mk_status solve_after_sample(const mk_problem *problem, const mk_control *control,
                                    const mk_start *start, const mk_after_sample *after,
                                    mk_solution *sample, mk_solution *solution) {
  mk_start from = *start;
  double support = INFINITY;
  MK_TRY(mk_solution_new(sample, problem));
  mk_norm_start(&problem->norm, mk_set_kernels(problem->set), sample->theta);
  if (!mk_norm_is_fixed(&problem->norm)) MK_TRY(fit_sample(problem, control, sample, &support));
  from.theta = sample->theta;
  /* working sets begin with samples of their own choice, unless time is short */
  if (support >= after->least || mk_is_late(control)) from.alpha = sample->alpha;
  MK_TRY(solve_from(problem, control, &from, after, support, solution));
  return MK_OK;
}

mk_status mk_from_sample(const mk_problem *problem, const mk_control *control,
                         const mk_start *start, const mk_after_sample *after,
                         mk_solution *solution) {
  if (start->theta != NULL || start->state != NULL) {
    double *alpha = (double *)start->alpha;
    double support = alpha != NULL ? mk_support_count(&alpha, 1, problem->n) : INFINITY;
    return solve_from(problem, control, start, after, support, solution);
  }
  mk_solution sample;
  mk_status status = solve_after_sample(problem, control, start, after, &sample, solution);
  if (solution->bytes < sample.bytes) solution->bytes = sample.bytes;
  mk_solution_clear(&sample);
  return status;
}
