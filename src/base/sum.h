/* Sums whose rounding error does not grow with their length (Neumaier 1974): the error of each
 * addition is kept and added at the end. */
#ifndef MK_SUM_H
#define MK_SUM_H

#include <float.h>
#include <math.h>

#define MK_UNIT (0.5 * DBL_EPSILON) /* relative error of one operation, at most */
#define MK_VALUE_ROUNDING 1e-14     /* relative error of a value after tens of operations */
/* relative error of plain sums of thousands of terms, with a margin */
#define MK_SUM_ROUNDING 1e-12

typedef struct mk_sum {
  double value, rest;
} mk_sum;

/* Adds x to *value + *rest without error (Knuth's sum of two numbers). */
static inline void mk_add_to(double *value, double *rest, double x) {
  double sum = *value + x, part = sum - *value;
  *rest += (*value - (sum - part)) + (x - part);
  *value = sum;
}

static inline void mk_sum_add(mk_sum *sum, double x) {
  mk_add_to(&sum->value, &sum->rest, x);
}

/* Adds the product x y, whose rounding error is itself a number (Ogita, Rump and Oishi 2005). */
static inline void mk_sum_add_product(mk_sum *sum, double x, double y) {
  double product = x * y;
  sum->rest += fma(x, y, -product);
  mk_sum_add(sum, product);
}

static inline double mk_sum_total(const mk_sum *sum) {
  return sum->value + sum->rest;
}

#endif
