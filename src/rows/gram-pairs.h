/* Forms and responses of members, pair by pair. Called by gram-bases.c. */
#ifndef MK_GRAM_PAIRS_H
#define MK_GRAM_PAIRS_H

#include "rows/gram-bases.h"

mk_sums *mk_new_sums(const mk_base_rows *b); /* without locally linear kernels */
/* The provider's functions `forms` and `members`. */
mk_status mk_form_by_pairs(void *own, const mk_alphas *alphas, double *s);
mk_status mk_respond_by_pairs(void *own, const mk_member_ask *ask);

#endif
