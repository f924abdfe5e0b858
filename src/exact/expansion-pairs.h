/* Expansions pair by pair. Called by the files expansion*.c. */
#ifndef MK_EXPANSION_PAIRS_H
#define MK_EXPANSION_PAIRS_H

#include "exact/expansion-job.h"
#include "exact/pairs.h"

/* Returns the smallest width that is evaluated by pieces, and *widest; 0 if it is cheaper to
 * evaluate kernels one by one. */
double mk_narrowest_pieced(const mk_expansion_job *job, const mk_family *family, double *widest);
mk_status mk_expand_pairs(mk_expansion_job *job, size_t f, mk_pairs *pairs);

#endif
