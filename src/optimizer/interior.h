/* A primal-dual interior point method on alpha and theta together (MATHEMATICS.md, section 3.2).
 * Each step factors a system over the working set. Rank-deficient kernels, kinks of the objective
 * in theta and degenerate vertices, where alternating steps stop early, do not affect the steps.
 * Called by interleaved.c if its moves make no progress. */
#ifndef MK_INTERIOR_H
#define MK_INTERIOR_H

#include "optimizer/fit-state.h"

/* Moves alphas and theta towards a relative gap of `goal` over the working set and measures them;
 * if another iterate was better (fit->best), returns to it. MK_OK: steps were made, and
 * mk_fit_gap() is the gap after them, which may be no smaller if they began at a rough iterate of a
 * smooth loss. MK_STALLED: the system does not fit the memory budget, and nothing has changed. */
mk_status mk_interior(mk_fit_state *fit, double goal);

#endif
