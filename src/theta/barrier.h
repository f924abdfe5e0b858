/* Constants and functions shared by the interior point methods. Called by master.c, newton.c and
 * optimizer/interior.c. MATHEMATICS.md, sections 2.4 and 3.2. */
#ifndef MK_BARRIER_H
#define MK_BARRIER_H

#include <stddef.h>

#define MK_INTERIOR_MAX_STEPS 80
#define MK_START_SHARE 0.1       /* share of equal weights, or of multipliers, in the start */
#define MK_FINAL_MU 1e-16        /* mean complementary product that ends the steps */
#define MK_ROUNDED_GAP 1e-12     /* gap, or mean product, below which all may be rounding */
#define MK_AIMED_SHARE 0.1       /* share of a value that ends the steps at which they aim */
#define MK_STATIONARY 1e-10      /* residual, in scaled values, that ends the steps */
#define MK_ROUNDED_RESIDUAL 1e-9 /* residual that is enough if it no longer falls */
#define MK_USABLE_RESIDUAL 1e-7  /* residual that is enough if the steps end for another reason */
#define MK_TO_BOUNDARY 0.99      /* largest share of the way to the boundary that a step may take */

/* Returns the next `count` doubles of a block of memory. */
static inline double *mk_take(double **next, size_t count) {
  double *start = *next;
  *next += count;
  return start;
}

/* Returns the largest step length, at most `length`, for which all values stay positive. */
static inline double mk_to_boundary(double length, size_t count, const double *value,
                                    const double *step) {
  for (size_t k = 0; k < count; k++)
    if (step[k] < 0.0 && value[k] + length * step[k] < 0.0) length = -value[k] / step[k];
  return length;
}

#endif
