/* The elastic net (Tomioka & Suzuki 2010): the regulariser ((1 - lambda)(sum ||w_m||)^2 + lambda
 * sum ||w_m||^2)/2 is the least of sum ||w_m||^2/(2 theta_m) over the convex set of weights theta_m
 * = t_m/((1 - lambda) + lambda t_m), sum t_m <= 1. Called by norm.c. MATHEMATICS.md, section
 * 2.3. */
#include "base/sum.h"
#include "members.h"

#include <math.h>

mk_place mk_elastic_place(const mk_norm *norm, double t) {
  double lambda = norm->parameter, rest = 1.0 - lambda, below = rest + lambda * t;
  return (mk_place){t / below, rest / (below * below), lambda * rest / (below * below * below)};
}

double mk_elastic_coordinate(const mk_norm *norm, double theta) {
  double lambda = norm->parameter;
  theta = fmin(fmax(theta, 0.0), (1.0 - MK_SUM_ROUNDING) / lambda);
  return (1.0 - lambda) * theta / (1.0 - lambda * theta);
}
