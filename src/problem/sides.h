/* Regularisers of the primal and dual norms of a norm of theta, in compensated sums. Called by
 * certificate.c, and by optimizer/, chunking/ and rglue/ for the values of iterates.
 * MATHEMATICS.md, section 1.4. */
#ifndef MK_SIDES_H
#define MK_SIDES_H

#include "base/status.h"
#include "problem/norm.h"

#include <stddef.h>

/* bound of the relative error of either side, in units of rounding */
#define MK_SIDE_ROUNDINGS 64.0

/* Computes *primal, twice the regulariser at ||w_m|| = theta_m sqrt(form_m) (quadratic norm: of
 * this theta scaled onto the sphere), and *dual, twice the term that the dual subtracts, or
 * slightly more if an inner problem is solved for that term. */
mk_status mk_sides(const mk_norm *norm, size_t count, const double *theta, const double *form,
                   double *primal, double *dual);

#endif
