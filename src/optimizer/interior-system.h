/* The matrix of an interior point's step. */
#ifndef MK_INTERIOR_SYSTEM_H
#define MK_INTERIOR_SYSTEM_H

#include "optimizer/interior-internal.h"

/* Choose the matrix's form, count its doubles, place them, factor it for the present variables, and
 * compute x = A^-1 right. */
void mk_interior_choose_system(mk_interior_point *in);
size_t mk_interior_system_values(const mk_interior_point *in);
void mk_interior_lay_out_system(mk_interior_point *in, double **next);
mk_status mk_interior_factor(mk_interior_point *in);
void mk_interior_solve(mk_interior_point *in, const double *right, double *x);

#endif
