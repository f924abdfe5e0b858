/* A Newton step for theta on the lp ball: minimises
 *   -s'(t - theta)/2 + |Z (t - theta)|^2 / 2 + damping D(t - theta) / 2
 * over t >= 0, sum t^p <= 1 (or t'ball t <= 1), where D(v) = sum_m s_m/theta_m v_m^2, by a
 * primal-dual interior point method. Z'Z is the Hessian of the SVM objective in theta
 * (MATHEMATICS.md, section 2.4; Chapelle & Rakotomamonjy 2008) as long as the set of free variables
 * is the same. D bounds the Hessian in any case: it is the curvature of sum theta_m^2 s_m / t_m,
 * which the analytic step minimises. Damping in [0, 1] leads from Newton's step to the analytic. */
#ifndef MK_THETA_NEWTON_H
#define MK_THETA_NEWTON_H

#include "base/control.h"

#include <stddef.h>

typedef struct mk_theta_model {
  size_t count, rank;
  double p, damping;
  mk_team *team; /* may be NULL */
  const double *theta, *s;
  const double *z;    /* rank rows of `count` values */
  const double *bend; /* count: further second derivatives, or NULL */
  const double *ball; /* count x count, positive definite: replaces the norm p = 2; or NULL */
} mk_theta_model;

/* The expected effect of a step. */
typedef struct mk_promise {
  double fall;   /* fall of the model at its minimum */
  double length; /* length, at least 1, up to which the objective falls, in steps to the minimum */
} mk_promise;

/* Makes the step. MK_STALLED: the system is not solvable. */
mk_status mk_theta_newton(const mk_theta_model *model, double *next, mk_promise *promise);

#endif
