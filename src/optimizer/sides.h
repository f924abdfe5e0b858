/* What theta's norm is to the two sides of the certificate, written out here once
 * more: the certificate trusts nothing that moved the iterates. */
#ifndef MK_SIDES_H
#define MK_SIDES_H

#include "base/status.h"
#include "theta/norm.h"

/* Twice the primal's regulariser of w_m of the norms theta_m sqrt(form_m) (for the
 * quadratic norm: with this theta, scaled onto the sphere), and twice what the dual
 * subtracts, or a little more where it comes from an inner problem. */
mk_status mk_sides(const mk_norm *norm, size_t count, const double *theta, const double *form,
                   double *primal, double *dual);

#endif
