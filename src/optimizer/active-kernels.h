/* For p at or near 1, where few kernels of many get weight: the problem is
 * solved with some kernels, all are priced by s_m = alpha'K_m alpha, and those
 * with the largest forms join (column generation; Sonnenburg et al. 2006,
 * section 4.2, price kernels so too). The dual's norm over all forms says what
 * the kernels left out may still be worth, so the gap is that of the whole
 * problem. Feature blocks are priced in one pass; other kernels always take part. */
#ifndef MK_ACTIVE_KERNELS_H
#define MK_ACTIVE_KERNELS_H

#include "optimizer/problem.h"

/* 1: p is near enough to 1 and linear kernels are so many that this is quicker. */
int mk_has_many_columns(const mk_problem *problem);

/* As mk_interleaved(); `start` is not NULL. */
mk_status mk_active_kernels(const mk_problem *problem, const mk_control *control,
                            const mk_start *start, mk_solution *solution);

#endif
