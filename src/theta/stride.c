/* Longer analytic steps, by a secant. Called by norm.c.
 * Mathematics section 2: the theta-step contracts log theta by 2/(p + 1). */
#include "stride.h"

#include "lp.h"

#include <math.h>

#define MAX_LENGTH 32.0 /* analytic steps: p near 1 would ask for any number */

static int moves(double theta, double s) {
  return theta > 0.0 && s > 0.0;
}

/* The analytic step in log theta, up to a constant, which is only scaling. */
static void find_residual(size_t count, double p, const double *theta, const double *s,
                          double *out) {
  for (size_t m = 0; m < count; m++)
    out[m] = moves(theta[m], s[m]) ? (log(s[m]) - (p - 1.0) * log(theta[m])) / (p + 1.0) : 0.0;
}

/* The length that would have made the last step a perfect one, by variance and
 * covariance: constants are no moves. */
static double secant(const mk_stride *stride, size_t count, const double *theta, const double *s,
                     const double *residual) {
  double total = 0.0, mean = 0.0, mean_change = 0.0, along = 0.0, square = 0.0;
  for (size_t m = 0; m < count; m++) {
    if (!moves(theta[m], s[m])) continue;
    total += theta[m] * s[m];
    mean += theta[m] * s[m] * stride->residual[m];
    mean_change += theta[m] * s[m] * (stride->residual[m] - residual[m]);
  }
  for (size_t m = 0; m < count; m++) {
    if (!moves(theta[m], s[m])) continue;
    double change = stride->residual[m] - residual[m] - mean_change / total;
    along += theta[m] * s[m] * (stride->residual[m] - mean / total) * change;
    square += theta[m] * s[m] * change * change;
  }
  return along > 0.0 && square > 0.0 ? stride->length * along / square : 1.0;
}

void mk_stride_step(mk_stride *stride, size_t count, double p, const double *theta, const double *s,
                    double *next) {
  double longest = fmin((p + 1.0) / (p - 1.0), MAX_LENGTH), most = -INFINITY, length = 1.0;
  find_residual(count, p, theta, s, next);
  if (stride->length > 0.0) length = secant(stride, count, theta, s, next);
  stride->length = length = fmin(fmax(length, 1.0), longest);
  for (size_t m = 0; m < count; m++) {
    stride->residual[m] = next[m];
    next[m] = moves(theta[m], s[m]) ? log(theta[m]) + length * next[m] : -INFINITY;
    most = fmax(most, next[m]);
  }
  if (most == -INFINITY) {
    mk_lp_start(count, p, next); /* alpha = 0 or no kernel helps: nothing to prefer */
    return;
  }
  for (size_t m = 0; m < count; m++) next[m] = exp(next[m] - most);
  mk_lp_normalize(count, p, next);
}
