/* The certificate of a solution and, for large C, a final correction: alpha is multiplied by a
 * number near 1. Along alpha the dual is flat at the optimum, but if rounding leaves margins
 * slightly below 1, C times that difference keeps the gap open. */
#ifndef MK_RESCALE_H
#define MK_RESCALE_H

#include "problem/problem.h"

/* If the gap of a certified solution exceeds control->tol, multiplies alpha by the factor that
 * closes most of it, and certifies again. */
mk_status mk_rescale_certified(const mk_problem *problem, const mk_control *control,
                               mk_solution *solution);
/* Certifies theta and alpha, whatever the time limit, and rescales. */
mk_status mk_certify_rescaled(const mk_problem *problem, const mk_control *control,
                              mk_solution *solution);

#endif
