/* Precomputed kernels at the speed of memory: the callers' matrices are read in place along whole
 * columns (which are rows, by symmetry), several at a time, and nothing is copied. */
#ifndef MK_MATRICES_H
#define MK_MATRICES_H

#include "kernel/set.h"

size_t mk_matrices_count(const mk_kernel_set *set);            /* number of precomputed kernels */
size_t mk_matrices_member(const mk_kernel_set *set, size_t k); /* kernel number of the k-th one */

/* Adds the family's part of a mixture between `row` and samples from + c, c < count (at most
 * MK_MATRIX_SPAN), to out[c], without what centring adds to the whole mixture. weight: M, theta
 * times scale. */
#define MK_MATRIX_SPAN 1024 /* samples whose sums stay in the first-level cache */
void mk_matrices_mix(const mk_kernel_set *set, const double *weight, int row, size_t from,
                     size_t count, double *out);

/* Computes what centring adds for the family: the result - shift_row - shift_(from + c). shift: n,
 * overwritten. */
double mk_matrices_centre(const mk_kernel_set *set, const double *weight, double *shift);

/* Adds the sum over c of alpha_c k(i, sample_c) to out[k * n + i] for all n samples i, with k the
 * normalised kernel of member k. */
void mk_matrices_respond(const mk_kernel_set *set, const int *samples, const double *alpha,
                         size_t count, mk_team *team, double *out);

#endif
