/* Squared norms of samples, which bases are computed from. */
#ifndef MK_SAMPLE_NORMS_H
#define MK_SAMPLE_NORMS_H

#include "kernel/structure.h"

/* Computes norms of samples. Code that reads bases must call it first, on the thread that called
 * the core. Sets that are only asked for exact values need no norms. */
mk_status mk_norms_need(const mk_kernel_set *set);
/* Computes |x|^2 of all samples, for kinds with `squares`. */
mk_status mk_squares_build(const mk_kernel_set *set, mk_family *family);

#endif
