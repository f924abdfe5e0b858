/* Passes over all samples that an R function makes. */
#ifndef MK_RGLUE_PASSES_H
#define MK_RGLUE_PASSES_H

#include "kernel/set.h"
#include "rglue/call.h"

/* Passes that an R function makes, function(what, theta, rows, alpha) in R/blocks.R. */
typedef struct mk_far_passes {
  mk_passes passes;
  SEXP function;
  mk_caller *caller;
  size_t samples, kernels;
} mk_far_passes;
/* Sets the passes of a control; *far must outlive it. `function` may be NULL. */
void mk_arg_passes(SEXP function, const mk_kernel_set *set, mk_far_passes *far,
                   mk_control *control);

#endif
