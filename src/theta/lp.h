/* The lp-norm ball: theta-steps and norms (JMLR Prop. 2, eq. 16 and 21). Each
 * sees only s_m = alpha'K_m alpha and theta. p in [1, infinity]. */
#ifndef MK_LP_H
#define MK_LP_H

#include <stddef.h>

void mk_lp_start(size_t count, double p, double *theta);     /* (1/M)^(1/p) each */
void mk_lp_normalize(size_t count, double p, double *theta); /* onto the unit sphere */

/* ||s||_{p*}, negative s counted as zero. */
double mk_lp_dual_norm(size_t count, double p, const double *s);

/* The analytic step: theta_m proportional to (theta_m^2 s_m)^(1/(p+1)). */
void mk_lp_step(size_t count, double p, const double *theta, const double *s, double *next);

#endif
