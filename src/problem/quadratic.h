/* The non-isotropic norm sqrt(theta' E^-1 theta), in coordinates that give E a unit diagonal. */
#ifndef MK_QUADRATIC_H
#define MK_QUADRATIC_H

#include "base/status.h"
#include "problem/norm.h"

#include <stddef.h>

/* Makes the norm in `memory`, mk_norm_memory() doubles (theta/norm.h). MK_BAD_ARGUMENT: E is not
 * positive definite. */
mk_status mk_quadratic_make(mk_norm *norm, size_t count, const double *e, double *memory);
void mk_quadratic_normalize(const mk_norm *norm, size_t count, double *t);

/* Finds the gamma >= 0 that minimises (s + gamma)'E(s + gamma), where s and gamma are in the norm's
 * coordinates (s_m/scale_m) and negative s count as 0. Any gamma >= 0 gives a bound of the dual
 * term. */
void mk_quadratic_gamma(const mk_norm *norm, size_t count, const double *s, double *gamma);
/* Returns the best coordinates for s, up to their size, in the norm's scratch memory. *size is the
 * dual norm of s; if it is 0, the coordinates are undefined. */
const double *mk_quadratic_best(const mk_norm *norm, size_t count, const double *s, double *size);

#endif
