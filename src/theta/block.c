/* Block norms beyond q = 2 (JMLR section 4.5): the regulariser (sum ||w_m||^q)^(2/q)/2 has the
 * dual term (sum s_m^a)^(1/a)/2, a = q/(2(q - 1)) in [1/2, 1), which is concave in s: the least of
 * sum theta_m s_m over sum theta_m^-r <= 1, r = q/(q - 2). With t_m = 1/theta_m, on the lr ball,
 * alpha and t maximise a jointly concave function. */
#include "members.h"

#include <math.h>

/* The least coordinate, so that weights stay finite where s_m = 0; it costs about this share of the
 * gap. Only the simplex (q = infinity) has optima with coordinates 0. */
static double least(const mk_norm *norm) {
  return norm->p == 1.0 ? 1e-7 : 1e-9;
}

mk_place mk_block_place(const mk_norm *norm, double t) {
  t = fmax(t, least(norm));
  return (mk_place){1.0 / t, 1.0 / (t * t), 1.0 / (t * t * t)};
}

double mk_block_coordinate(const mk_norm *norm, double theta) {
  return theta > least(norm) ? fmax(1.0 / theta, least(norm)) : 1.0 / least(norm);
}

/* (sum x^power)^(1/power) of x = s, or theta sqrt(s) where theta is given. */
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
