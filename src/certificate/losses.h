/* Losses and gains as the primal and the dual define them (MATHEMATICS.md, section 1.2), for the
 * certificate. The optimisers use svm/loss.h, which is written independently. */
#ifndef MK_LOSSES_H
#define MK_LOSSES_H

#include "problem/problem.h"

/* mk_loss_at() returns c V(f, y), mk_gain_at() returns -c V*(-alpha / c, y), or -infinity for
 * alphas outside the box. */
double mk_loss_at(const mk_loss *loss, double y, double c, double f);
double mk_gain_at(const mk_loss *loss, double y, double c, double alpha);
/* Returns the summed sizes of the terms of a gain, which bound its rounding error. */
double mk_gain_size(const mk_loss *loss, double y, double c, double alpha);

/* Returns the joint loss of a sample of class `own`: c times the largest max(0, 1 + f_t - f_own),
 * where f_t is decision[t * n] + sign * slack[t * n], and f_own has the opposite sign. */
double mk_joint_loss_at(size_t n, size_t tasks, size_t own, double c, const double *decision,
                        const double *slack, double sign);

/* Returns the b that minimises sum c_i V(f_i + b, y_i), the middle of an interval of such b, or 0
 * if the model has no offset. */
double mk_primal_offset(const mk_problem *problem, size_t task, const double *f);

/* Returns the cost of sample i of a task for decision values above y if `above` is 1 (alpha is then
 * negative or 0), else for values below y. */
double mk_problem_cost(const mk_problem *problem, size_t task, size_t i, int above);

#endif
