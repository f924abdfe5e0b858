/* Theta's Hessian for Newton steps (MATHEMATICS.md, section 2), from the free support vectors of
 * the working set, or from a sample of them. Called by theta-step.c. */
#ifndef MK_CURVATURE_H
#define MK_CURVATURE_H

#include "optimizer/fit-state.h"

/* *z (*rank x M by rows, the caller's to free): Z'Z is the Hessian. MK_STALLED where it does not
 * fit the memory budget. */
mk_status mk_curvature(mk_fit_state *fit, double **z, size_t *rank);

/* The free variables of a task that the Hessian is made from; 1: they are a sample in some task. */
size_t mk_curvature_variables(const mk_fit_state *fit, size_t task);
int mk_curvature_is_sampled(const mk_fit_state *fit);

#endif
