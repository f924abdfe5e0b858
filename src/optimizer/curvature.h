/* The Hessian of theta's objective for Newton steps (MATHEMATICS.md, section 2), computed from the
 * free support vectors of the working set or from a sample of them. Called by theta-step.c. */
#ifndef MK_CURVATURE_H
#define MK_CURVATURE_H

#include "optimizer/fit-state.h"

/* Computes *z (*rank x M by rows; the caller frees it) such that Z'Z is the Hessian. Returns
 * MK_STALLED if it does not fit into the memory budget. */
mk_status mk_curvature(mk_fit_state *fit, double **z, size_t *rank);

/* mk_curvature_variables() returns the number of free variables of a task from which the Hessian is
 * computed; mk_curvature_is_sampled() returns 1 if they are a sample in some task. */
size_t mk_curvature_variables(const mk_fit_state *fit, size_t task);
int mk_curvature_is_sampled(const mk_fit_state *fit);

#endif
