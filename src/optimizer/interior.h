/* A primal-dual interior point method on alpha and theta together. It costs a
 * factor of all candidates per step, but rank-deficient kernels, kinks of the
 * objective in theta and degenerate vertices, at which alternating methods
 * stop short, do not trouble it: the way out when they stall. */
#ifndef MK_INTERIOR_H
#define MK_INTERIOR_H

#include "optimizer/fit-state.h"

/* Moves the machine's alphas and theta to within `goal` (relative gap over the
 * candidates) or as near as it gets, and measures. MK_STALLED without change:
 * the system does not fit the memory budget. */
mk_status mk_interior(mk_fit_state *fit, double goal);

#endif
