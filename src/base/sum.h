/* Sums whose rounding does not grow with their length (Neumaier 1974): each addition's error is
 * kept and added at the end. */
#ifndef MK_SUM_H
#define MK_SUM_H

#include <float.h>
#include <math.h>

#define MK_UNIT (0.5 * DBL_EPSILON) /* relative error of one operation, at most */
#define MK_SUM_ROUNDING 1e-12       /* that of plain sums of thousands of terms, with some room */

typedef struct mk_sum {
  double value, rest;
} mk_sum;

/* *value + *rest grows by x (Knuth's sum of two numbers without error). */
static inline void mk_add_to(double *value, double *rest, double x) {
  double sum = *value + x, part = sum - *value;
  *rest += (*value - (sum - part)) + (x - part);
  *value = sum;
}

static inline void mk_sum_add(mk_sum *sum, double x) {
  mk_add_to(&sum->value, &sum->rest, x);
}

/* The same of a product, whose error is a number, too (Ogita, Rump and Oishi 2005). */
static inline void mk_sum_add_product(mk_sum *sum, double x, double y) {
  double product = x * y;
  sum->rest += fma(x, y, -product);
  mk_sum_add(sum, product);
}

static inline double mk_sum_total(const mk_sum *sum) {
  return sum->value + sum->rest;
}

#endif
