/* Expansions of locally linear kernels. Called by expansion.c. */
#ifndef MK_EXPANSION_LOCAL_H
#define MK_EXPANSION_LOCAL_H

#include "exact/expansion-job.h"

mk_status mk_expand_local(const mk_expansion_job *job, const mk_family *family);

#endif
