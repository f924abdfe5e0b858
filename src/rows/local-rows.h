/* Rows and sums of a family's locally linear kernels, all at once. */
#ifndef MK_LOCAL_ROWS_H
#define MK_LOCAL_ROWS_H

#include "kernel/local.h"
#include "rows/base-block-internal.h"

/* The kernels of a family that have weights, side by side in a mixture's precision. */
typedef struct mk_local_mix {
  size_t padded;  /* stride from one sample's values to the next one's; 0: no kernel has a weight */
  double *weight; /* memory for all slots */
  mk_row h, u;    /* n x padded, memory for all slots */
} mk_local_mix;
mk_status mk_local_mix_new(mk_local_mix *mix, const mk_kernel_set *set, const mk_local *local,
                           int single, mk_pool *pool);
/* Fills the mix; weight: by kernel. Kernels with roots take no part. */
void mk_local_mix_fill(mk_local_mix *mix, const mk_kernel_set *set, const mk_local *local,
                       const double *weight);
/* Adds the sum of weight times kernel to out[c]; base and out have the mix's precision. */
void mk_local_add(const mk_kernel_set *set, const mk_local_mix *mix, int row,
                  const mk_samples *others, mk_row base, mk_row out, mk_scratch *scratch);
/* Returns 1 if the kernel is summed together with the others of its family. */
static inline int mk_goes_by_slot(const mk_member *member) {
  return member->slot >= 0 && member->root == NULL;
}
/* Computes sums over samples of weight times kernel, by slot, in row 0 of scratch->local, where
 * they stay until its next use. */
void mk_local_sums(const mk_kernel_set *set, const mk_local *local, int row,
                   const mk_samples *others, mk_row base, const double *weight,
                   mk_scratch *scratch);

#endif
