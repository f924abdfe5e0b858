/* The interleaved optimiser (JMLR Algorithm 2, extended): theta moves between inexact SVM solves on
 * a working set, which grows by the worst violators among the other samples, until the certificate
 * over all samples meets the tolerance. Called by optimizers.c and column-generation.c.
 * MATHEMATICS.md, section 3.2. */
#ifndef MK_INTERLEAVED_H
#define MK_INTERLEAVED_H

#include "problem/problem.h"

/* Fills a solution made by mk_solution_new. MK_OK, MK_TIME_LIMIT, MK_ITERATION_LIMIT and MK_STALLED
 * leave a usable solution with its gap. `start` must not be NULL. */
mk_status mk_interleaved(const mk_problem *problem, const mk_control *control,
                         const mk_start *start, mk_solution *solution);

#endif
