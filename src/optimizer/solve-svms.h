/* Solves the SVMs of all tasks over the working set for fixed theta: on rows, and by iterative
 * refinement if rows are approximate. Called by fit-state.c. MATHEMATICS.md, section 3.1. */
#ifndef MK_SOLVE_SVMS_H
#define MK_SOLVE_SVMS_H

#include "optimizer/fit-state.h"

/* Solves to a sum of gaps of `target`. MK_STALLED: rounding allows no smaller gap. */
mk_status mk_fit_solve_svms(mk_fit_state *fit, double target);

/* Returns the SVMs' part of the gap at their present gradients, and the sum of the losses. */
double mk_fit_measure_svms(mk_fit_state *fit, double *loss);

#endif
