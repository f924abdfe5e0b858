/* The optimiser for many rows: SVMs chunk by chunk (chunks.h), and lengthened analytic steps of
 * theta, few of which are needed if theta begins near its optimum. Called by optimizers.c.
 * MATHEMATICS.md, section 3.5. */
#ifndef MK_CHUNKING_H
#define MK_CHUNKING_H

#include "problem/problem.h"

/* Fits like mk_interleaved(); start->theta must not be NULL. */
mk_status mk_chunking(const mk_problem *problem, const mk_control *control, const mk_start *start,
                      mk_solution *solution);

#endif
