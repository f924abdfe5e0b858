/* The non-isotropic norm sqrt(theta' E^-1 theta), in coordinates that give E a unit diagonal. */
#ifndef MK_QUADRATIC_H
#define MK_QUADRATIC_H

#include "base/status.h"
#include "problem/norm.h"

#include <stddef.h>

/* `memory`: mk_norm_memory() of theta/norm.h. MK_BAD_ARGUMENT: E is not positive definite. */
mk_status mk_quadratic_make(mk_norm *norm, size_t count, const double *e, double *memory);
void mk_quadratic_normalize(const mk_norm *norm, size_t count, double *t);

/* gamma >= 0 of which (s + gamma)'E(s + gamma) is least; s and gamma in the norm's
 * coordinates (s_m/scale_m), negative s as zero. Any gamma >= 0 bounds the dual term. */
void mk_quadratic_gamma(const mk_norm *norm, size_t count, const double *s, double *gamma);
/* The coordinates that are best for s, but for their size, in the norm's scratch; where *size, the
 * dual norm of s, is 0, they mean nothing. */
const double *mk_quadratic_best(const mk_norm *norm, size_t count, const double *s, double *size);

#endif
