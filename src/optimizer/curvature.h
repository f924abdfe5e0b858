/* Theta's Hessian for Newton steps (mathematics section 2), from the free support vectors of the
 * working set. Called by theta-step.c. */
#ifndef MK_CURVATURE_H
#define MK_CURVATURE_H

#include "optimizer/fit-state.h"

/* The one at hand, unless the working set has grown since, or a new one, in fit->step.curvature;
 * MK_STALLED where it does not fit the memory budget. */
mk_status mk_curvature_find(mk_fit_state *fit);
/* After a step that left this share of theta's gap: it serves again while its steps do well. */
void mk_curvature_judge(mk_fit_state *fit, double left);
void mk_curvature_drop(mk_fit_state *fit);

#endif
