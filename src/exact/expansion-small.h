/* Expansions of forms alone of few Gaussians on few features. Called by expansion.c. */
#ifndef MK_EXPANSION_SMALL_H
#define MK_EXPANSION_SMALL_H

#include "exact/expansion-job.h"

int mk_small_suits(const mk_expansion_job *job, const mk_family *family);
mk_status mk_expand_small(const mk_expansion_job *job, const size_t *family, size_t count);

#endif
