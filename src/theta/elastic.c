/* The elastic net (Tomioka & Suzuki 2010): the regulariser
 * ((1 - lambda)(sum ||w_m||)^2 + lambda sum ||w_m||^2)/2 is the least of
 * sum ||w_m||^2/(2 theta_m) over theta_m = t_m/((1 - lambda) + lambda t_m), sum t_m <= 1, a convex
 * set of weights theta. */
#include "members.h"

#include <math.h>

mk_place mk_elastic_place(const mk_norm *norm, double t) {
  double lambda = norm->parameter, rest = 1.0 - lambda, below = rest + lambda * t;
  return (mk_place){t / below, rest / (below * below), lambda * rest / (below * below * below)};
}

double mk_elastic_coordinate(const mk_norm *norm, double theta) {
  double lambda = norm->parameter;
  theta = fmin(fmax(theta, 0.0), (1.0 - 1e-12) / lambda);
  return (1.0 - lambda) * theta / (1.0 - lambda * theta);
}

/* min over r of r^2/(1 - lambda) + sum (sqrt(s_m) - r)_+^2 / lambda. The derivative is convex and
 * piecewise linear: Newton from the left gets there. */
double mk_elastic_dual(const mk_norm *norm, size_t count, const double *s) {
  double lambda = norm->parameter, r = 0.0, value = 0.0;
  for (;;) {
    double sum = 0.0, active = 0.0;
    for (size_t m = 0; m < count; m++) {
      double root = s[m] > 0.0 ? sqrt(s[m]) : 0.0;
      if (root <= r) continue;
      sum += root;
      active += 1.0;
    }
    double next = sum / (active + lambda / (1.0 - lambda));
    if (!(next > r * (1.0 + 1e-15))) break;
    r = next;
  }
  for (size_t m = 0; m < count; m++) {
    double more = s[m] > 0.0 ? fmax(sqrt(s[m]) - r, 0.0) : 0.0;
    value += more * more / lambda;
  }
  return value + r * r / (1.0 - lambda);
}

double mk_elastic_regularizer(const mk_norm *norm, size_t count, const double *theta,
                              const double *s) {
  double lambda = norm->parameter, sum = 0.0, squares = 0.0;
  for (size_t m = 0; m < count; m++) {
    double square = theta[m] * theta[m] * fmax(s[m], 0.0);
    sum += sqrt(square);
    squares += square;
  }
  return (1.0 - lambda) * sum * sum + lambda * squares;
}
