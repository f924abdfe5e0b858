/* What the quadratic norm has beside the interface of norm.h. */
#ifndef MK_QUADRATIC_H
#define MK_QUADRATIC_H

#include "theta/norm.h"

/* gamma >= 0 of which (s + gamma)'E(s + gamma) is least; s and gamma in the norm's
 * coordinates (s_m/scale_m), negative s as zero. Any gamma >= 0 bounds the dual term. */
void mk_quadratic_gamma(const mk_norm *norm, size_t count, const double *s, double *gamma);

#endif
