/* For p at or near 1, where few kernels of many get weight: the problem is
 * solved with some kernels, all are priced by s_m = alpha'K_m alpha, and those
 * with the largest forms join (column generation; Sonnenburg et al. 2006,
 * section 4.2, price kernels so too). The dual's norm over all forms says what
 * the kernels left out may still be worth, so the gap is that of the whole
 * problem. Worth it where a pass over all kernels is cheap beside what solvers do with them. */
#ifndef MK_ACTIVE_KERNELS_H
#define MK_ACTIVE_KERNELS_H

#include "optimizer/problem.h"

/* Where kernels are priced and solved for. */
typedef struct mk_pool mk_pool;
/* Linear kernels by the thousand; 1: a problem is like that. */
extern const mk_pool mk_column_pool;
int mk_has_many_columns(const mk_problem *problem);

/* As mk_interleaved(); `start` is not NULL. MK_STALLED may be the pool's fault. */
mk_status mk_active_kernels(const mk_problem *problem, const mk_control *control,
                            const mk_start *start, const mk_pool *pool, mk_solution *solution);

#endif
