/* All optimisers and their numbers. Called by grid/, sequential/ and rglue/. MATHEMATICS.md,
 * section 3.2. */
#ifndef MK_OPTIMIZERS_H
#define MK_OPTIMIZERS_H

#include "problem/problem.h"

typedef enum mk_optimizer {
  MK_INTERLEAVED = 0,
  MK_WRAPPER,
  MK_NEWTON,
  MK_CUTTING_PLANE,
  MK_LEVEL,
  MK_REDUCED_GRADIENT,
  MK_CHUNKING,
  MK_AUTO, /* the quicker of MK_INTERLEAVED and MK_CHUNKING */
  MK_OPTIMIZERS
} mk_optimizer;

int mk_optimizer_serves(mk_optimizer optimizer, const mk_norm *norm);

/* Fills a solution made by mk_solution_new. MK_OK, MK_TIME_LIMIT, MK_ITERATION_LIMIT and MK_STALLED
 * leave a usable solution with its gap. MK_BAD_ARGUMENT: the optimiser does not work for the norm.
 * `start` may be NULL. */
mk_status mk_optimize(mk_optimizer optimizer, const mk_problem *problem, const mk_control *control,
                      const mk_start *start, mk_solution *solution);

#endif
