/* The refit of a pursuit: (K_G + delta I) A = Y for a growing sum K_G of kernels. While all of them
 * have columns, and these are few beside the samples, the system is that of the columns. */
#ifndef MK_RIDGE_H
#define MK_RIDGE_H

#include "dictionary.h"

typedef struct mk_ridge mk_ridge;

mk_ridge *mk_ridge_new(const mk_gomp_problem *problem, mk_dictionary *dictionary,
                       const mk_control *control);
void mk_ridge_free(mk_ridge *ridge);
size_t mk_ridge_bytes(const mk_ridge *ridge);

mk_status mk_ridge_add(mk_ridge *ridge, size_t m);
/* Computes alpha, n x tasks. MK_STALLED: the system is not positive definite in doubles. */
mk_status mk_ridge_solve(mk_ridge *ridge, double *alpha);

#endif
