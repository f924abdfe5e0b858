/* The small convex programs of cutting-plane methods, over the lp ball:
 *   minimise  the level  (a linear program at p = 1),  or, given a centre,
 *   |t - centre|^2 / 2  at a given level
 *   over t >= 0, sum t^p = 1, linear_j - slope_j't <= level for all cuts j.
 * By a primal-dual interior point method whose systems have the size of the cuts. With slopes
 * >= 0, and a centre on the sphere, the norm binds at the optimum. */
#ifndef MK_THETA_MASTER_H
#define MK_THETA_MASTER_H

#include "base/control.h"

#include <stddef.h>

typedef struct mk_master {
  size_t count, cuts; /* of weights; of cuts */
  double p;
  mk_team *team; /* may be NULL */
  const double *linear;
  const double *const *slope; /* `cuts` rows of `count` values */
  const double *centre;       /* NULL: the least level is wanted */
  double level;               /* given with a centre, else found */
  double *multiplier;         /* of each cut, found; they sum to 1 without a centre */
} mk_master;

/* `t`: where to start, then the solution. MK_STALLED: the system cannot be solved, as where no t
 * is below the level. */
mk_status mk_master_solve(mk_master *master, double *t);

#endif
