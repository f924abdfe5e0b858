/* Moves of theta between SVM solves: Newton steps, or analytic steps where those cost more. Called
 * by interleaved.c and outer-loop.c. MATHEMATICS.md, sections 2.2 and 2.4. */
#ifndef MK_THETA_STEP_H
#define MK_THETA_STEP_H

#include "optimizer/fit-state.h"

/* The aims of a step, as absolute gaps. */
typedef struct mk_aim {
  double goal;       /* gap that ends the moves */
  double svm_target; /* SVM gap to reach after the step */
  int idle;          /* moves without progress so far, after which cheap steps are pointless */
  int lengthens;     /* 1 if forms are smooth enough for steps beyond the quadratic model */
} mk_aim;

/* Makes one step and solves the SVMs after it. */
mk_status mk_theta_step(mk_fit_state *fit, const mk_aim *aim);
/* Makes a Newton step whatever it costs, if there is memory for it. */
mk_status mk_newton_step(mk_fit_state *fit, const mk_aim *aim);

#endif
