/* Sums over pairs of all M kernels at once, from bases. */
#ifndef MK_SUMS_H
#define MK_SUMS_H

#include "rows/bases.h"

typedef struct mk_sums mk_sums;                             /* running sums of one thread */
mk_sums *mk_sums_new(const mk_kernel_set *set, int single); /* bases will be floats */
void mk_sums_free(mk_sums *sums);
void mk_sums_clear(mk_sums *sums);
/* sums_m += sum_c weight_c * k_m(row, c) for the members of family f. */
void mk_sums_add(mk_sums *sums, size_t f, int row, const mk_samples *others, mk_row base,
                 const double *weight, mk_scratch *scratch);
/* Those of each of `count` rows, one after the other. */
void mk_sums_read(mk_sums *const *sums, size_t count, double *out);
/* Locally linear kernels that are neither centred nor scaled by sample stay out: local-sums.h has
 * them without pairs. */
void mk_sums_leave_local(mk_sums *sums);
void mk_sums_merge(mk_sums *into, const mk_sums *from);

#endif
