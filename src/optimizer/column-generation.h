/* Column generation, for p at or near 1, where few of many kernels get weight: the problem is
 * solved with some kernels, all kernels are priced by s_m = alpha'K_m alpha, and those with the
 * largest forms join (Sonnenburg et al. 2006, section 4.2). The dual norm over all forms bounds
 * what the kernels left out could contribute, so the gap is that of the whole problem. Column
 * generation serves two kinds of sets: thousands of linear kernels on columns, which one pass over
 * the columns prices (its other kernels always take part), and hundreds of kernels on few samples,
 * priced by pairs of support vectors. Called by optimizers.c. MATHEMATICS.md, section 3.3. */
#ifndef MK_COLUMN_GENERATION_H
#define MK_COLUMN_GENERATION_H

#include "problem/problem.h"

/* Returns 1 for problems that column generation solves more quickly. */
int mk_generates_columns(const mk_problem *problem);

/* Fits like mk_interleaved(); `start` must not be NULL. */
mk_status mk_column_generation(const mk_problem *problem, const mk_control *control,
                               const mk_start *start, mk_solution *solution);

#endif
