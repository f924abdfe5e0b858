/* A Newton step for theta on the lp ball: minimises
 *   -s'(t - theta)/2 + |Z (t - theta)|^2 / 2   over t >= 0, sum t^p <= 1
 * by a primal-dual interior point method. Z'Z is the Hessian of the SVM
 * objective in theta (mathematics section 2; Chapelle & Rakotomamonjy 2008). */
#ifndef MK_THETA_NEWTON_H
#define MK_THETA_NEWTON_H

#include "base/status.h"

#include <stddef.h>

/* z: rank rows of `count` values. MK_STALLED when the system cannot be solved. */
mk_status mk_theta_newton(size_t count, double p, const double *theta, const double *s,
                          const double *z, size_t rank, double *next);

#endif
