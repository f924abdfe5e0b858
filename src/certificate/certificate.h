/* The certificate: primal, dual and relative duality gap of any (theta, alpha)
 * from exact kernel values in double precision (MATHEMATICS.md, section 1; JMLR eq. 14 and 15,
 * Prop. 5). Shares no code with the optimisers' gradients. What rounding can have done to either
 * side (exact/expansion.h) goes into it to the gap's disadvantage. */
#ifndef MK_CERTIFICATE_H
#define MK_CERTIFICATE_H

#include "problem/problem.h"

typedef struct mk_certificate {
  double primal, dual, gap; /* gap = (primal - dual) / |primal| */
  double rounding;          /* what of the gap may be rounding's */
  double gain;              /* dual without its term in s */
  double *offset;           /* tasks: the best b; caller's memory, as are ... */
  double *forms;            /* ... M: s_m = sum over tasks of alpha'K_m alpha */
  double *decision;         /* ... n x tasks: f(x_i) with the offset */
  double
      *slack; /* n x tasks + 2 M: what rounding may have done to decisions and forms; NULL: own */
} mk_certificate;

mk_status mk_certify(const mk_problem *problem, const double *theta, const double *alpha,
                     const mk_control *control, mk_certificate *certificate);

/* Fills in what the solution's theta and alpha are worth: a fit that ran out of time gets its gap,
 * too. */
mk_status mk_certify_solution(const mk_problem *problem, const mk_control *control,
                              mk_solution *solution);
/* The same for a certified solution at other costs: what the kernels say of it stays. Alphas must
 * be feasible at these costs, too. */
mk_status mk_recertify_solution(const mk_problem *problem, mk_solution *solution);

#endif
