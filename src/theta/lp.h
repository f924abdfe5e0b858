/* Steps and norms on the lp-norm ball, p in [1, infinity] (JMLR Prop. 2, eq. 16 and 21). All depend
 * on s_m = alpha'K_m alpha and theta alone. */
#ifndef MK_LP_H
#define MK_LP_H

#include <stddef.h>

void mk_lp_start(size_t count, double p, double *theta);     /* sets all to (1/M)^(1/p) */
void mk_lp_normalize(size_t count, double p, double *theta); /* scales theta onto the unit sphere */

/* Returns ||s||_{p*}, where negative s count as 0. */
double mk_lp_dual_norm(size_t count, double p, const double *s);

/* Makes the analytic step: theta_m proportional to (theta_m^2 s_m)^(1/(p+1)). */
void mk_lp_step(size_t count, double p, const double *theta, const double *s, double *next);

#endif
