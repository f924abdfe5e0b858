#include "stride.h"

#include "lp.h"

#include <math.h>

#define LONGEST 32.0

static int moves(double theta, double s) {
  return theta > 0.0 && s > 0.0;
}

/* The analytic step in log theta, weighted mean 0: what scaling adds is no move. */
static void find_residual(size_t count, double p, const double *theta, const double *s,
                          double *out) {
  double mean = 0.0, total = 0.0;
  for (size_t m = 0; m < count; m++) {
    out[m] = 0.0;
    if (!moves(theta[m], s[m])) continue;
    out[m] = (log(s[m]) - (p - 1.0) * log(theta[m])) / (p + 1.0);
    mean += theta[m] * s[m] * out[m];
    total += theta[m] * s[m];
  }
  for (size_t m = 0; m < count; m++)
    if (moves(theta[m], s[m])) out[m] -= mean / total;
}

/* The length that would have made the last step a perfect one. */
static double secant(const mk_stride *stride, size_t count, const double *theta, const double *s,
                     const double *residual) {
  double along = 0.0, square = 0.0;
  for (size_t m = 0; m < count; m++) {
    if (!moves(theta[m], s[m])) continue;
    double change = stride->residual[m] - residual[m], weight = theta[m] * s[m];
    along += weight * stride->residual[m] * change;
    square += weight * change * change;
  }
  return along > 0.0 && square > 0.0 ? stride->length * along / square : 1.0;
}

void mk_stride_step(mk_stride *stride, size_t count, double p, const double *theta, const double *s,
                    double *next) {
  double longest = fmin((p + 1.0) / (p - 1.0), LONGEST), most = -INFINITY, length = 1.0;
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
