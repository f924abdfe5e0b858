/* The convex programs of cutting-plane methods over the lp ball:
 *   minimise  the level  (a linear program at p = 1),  or, given a centre,
 *   |t - centre|^2 / 2  at a given level
 *   over t >= 0, sum t^p = 1, linear_j - slope_j't <= level for all cuts j.
 * A primal-dual interior point method solves them, with systems as large as the number of cuts. The
 * norm's constraint is active at the optimum if slopes are >= 0 and the centre is on the sphere. */
#ifndef MK_THETA_MASTER_H
#define MK_THETA_MASTER_H

#include "base/control.h"

#include <stddef.h>

typedef struct mk_master {
  size_t count, cuts; /* number of weights; number of cuts */
  double p;
  mk_team *team; /* may be NULL */
  const double *linear;
  const double *const *slope; /* `cuts` rows of `count` values */
  const double *centre;       /* NULL: minimise the level */
  double level;               /* given with a centre, otherwise computed */
  double *multiplier;         /* out: multiplier of each cut; they sum to 1 without a centre */
} mk_master;

/* Solves the program; t holds the starting point, then the solution. MK_STALLED: the system is not
 * solvable, for example because no t is below the level. */
mk_status mk_master_solve(mk_master *master, double *t);

#endif
