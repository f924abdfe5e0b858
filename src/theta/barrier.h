/* What interior point methods share. Called by master.c, newton.c and optimizer/interior.c.
 * MATHEMATICS.md, sections 2 and 3: Newton steps and programs over cuts on the lp ball. */
#ifndef MK_BARRIER_H
#define MK_BARRIER_H

#include <stddef.h>

#define MK_INTERIOR_MAX_STEPS 80
#define MK_START_SHARE 0.1       /* of the way to equal weights, where the steps begin */
#define MK_FINAL_MU 1e-16        /* products that end the steps, ... */
#define MK_GOOD_MU 1e-12         /* ... and that are good enough where only rounding is left */
#define MK_STATIONARY 1e-10      /* residual of scaled values that ends the steps; ... */
#define MK_ROUNDED_RESIDUAL 1e-9 /* ... where it falls no more; ... */
#define MK_USABLE_RESIDUAL 1e-7  /* ... and where the steps end in another way */
#define MK_TO_BOUNDARY 0.99      /* of the way to the boundary that a step may go */

/* The next `count` doubles of a block. */
static inline double *mk_take(double **next, size_t count) {
  double *start = *next;
  *next += count;
  return start;
}

/* How far, at most `length`, the values can go along the step and stay positive. */
static inline double mk_to_boundary(double length, size_t count, const double *value,
                                    const double *step) {
  for (size_t k = 0; k < count; k++)
    if (step[k] < 0.0 && value[k] + length * step[k] < 0.0) length = -value[k] / step[k];
  return length;
}

#endif
