/* The proximal point method. */
#ifndef MK_PROXIMAL_H
#define MK_PROXIMAL_H

#include "svm/svm.h"

/* Makes proximal point steps until gap <= target, or until a system of more than `most` variables
 * would be needed; `violation` is that of SMO. MK_STALLED: they make no more progress. */
mk_status mk_svm_proximal(const mk_svm_task *task, double violation, double target, size_t most);

#endif
