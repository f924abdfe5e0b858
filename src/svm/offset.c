/* The best offset of hinge losses, a weighted quantile of the gradients. Called by loss.c.
 * MATHEMATICS.md, section 1.2. */
#include "offset.h"

#include "base/sum.h"

#include <math.h>

static double median(double a, double b, double c) {
  return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* A search for the quantile. The slope of the losses, as a function of b, rises at each sample's
 * gradient by the width upper - lower of its box. */
typedef struct quantile {
  const double *gradient, *lower, *upper;
  int *open; /* samples whose gradients may still be the quantile */
  size_t count;
  double slope; /* slope before the gradients of `open` */
} quantile;

static double slope_at(const quantile *q, double b) {
  double slope = q->slope;
  for (size_t k = 0; k < q->count; k++) {
    int i = q->open[k];
    slope += q->gradient[i] <= b ? q->upper[i] - q->lower[i] : 0.0;
  }
  return slope;
}

/* Keeps the samples on one side of b, without branches, half of which would be mispredicted. */
static void keep_one_side(quantile *q, double b, int above) {
  size_t kept = 0;
  for (size_t k = 0; k < q->count; k++) {
    int i = q->open[k];
    q->open[kept] = i;
    kept += above ? q->gradient[i] > b : q->gradient[i] < b;
  }
  q->count = kept;
}

/* Returns the least gradient at which the slope is at least -slack, and the slope there. */
static double find_quantile(quantile *q, double slack, double *slope) {
  double found = 0.0;
  *slope = 0.0;
  while (q->count > 0) {
    double pivot = median(q->gradient[q->open[0]], q->gradient[q->open[q->count / 2]],
                          q->gradient[q->open[q->count - 1]]);
    double at_pivot = slope_at(q, pivot);
    int above = at_pivot < -slack;
    if (above) {
      q->slope = at_pivot;
    } else {
      found = pivot;
      *slope = at_pivot;
    }
    keep_one_side(q, pivot, above);
  }
  return found;
}

/* Returns the next gradient at which the slope rises, or the largest of all if there is none. */
static double next_breakpoint(const quantile *q, size_t n, double b) {
  double next = INFINITY, most = b;
  for (size_t i = 0; i < n; i++) {
    double gradient = q->gradient[i];
    if (gradient > b && q->upper[i] > q->lower[i]) next = fmin(next, gradient);
    most = fmax(most, gradient);
  }
  return isfinite(next) ? next : most;
}

/* Finds the best offset. If the slope is 0 on an interval, every point of it is a minimiser, and
 * the middle one is taken. */
double mk_best_offset(size_t n, const double *gradient, const double *lower, const double *upper,
                      int *order, double *offset) {
  quantile q = {.gradient = gradient, .lower = lower, .upper = upper, .open = order, .count = n};
  double loss = 0.0, scale = 0.0, slope;
  for (size_t i = 0; i < n; i++) {
    order[i] = (int)i;
    q.slope -= upper[i]; /* slope left of all gradients */
    scale += upper[i] - lower[i];
  }
  double slack = MK_SUM_ROUNDING * scale, b = find_quantile(&q, slack, &slope);
  if (n > 0 && slope <= slack) b = 0.5 * (b + next_breakpoint(&q, n, b));
  for (size_t i = 0; i < n; i++)
    loss += gradient[i] > b ? upper[i] * (gradient[i] - b) : lower[i] * (gradient[i] - b);
  *offset = b;
  return loss;
}
