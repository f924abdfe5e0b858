/* Weighted lp norms: lp norms of the coordinates d_m^(1/p) theta_m. */
#include "members.h"

#include "theta/lp.h"

#include <math.h>

double mk_weighted_dual(const mk_norm *norm, size_t count, const double *s) {
  if (norm->scale == NULL) return mk_lp_dual_norm(count, norm->p, s);
  for (size_t m = 0; m < count; m++) norm->work[m] = s[m] / norm->scale[m];
  return mk_lp_dual_norm(count, norm->p, norm->work);
}

double mk_weighted_regularizer(const mk_norm *norm, size_t count, const double *theta,
                               const double *s) {
  if (norm->scale == NULL) return mk_lp_regularizer(count, norm->p, theta, s);
  for (size_t m = 0; m < count; m++) norm->work[m] = s[m] * norm->scale[m];
  return mk_lp_regularizer(count, norm->p, theta, norm->work);
}
