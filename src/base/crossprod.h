/* Z Z' of a wide Z in double precision: by R's BLAS where that is quick, by the tiles of simd.h
 * where R has only the reference BLAS. Both agree to rounding. Called by kernel/geometry.c and
 * rls/dictionary-values.c. */
#ifndef MK_CROSSPROD_H
#define MK_CROSSPROD_H

#include "base/control.h"

#include <stddef.h>

/* 1: `choice` leaves products of so many multiplications to BLAS. The first large one that has no
 * choice measures both, which takes a few milliseconds.
 *
 * A BLAS may have threads of its own, which then work in place of the team: it is called by the
 * thread that leads, between the team's rounds, where the others sleep. A forked child never calls
 * it, since the threads of a BLAS that uses OpenMP stay behind in the parent; see threads.h. */
int mk_blas_serves(mk_blas choice, double operations, const mk_team *team);

/* c += Z Z', its lower triangle and perhaps a little more: Z is n x count by rows, c n x n, and
 * `work` what product.h says. */
void mk_crossprod_add(mk_blas choice, size_t n, size_t count, const double *z, double *work,
                      mk_team *team, double *c);

#endif
