/* The interleaved optimiser (JMLR Algorithm 2, carried further): theta moves
 * between inexact SVM solves on a growing set of candidate samples, until the
 * certificate over all samples meets the tolerance. */
#ifndef MK_INTERLEAVED_H
#define MK_INTERLEAVED_H

#include "optimizer/problem.h"

/* Fills a solution made by mk_solution_new. MK_OK, MK_TIME_LIMIT,
 * MK_ITERATION_LIMIT and MK_STALLED leave a usable solution with its gap. */
mk_status mk_interleaved(const mk_problem *problem, const mk_control *control,
                         const mk_start *start, mk_solution *solution);
/* The same with all kernels from the beginning, however many; `start` is not
 * NULL. MK_STALLED where `rough`, as soon as plain moves lead no further. */
mk_status mk_interleaved_whole(const mk_problem *problem, const mk_control *control,
                               const mk_start *start, int rough, mk_solution *solution);
/* problem->part alone, to a relative gap of `goal` over its own kernels as its values have it:
 * fills theta and forms of these, alpha, primal, dual and counts, and certifies nothing. */
mk_status mk_interleaved_part(const mk_problem *problem, const mk_control *control,
                              const mk_start *start, double goal, mk_solution *part);

#endif
