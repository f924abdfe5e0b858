/* Kernels of low rank as linear kernels on few columns. */
#ifndef MK_LOW_RANK_H
#define MK_LOW_RANK_H

#include "kernel/set.h"

/* Where kernels of low rank on a few features and linear kernels are all there is, and few columns
 * make them, a set of linear kernels with the same values that takes at most so many bytes; NULL
 * otherwise. The caller frees it, whatever the status. */
mk_status mk_set_as_columns(mk_kernel_set **columns, const mk_kernel_set *set, size_t bytes,
                            mk_team *team);

#endif
