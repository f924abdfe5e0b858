/* How many roundings a kernel's value may have suffered; the files expansion-*.c add up what these
 * do to sums (expansion-rounding.c). Mathematics section 1. */
#include "exact/expansion-rounding.h"

#include "kernel/geometry.h"

#include <math.h>

/* d/w exp(-d/w) <= 1/e: what a relative error of the distance can do to a Gaussian. */
#define GAUSSIAN_SLOPE 0.36787944117144233
/* |dk/dp| + 2 |dk/dd| at most, in units of 2 / (|x|^2 + |z|^2), of k = p / (d + p). */
#define TANIMOTO_SLOPE 4.0

/* Products of one inner product, at most. */
static double longest_row(const mk_family *family) {
  const mk_view *view = family->view;
  size_t most = 0;
  if (view == NULL) return 0.0;
  if (view->x != NULL) return (double)family->feature_count;
  for (size_t i = 0; i < view->rows; i++) {
    size_t length = view->row_start[i + 1] - view->row_start[i];
    if (length > most) most = length;
  }
  return (double)mk_smaller(most, family->feature_count);
}

double mk_value_units(const mk_expansion_job *job, size_t m, double reach) {
  const mk_kernel_spec *spec = &job->set->member[m].spec;
  const mk_family *family = &job->set->family[job->set->member[m].family];
  double depth = longest_row(family), spread = 0.0;
  switch (spec->type) {
  case MK_GAUSSIAN:
    spread = reach / spec->width;
    if (mk_tiles_suit(family)) spread = fmin(spread, GAUSSIAN_SLOPE / MK_NEAR_SHARE);
    return MK_SUM_UNITS + GAUSSIAN_SLOPE * GAUSSIAN_SLOPE * depth +
           spread * spread * (2.0 * depth + 8.0);
  case MK_POLYNOMIAL:
    return MK_SUM_UNITS + spec->degree * spec->degree * (depth + 8.0);
  case MK_LINEAR:
    return MK_SUM_UNITS + depth;
  case MK_TANIMOTO: /* both are off by roundings of |x|^2 + |z|^2 */
    return MK_SUM_UNITS + TANIMOTO_SLOPE * TANIMOTO_SLOPE * (depth + 4.0);
  case MK_LOCALLY_LINEAR:
    return MK_SUM_UNITS + 4.0 * depth;
  default:
    return MK_SUM_UNITS;
  }
}
