/* The state of the proximal point method and its systems; shared by proximal.c and
 * proximal-system.c only. */
#ifndef MK_PROXIMAL_INTERNAL_H
#define MK_PROXIMAL_INTERNAL_H

#include "svm/svm.h"

typedef struct mk_proximal {
  const mk_svm_task *task;
  mk_svm *svm;
  mk_terms terms;
  double delta, first; /* first: where it begins, or begins once it is needed */
  const double *centre;
  double *beta, *gradient, offset;              /* gradient = linear - K beta */
  double *point, *point_gradient, point_offset; /* Newton's answer */
  double *step, *ones, *wide;                   /* scratch */
  double *answer, *stiff;                       /* a_i(t_i) of the uncut, 1/a_i' */
  double softest;                               /* least of these */
  int *uncut, *moved;                           /* positions; moved: scratch */
  char *side;                                   /* where a variable is cut, or its piece of psi */
  size_t count, most;                           /* of `uncut`; that are worth a system */
} mk_proximal;

/* (K + diag(stiff)) step + shift 1 = step over the uncut, and sum step = sum; without an offset
 * shift is 0, the sum free. MK_STALLED: rounding does not allow it. */
mk_status mk_proximal_solve(mk_proximal *p, double sum, double *shift);

#endif
