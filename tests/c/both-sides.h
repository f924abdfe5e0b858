/* Each side of a norm alone: the primal regulariser or the dual term of mk_sides()
 * (problem/sides.h). */
#ifndef TEST_BOTH_SIDES_H
#define TEST_BOTH_SIDES_H

#include "check.h"
#include "problem/sides.h"

static inline double regularizer_of(const mk_norm *norm, size_t count, const double *theta,
                                    const double *s) {
  double primal = NAN, dual;
  CHECK(mk_sides(norm, count, theta, s, &primal, &dual) == MK_OK);
  return primal;
}

/* The dual term is the same for every theta. */
static inline double dual_of(const mk_norm *norm, size_t count, const double *s) {
  double primal, dual = NAN;
  CHECK(mk_sides(norm, count, s, s, &primal, &dual) == MK_OK);
  return dual;
}

#endif
