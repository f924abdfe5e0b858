/* What theta's norm is to primal and dual, in compensated sums. Called by certificate.c, and by
 * fit-state.c and interleaved.c, which measure the iterates as it does. MATHEMATICS.md, sections 1
 * and 2: dual norms and regularisers. */
#ifndef MK_SIDES_H
#define MK_SIDES_H

#include "base/status.h"
#include "problem/norm.h"

#include <stddef.h>

/* Of powers, roots and products of a few: either side is off by no more of them. */
#define MK_SIDE_ROUNDINGS 64.0

/* Twice the primal's regulariser of w_m of the norms theta_m sqrt(form_m) (for the
 * quadratic norm: with this theta, scaled onto the sphere), and twice what the dual
 * subtracts, or a little more where it comes from an inner problem. */
mk_status mk_sides(const mk_norm *norm, size_t count, const double *theta, const double *form,
                   double *primal, double *dual);

#endif
