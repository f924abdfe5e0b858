/* Longer analytic steps on the lp ball, for where there are too many kernels
 * for Newton. With s fixed, the analytic step (lp.h) goes part of the way to
 * its goal, in log theta: 1 - 2/(p + 1) of it. How far to go beyond it is read
 * off the last two steps by a secant (Barzilai & Borwein 1988), of the mixture
 * weighted by what each kernel contributes to the objective. */
#ifndef MK_THETA_STRIDE_H
#define MK_THETA_STRIDE_H

#include <stddef.h>

typedef struct mk_stride {
  double length;    /* of the last step, in analytic ones; 0: nothing is known */
  double *residual; /* M: the last analytic step in log theta; the caller's memory */
} mk_stride;

/* next_m proportional to theta_m (t_m / theta_m)^length, where t is the
 * analytic step; length is chosen and remembered. */
void mk_stride_step(mk_stride *stride, size_t count, double p, const double *theta, const double *s,
                    double *next);

#endif
