/* Expansions of function kernels. Called by expansion.c. */
#ifndef MK_EXPANSION_FUNCTION_H
#define MK_EXPANSION_FUNCTION_H

#include "exact/expansion-job.h"

mk_status mk_expand_function(mk_expansion_job *job, const mk_family *family);

#endif
