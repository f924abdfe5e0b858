/* Sequential minimal optimisation. */
#ifndef MK_SMO_H
#define MK_SMO_H

#include "svm/svm.h"

/* Makes SMO steps until the violation is <= epsilon or `limit` steps are done; returns the
 * violation. */
mk_status mk_smo_run(const mk_svm_task *task, double epsilon, double limit, double *violation);

#endif
