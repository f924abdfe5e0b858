/* What all machines take from R and give back. */
#ifndef MK_RGLUE_PROBLEM_H
#define MK_RGLUE_PROBLEM_H

#include "glue.h"
#include "optimizer/problem.h"

/* Without set and norm; its box lies in memory of R's. */
mk_problem mk_arg_problem(size_t samples, SEXP y, SEXP cost, SEXP loss);
const double *mk_arg_theta(SEXP theta, size_t kernels); /* finite, not negative */

SEXP mk_doubles(const double *from, size_t count);
SEXP mk_matrix(const double *from, size_t rows, size_t cols);
int mk_status_code(mk_status status); /* its place in core_status, from 0 */

#endif
