/* Expansions pair by pair, with equal samples as one. Called by expansion.c. */
#ifndef MK_EXPANSION_MERGE_H
#define MK_EXPANSION_MERGE_H

#include "exact/expansion-job.h"
#include "exact/pairs.h"

int mk_merge_suits(const mk_expansion_job *job, const mk_family *family);
mk_status mk_expand_merged(mk_expansion_job *job, size_t f, mk_pairs *pairs);

#endif
