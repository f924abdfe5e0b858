/* Losses as the primal and the dual have them (MATHEMATICS.md, section 1), for the certificate:
 * written apart from svm/loss.h, which the optimisers go by. */
#ifndef MK_LOSSES_H
#define MK_LOSSES_H

#include "problem/problem.h"

/* c V(f, y); -c V*(-alpha / c, y), -infinity where alpha is not
 * feasible. */
double mk_loss_at(const mk_loss *loss, double y, double c, double f);
double mk_gain_at(const mk_loss *loss, double y, double c, double alpha);
/* The sizes of what a gain is the sum of: it is off by roundings of that. */
double mk_gain_size(const mk_loss *loss, double y, double c, double alpha);

/* The b that minimises sum c_i V(f_i + b, y_i), 0 where the model has none; of many the
 * middle. */
double mk_primal_offset(const mk_problem *problem, size_t task, const double *f);

/* What the loss of sample i of a task weighs where f is above y, and elsewhere. Alphas of f above y
 * are negative. */
double mk_problem_cost(const mk_problem *problem, size_t task, size_t i, int above);

#endif
