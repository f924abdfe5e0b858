/* Precomputed kernels at the pace of memory: the callers' matrices are read
 * where they lie, along whole columns (which are rows: they are symmetric),
 * several at a time, and nothing of them is copied. */
#ifndef MK_MATRICES_H
#define MK_MATRICES_H

#include "kernel/set.h"

size_t mk_matrices_count(const mk_kernel_set *set);            /* precomputed kernels ... */
size_t mk_matrices_member(const mk_kernel_set *set, size_t k); /* ... and their kernel numbers */

/* out[c] += the family's part of a mixture between `row` and the samples from +
 * c, c < count, at most MK_MATRIX_SPAN; what centring adds to the whole mixture is not in it.
 * weight: M, theta times scale. */
#define MK_MATRIX_SPAN 1024 /* what is summed up stays in the nearest cache */
void mk_matrices_mix(const mk_kernel_set *set, const double *weight, int row, size_t from,
                     size_t count, double *out);

/* What that is for the family: the result - shift_row - shift_(from + c). shift: n, overwritten. */
double mk_matrices_centre(const mk_kernel_set *set, const double *weight, double *shift);

/* out[k * n + i] += sum over c of alpha_c k(i, sample_c), with k the normalised
 * kernel of member k, for all its n samples i. */
void mk_matrices_respond(const mk_kernel_set *set, const int *samples, const double *alpha,
                         size_t count, mk_team *team, double *out);

#endif
