#ifndef MK_KERNEL_ROUNDS_H
#define MK_KERNEL_ROUNDS_H
#include "optimizer/problem.h"
mk_status mk_kernel_rounds(const mk_problem *problem, const mk_control *control, mk_solution *solution);
#endif
