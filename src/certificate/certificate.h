/* The certificate: primal, dual and relative duality gap of any (theta, alpha) from exact kernel
 * values in double precision (MATHEMATICS.md, section 1; JMLR eq. 14 and 15, Prop. 5). It uses no
 * code of rows/, svm/, theta/ or optimizer/; the definitions of kernels, losses and norms (kernel/,
 * problem/) serve both. Both sides include the bounds of their rounding errors (exact/expansion.h),
 * so rounding can only enlarge the gap. */
#ifndef MK_CERTIFICATE_H
#define MK_CERTIFICATE_H

#include "problem/problem.h"

typedef struct mk_certificate {
  double primal, dual, gap; /* gap = (primal - dual) / |primal| */
  double rounding;          /* part of the gap that bounds rounding errors */
  double loss;              /* primal value without its regulariser */
  double gain;              /* dual value without its term in s */
  double *offset;           /* tasks: the best b; caller's memory */
  double *forms;            /* M: s_m = sum over tasks of alpha'K_m alpha; caller's memory */
  double *decision;         /* n x tasks: f(x_i) with the offset; caller's memory */
  double *slack; /* n x tasks + 2 M: error bounds of decision values and forms; NULL: not wanted */
} mk_certificate;

mk_status mk_certify(const mk_problem *problem, const double *theta, const double *alpha,
                     const mk_control *control, mk_certificate *certificate);

/* Computes the certificate of the solution's theta and alpha, without a time limit, so that a fit
 * that ran out of time has a gap, too. */
mk_status mk_certify_solution(const mk_problem *problem, const mk_control *control,
                              mk_solution *solution);
/* Certifies a certified solution again at the problem's present costs. Its decision values and
 * forms are reused. Its alphas must be feasible at these costs. */
mk_status mk_recertify_solution(const mk_problem *problem, mk_solution *solution);

#endif
