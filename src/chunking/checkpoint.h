/* The state of a fit as one vector, from which it can go on after a kill: parts of fixed length,
 * then the history. Called by chunking.c. */
#ifndef MK_CHECKPOINT_H
#define MK_CHECKPOINT_H

#include "problem/problem.h"

/* Values of the state, in their place. */
typedef struct mk_part {
  double *value;
  size_t count;
} mk_part;

/* Hands the parts and the history to control->save. */
mk_status mk_checkpoint_save(const mk_part *part, size_t parts, size_t kernels,
                             const mk_history *history, const mk_control *control);
/* Restores what was saved. MK_BAD_ARGUMENT: it is of a problem of other size. */
mk_status mk_checkpoint_load(const mk_part *part, size_t parts, size_t kernels,
                             const mk_start *start, mk_history *history);

#endif
