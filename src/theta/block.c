/* Block norms beyond q = 2 (JMLR section 4.5): the regulariser (sum ||w_m||^q)^(2/q)/2 has the
 * dual term (sum s_m^a)^(1/a)/2, a = q/(2(q - 1)) in [1/2, 1), which is concave in s: the least of
 * sum theta_m s_m over sum theta_m^-r <= 1, r = q/(q - 2). With t_m = 1/theta_m, on the lr ball,
 * alpha and t maximise a jointly concave function. Where q is large some t_m are 0, or nearly so:
 * w_m is as good as free, and alpha orthogonal to the features of its kernel. Weights must stay
 * finite there: t_m has a least value. The larger it is the better are the SVMs conditioned and the
 * less of s_m is rounding; what it costs is known. */
#include "members.h"
#include "theta/lp.h"

#include <math.h>

#define NEARLY 0.9 /* of its inverse: a weight at its end */

mk_place mk_block_place(const mk_norm *norm, double t) {
  t = fmax(t, norm->least);
  return (mk_place){1.0 / t, 1.0 / (t * t), 1.0 / (t * t * t)};
}

double mk_block_coordinate(const mk_norm *norm, double theta) {
  return theta > norm->least ? fmax(1.0 / theta, norm->least) : 1.0 / norm->least;
}

/* Onto the sphere, none below the least: the others make up for those that are held there. */
void mk_block_normalize(const mk_norm *norm, size_t count, double *t) {
  double p = norm->p;
  mk_lp_normalize(count, p, t);
  for (size_t held = 0, last = count + 1; held != last;) {
    double sum = 0.0;
    last = held;
    held = 0;
    for (size_t m = 0; m < count; m++) {
      if (t[m] <= norm->least) {
        t[m] = norm->least;
        held++;
      } else {
        sum += pow(t[m], p);
      }
    }
    double room = 1.0 - (double)held * pow(norm->least, p);
    if (!(sum > 0.0) || !(room > 0.0)) return;
    double factor = pow(room / sum, 1.0 / p);
    for (size_t m = 0; m < count; m++)
      if (t[m] > norm->least) t[m] *= factor;
  }
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

/* With w the norms of the w_m, t_m = least costs least w (max w - w) / 2 (first order in it). */
double mk_block_price(const mk_norm *norm, size_t count, const double *theta, const double *s) {
  double most = 0.0, sum = 0.0;
  for (size_t m = 0; m < count; m++) most = fmax(most, theta[m] * sqrt(fmax(s[m], 0.0)));
  for (size_t m = 0; m < count; m++) {
    double w = theta[m] * sqrt(fmax(s[m], 0.0));
    if (theta[m] * norm->least > NEARLY) sum += norm->least * w * (most - w);
  }
  return sum;
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
