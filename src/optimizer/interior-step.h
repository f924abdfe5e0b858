/* The interior point's Newton step. */
#ifndef MK_INTERIOR_STEP_H
#define MK_INTERIOR_STEP_H

#include "optimizer/interior-internal.h"

/* Compute the SVMs' alphas from the variables, and theta from its coordinates. */
void mk_interior_unsplit(mk_interior_point *in);
void mk_interior_unfold(mk_interior_point *in);
/* Computes rows, responses, forms in the coordinates, curvature and norm gradient. */
mk_status mk_interior_evaluate(mk_interior_point *in);
/* returns the mean complementary product */
double mk_interior_complementarity(const mk_interior_point *in);
/* Returns what the residuals may still cost, in addition to the complementary products. */
double mk_interior_residual_cost(const mk_interior_point *in);
/* Removes the constant from the residuals: columns without their means determine b up to a
 * constant. */
void mk_interior_level(mk_interior_point *in);
/* Makes one predictor-corrector step. MK_STALLED: double precision allows no further step. */
mk_status mk_interior_step(mk_interior_point *in);

#endif
