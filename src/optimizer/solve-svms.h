/* The SVMs of all tasks over the working set, theta fixed: solved on rows, and by iterative
 * refinement where rows are approximate. Called by fit-state.c; MATHEMATICS.md, section 2. */
#ifndef MK_SOLVE_SVMS_H
#define MK_SOLVE_SVMS_H

#include "optimizer/fit-state.h"

/* To a sum of gaps of `target`. MK_STALLED: as near as rounding allows. */
mk_status mk_fit_solve_svms(mk_fit_state *fit, double target);

#endif
