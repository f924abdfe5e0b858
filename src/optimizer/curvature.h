/* Theta's Hessian for Newton steps (mathematics section 2): of the free variables, or of some. */
#ifndef MK_CURVATURE_H
#define MK_CURVATURE_H

#include "optimizer/machine.h"

#define MK_LANDING 0.03 /* share of the theta gap that a Newton step is expected to leave */

/* The one at hand, unless candidates have changed it, or a new one, in machine->curvature;
 * MK_STALLED when it is not to be had. */
mk_status mk_curvature_find(mk_machine *machine);

/* After a step: it stays while its steps do well. A sample that shows much too little promises too
 * much, and grows. */
void mk_curvature_judge(mk_machine *machine, double gap_before, double kept_share);
/* After a step back: the same for a sample. */
void mk_curvature_reject(mk_machine *machine);

/* 1: just made, of one task, and of more free variables than there are generators. Then by how much
 * the candidates' alphas fall, to first order, when theta takes the step: A^-1 Pi U step. */
int mk_curvature_can_follow(const mk_machine *machine);
mk_status mk_curvature_follow(const mk_machine *machine, const double *step, double *change);

#endif
