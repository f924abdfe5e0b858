/* The state of the proximal point method and its systems, shared by proximal.c and
 * proximal-system.c only. */
#ifndef MK_PROXIMAL_SYSTEM_H
#define MK_PROXIMAL_SYSTEM_H

#include "svm/svm.h"

typedef struct mk_proximal {
  const mk_svm_task *task;
  mk_svm *svm;
  mk_terms terms;
  double delta, first; /* proximal weight; its first nonzero value */
  const double *centre;
  double *beta, *gradient, offset;              /* gradient = linear - K beta */
  double *point, *point_gradient, point_offset; /* Newton's point, its gradient and offset */
  double *step, *ones, *wide;                   /* scratch */
  double *answer, *stiff;                       /* a_i(t_i) and 1/a_i' of the uncut variables */
  double softest;                               /* least value of `stiff` */
  int *uncut, *moved;                           /* positions; `moved` is scratch */
  /* by variable: the bound where it is cut, or its piece of psi */
  char *side;
  /* number of uncut variables; largest number for a system */
  size_t count, most;
} mk_proximal;

/* Solves (K + diag(stiff)) x + shift 1 = step over the uncut variables with sum x = sum, and puts x
 * into step. Without an offset shift is 0 and the sum free. MK_STALLED: rounding does not allow
 * it. */
mk_status mk_proximal_solve(mk_proximal *p, double sum, double *shift);

#endif
