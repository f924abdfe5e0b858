/* Block norms beyond q = 2 (JMLR section 4.5): the regulariser (sum ||w_m||^q)^(2/q)/2 has the
 * dual term (sum s_m^a)^(1/a)/2, a = q/(2(q - 1)) in [1/2, 1), which is concave in s: the least of
 * sum theta_m s_m over sum theta_m^-r <= 1, r = q/(q - 2). With t_m = 1/theta_m, on the lr ball,
 * alpha and t maximise a jointly concave function. */
#include "members.h"

#include <math.h>

#define LEAST                                                                                      \
  1e-7 /* coordinate: weights stay finite where s_m = 0; costs about this share of the gap */

mk_place mk_block_place(const mk_norm *norm, double t) {
  (void)norm;
  t = fmax(t, LEAST);
  return (mk_place){1.0 / t, 1.0 / (t * t), 1.0 / (t * t * t)};
}

double mk_block_coordinate(const mk_norm *norm, double theta) {
  (void)norm;
  return theta > LEAST ? fmax(1.0 / theta, LEAST) : 1.0 / LEAST;
}

/* (sum x^power)^(1/power) with x = sqrt(s)^2 or theta sqrt(s), scaled by the largest. */
static double size(size_t count, double power, const double *theta, const double *s) {
  double most = 0.0, sum = 0.0;
  for (size_t m = 0; m < count; m++)
    most = fmax(most, theta != NULL ? theta[m] * sqrt(fmax(s[m], 0.0)) : s[m]);
  if (most == 0.0 || isinf(power)) return most;
  for (size_t m = 0; m < count; m++) {
    double x = theta != NULL ? theta[m] * sqrt(fmax(s[m], 0.0)) : fmax(s[m], 0.0);
    sum += pow(x / most, power);
  }
  return most * pow(sum, 1.0 / power);
}

double mk_block_dual(const mk_norm *norm, size_t count, const double *s) {
  double q = norm->parameter;
  return size(count, isinf(q) ? 0.5 : 0.5 * q / (q - 1.0), NULL, s);
}

double mk_block_regularizer(const mk_norm *norm, size_t count, const double *theta,
                            const double *s) {
  double w = size(count, norm->parameter, theta, s);
  return w * w;
}
