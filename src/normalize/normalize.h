/* The constants that bring kernels to one scale (MATHEMATICS.md, section 4.2; JMLR section 4.4.2),
 * computed from some samples of the set and installed for all. */
#ifndef MK_NORMALIZE_H
#define MK_NORMALIZE_H

#include "base/control.h"
#include "kernel/set.h"

typedef enum mk_scaling {
  MK_SCALE_NONE = 0,
  MK_SCALE_MULTIPLICATIVE, /* by mean diagonal - mean of all entries */
  MK_SCALE_SPHERICAL,      /* by sqrt(k(x,x) k(z,z)) */
  MK_SCALE_TRACE,          /* by the trace */
  MK_SCALINGS = MK_SCALE_TRACE
} mk_scaling;

/* Samples that lack what a kernel reads (mk_set_has()) take no part in its constants, and are 0 in
 * it: their roots are. Such kernels are centred.
 *
 * Constants of one kernel; `mean` is needed where mk_needs_means(). Linear
 * kernels are centred by the means of their columns, which are read off the
 * samples (spherical scaling, which is by sample, excepted). */
typedef struct mk_constants {
  mk_scaling scaling;
  int centred;
  double scale, total;
  double *mean;   /* n row means over the training samples; caller's memory, or NULL */
  int degenerate; /* 1: cannot be normalised */
  int constant;   /* 1: and that because all samples that count are the same to the kernel */
} mk_constants;

/* 1: kernel m is to be centred, by row means. */
int mk_needs_means(const mk_kernel_set *set, size_t m, const mk_constants *constants);

/* Computes scale, total and mean of every kernel over the samples that count (NULL: all) and
 * installs them for all. Degenerate kernels are left as they came, not normalised. */
mk_status mk_normalize_fit(mk_kernel_set *set, mk_constants *constants, const mk_counted *counted,
                           const mk_control *control);

/* Installs given constants. Samples from `known` on are new: their row means
 * over the known ones are computed when `complete`, and else left at zero.
 * A new sample of zero length, which can't be scaled by it, has the root 0. */
mk_status mk_normalize_apply(mk_kernel_set *set, mk_constants *constants, size_t known,
                             int complete, const mk_control *control);

#endif
