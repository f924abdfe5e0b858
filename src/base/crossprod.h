/* Z Z' of a wide Z in double precision: by R's BLAS if that is fast, by the tiles of simd.h if R
 * has only the reference BLAS. Both agree up to rounding. Called by kernel/geometry.c. */
#ifndef MK_CROSSPROD_H
#define MK_CROSSPROD_H

#include "base/control.h"

#include <stddef.h>

/* Returns 1 if BLAS computes products of so many multiplications. If nothing is chosen, the first
 * large product measures both, which takes a few milliseconds.
 *
 * A BLAS may have threads of its own, which then replace the team: the leading thread calls it
 * between the team's rounds, while the others sleep. A forked child never calls it, since the
 * threads of a BLAS that uses OpenMP stay in the parent; see threads.h. */
int mk_blas_serves(mk_blas choice, double operations, const mk_team *team);

/* Adds Z Z' to the lower triangle of c (and perhaps to some values above it). Z is n x count by
 * rows, c is n x n, `work` has mk_product_work() doubles. */
void mk_crossprod_add(mk_blas choice, size_t n, size_t count, const double *z, double *work,
                      mk_team *team, double *c);

#endif
