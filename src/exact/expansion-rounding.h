/* Bounds of the rounding errors of an expansion. */
#ifndef MK_EXPANSION_ROUNDING_H
#define MK_EXPANSION_ROUNDING_H

#include "exact/expansion-job.h"

/* Bounds the errors of all kernels but feature blocks and locally linear kernels, which have bounds
 * of their own. */
mk_status mk_expand_rounding(const mk_expansion_job *job);

#endif
