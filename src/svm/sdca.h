/* Stochastic dual coordinate ascent. */
#ifndef MK_SDCA_H
#define MK_SDCA_H

#include "svm/svm.h"

/* Returns 1 if coordinate ascent takes the place of SMO: for the hinge loss without an offset, if
 * control has an order. */
int mk_sdca_serves(const mk_svm_task *task);
mk_status mk_sdca_run(const mk_svm_task *task, double epsilon, double limit, double *violation);

#endif
