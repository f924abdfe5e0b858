/* Sums over pairs of all M kernels at once, from bases. */
#ifndef MK_SUMS_H
#define MK_SUMS_H

#include "rows/base-block.h"

/* the running sums of one thread, 0 at first and after each reading */
typedef struct mk_sums mk_sums;
mk_sums *mk_sums_new(const mk_kernel_set *set, int single); /* single: bases will be floats */
void mk_sums_free(mk_sums *sums);
/* Adds sum_c weight_c * k_m(row, c) to the sums of family f's members. */
void mk_sums_add(mk_sums *sums, size_t f, int row, const mk_samples *others, mk_row base,
                 const double *weight, mk_scratch *scratch);
/* Computes the sums of all kernels for each of `count` rows, one after another, and sets the
 * running sums to 0. Only moments that are not 0 are cleared. */
void mk_sums_read(mk_sums *const *sums, size_t count, double *out);
/* Leaves out locally linear kernels that are neither centred nor scaled by sample: local-sums.h
 * sums those without pairs. */
void mk_sums_leave_local(mk_sums *sums);
void mk_sums_merge(mk_sums *into, mk_sums *from); /* sets `from` to 0 */

#endif
