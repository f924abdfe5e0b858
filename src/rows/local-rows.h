/* Rows and sums of a family's locally linear kernels, all at once. */
#ifndef MK_LOCAL_ROWS_H
#define MK_LOCAL_ROWS_H

#include "kernel/local.h"
#include "rows/bases-internal.h"

/* Those of a family that have weights, side by side at a mixture's precision. */
typedef struct mk_local_mix {
  size_t padded;  /* from one sample's values to the next one's; 0: none has a weight */
  double *weight; /* room for all slots */
  mk_row h, u;    /* n x padded, room for all slots */
} mk_local_mix;
mk_status mk_local_mix_new(mk_local_mix *mix, const mk_kernel_set *set, const mk_local *local,
                           int single, mk_pool *pool);
/* weight: by kernel; those with roots take no part. */
void mk_local_mix_fill(mk_local_mix *mix, const mk_kernel_set *set, const mk_local *local,
                       const double *weight);
/* out[c] += sum of weight times kernel, base and out of the mix's precision. */
void mk_local_add(const mk_kernel_set *set, const mk_local_mix *mix, int row,
                  const mk_samples *others, mk_row base, mk_row out, mk_scratch *scratch);
/* 1: it is summed with all others of its family at once. */
static inline int mk_goes_by_slot(const mk_member *member) {
  return member->slot >= 0 && member->root == NULL;
}
/* Sums over columns of weight times kernel, by slot: in row 0 of scratch->local, until it is used
 * again. */
void mk_local_sums(const mk_kernel_set *set, const mk_local *local, int row,
                   const mk_samples *others, mk_row base, const double *weight,
                   mk_scratch *scratch);

#endif
