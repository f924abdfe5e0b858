/* The constants that bring kernels to one scale (MATHEMATICS.md, section 4.2; JMLR section 4.4.2),
 * computed from some samples of the set and installed for all. */
#ifndef MK_NORMALIZE_H
#define MK_NORMALIZE_H

#include "base/control.h"
#include "kernel/set.h"

typedef enum mk_scaling {
  MK_SCALE_NONE = 0,
  MK_SCALE_MULTIPLICATIVE, /* divides by mean diagonal - mean of all entries */
  MK_SCALE_SPHERICAL,      /* divides by sqrt(k(x,x) k(z,z)) */
  MK_SCALE_TRACE,          /* divides by the trace */
  MK_SCALINGS = MK_SCALE_TRACE
} mk_scaling;

/* The constants of one kernel. `mean` is needed if mk_needs_means(). Samples without the view of a
 * kernel (mk_set_has()) take no part in its constants and have root 0, so the kernel is 0 there.
 * Linear kernels are centred by the means of their columns, except with spherical scaling, which is
 * by sample. */
typedef struct mk_constants {
  mk_scaling scaling;
  int centred;
  double scale, total;
  double *mean;   /* n row means over the training samples; caller's memory, or NULL */
  int degenerate; /* 1 if the kernel cannot be normalised */
  int constant;   /* 1 if that is so because the kernel is constant over the counted samples */
} mk_constants;

/* Returns 1 if kernel m is centred by row means. */
int mk_needs_means(const mk_kernel_set *set, size_t m, const mk_constants *constants);

/* Computes scale, total and mean of every kernel over the counted samples (NULL: all) and installs
 * them for all samples. Degenerate kernels are left as defined. */
mk_status mk_normalize_fit(mk_kernel_set *set, mk_constants *constants, const mk_counted *counted,
                           const mk_control *control);

/* Installs given constants. Samples from `known` on are new: if `complete`, their row means over
 * the known samples are computed, otherwise they are 0. New samples of zero length, which cannot be
 * divided by it, have root 0. */
mk_status mk_normalize_apply(mk_kernel_set *set, mk_constants *constants, size_t known,
                             int complete, const mk_control *control);

#endif
