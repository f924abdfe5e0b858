/* How theta moves between SVM solves (MATHEMATICS.md, section 2): by Newton steps, or by analytic
 * ones where those cost more. Called by interleaved.c and outer-loop.c. */
#ifndef MK_THETA_STEP_H
#define MK_THETA_STEP_H

#include "optimizer/fit-state.h"

/* What a step serves, as absolute gaps. */
typedef struct mk_aim {
  double goal;       /* gap that ends the moves */
  double svm_target; /* SVM gap asked for behind the step */
  int idle;          /* moves without progress so far: cheap ones lead no further */
  int lengthens;     /* 1: forms are smooth enough for steps beyond the quadratic model */
} mk_aim;

/* One step with the SVMs solved behind it. */
mk_status mk_theta_step(mk_fit_state *fit, const mk_aim *aim);
/* By a Newton step in any case, if there is the memory for it. */
mk_status mk_newton_step(mk_fit_state *fit, const mk_aim *aim);

#endif
