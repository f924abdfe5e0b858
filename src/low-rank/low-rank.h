/* Kernels of low rank as linear kernels on few columns. */
#ifndef MK_LOW_RANK_H
#define MK_LOW_RANK_H

#include "kernel/set.h"

/* Makes a set of linear kernels with the same values, in at most `bytes` bytes, if all kernels are
 * linear or of low rank on a few features, and few columns suffice; otherwise *columns is NULL. The
 * caller frees the set, whatever the status. */
mk_status mk_set_as_columns(mk_kernel_set **columns, const mk_kernel_set *set, size_t bytes,
                            mk_team *team);

#endif
