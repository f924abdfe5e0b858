/* The solver of one SVM. */
#ifndef MK_SVM_SOLVE_H
#define MK_SVM_SOLVE_H

#include "svm/svm.h"

/* Solves until gap <= target (absolute). MK_STALLED: rounding allows no further progress. */
mk_status mk_svm_solve(const mk_svm_task *task, double target);

#endif
