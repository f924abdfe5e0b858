/* Column generation, for p at or near 1, where few kernels of many get weight: the problem is
 * solved with some kernels, all are priced by s_m = alpha'K_m alpha, and those with the largest
 * forms join (Sonnenburg et al. 2006, section 4.2). The dual's norm over all forms says what the
 * kernels left out may still be worth, so the gap is that of the whole problem. Two kinds of sets
 * are worth it: linear kernels on columns by the thousand, which one pass over the columns prices
 * (other kernels of such a set always take part), and kernels by the hundred on few samples, priced
 * by pairs of support vectors. Called by optimizers.c. MATHEMATICS.md, section 3.3. */
#ifndef MK_COLUMN_GENERATION_H
#define MK_COLUMN_GENERATION_H

#include "problem/problem.h"

/* 1: the problem is like that. */
int mk_generates_columns(const mk_problem *problem);

/* As mk_interleaved(); `start` is not NULL. */
mk_status mk_column_generation(const mk_problem *problem, const mk_control *control,
                               const mk_start *start, mk_solution *solution);

#endif
