/* A primal-dual interior point method on alpha and theta together (MATHEMATICS.md, sections 2 and
 * 3). Each step factors a system over the working set, but rank-deficient kernels, kinks of the
 * objective in theta and degenerate vertices, where steps that take turns stop short, do it no
 * harm. Called by interleaved.c where its moves make no progress. */
#ifndef MK_INTERIOR_H
#define MK_INTERIOR_H

#include "optimizer/fit-state.h"

/* Moves alphas and theta to within `goal` (relative gap over the working set), or as near as it
 * gets, and measures; where another pair was better (fit->best), back to that. MK_STALLED without
 * change: the system does not fit the memory budget. */
mk_status mk_interior(mk_fit_state *fit, double goal);

#endif
