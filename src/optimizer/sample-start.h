/* A start from a fit of some samples, for optimisers whose first moves over all samples take long.
 * Called by optimizers.c. */
#ifndef MK_SAMPLE_START_H
#define MK_SAMPLE_START_H

#include "problem/problem.h"

typedef mk_status (*mk_solver)(const mk_problem *problem, const mk_control *control,
                               const mk_start *start, mk_solution *solution);

/* The solver that goes on after the fit of some samples: many() if at least `least` support vectors
 * are expected, few() otherwise. */
typedef struct mk_after_sample {
  mk_solver few, many;
  double least;
} mk_after_sample;

/* Solves from `start`. If that has no theta, a fit of evenly spaced samples provides it. */
mk_status mk_from_sample(const mk_problem *problem, const mk_control *control,
                         const mk_start *start, const mk_after_sample *after,
                         mk_solution *solution);

#endif
