/* The analytic step of the quadratic norm. Called by norm.c. MATHEMATICS.md, section 2.3. */
#include "problem/quadratic.h"

#include "members.h"

#include <math.h>

/* Moves half the way to the theta that is best for s. */
void mk_quadratic_step(const mk_norm *norm, size_t count, const double *t, const double *s,
                       double *next) {
  double size;
  const double *goal = mk_quadratic_best(norm, count, s, &size);
  for (size_t m = 0; m < count; m++)
    next[m] = size > 0.0 ? 0.5 * (t[m] + fmax(goal[m], 0.0) / size) : t[m];
  mk_quadratic_normalize(norm, count, next);
}
