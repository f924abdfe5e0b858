/* The certificate of a solution, with a last touch for large C: alpha times a
 * number near 1. Along alpha the dual is flat at the optimum, but where rounding
 * leaves margins a hair below 1, C times that hair is what keeps the gap open. */
#ifndef MK_RESCALE_H
#define MK_RESCALE_H

#include "certificate/certificate.h"

/* Of a certified solution: where its gap is above control->tol alpha becomes the multiple that
 * closes it most, and the certificate that one's. */
mk_status mk_rescale_certified(const mk_problem *problem, const mk_control *control,
                               mk_solution *solution);
/* Fills in what theta and alpha are worth, whatever the time, and rescales. */
mk_status mk_certify_rescaled(const mk_problem *problem, const mk_control *control,
                              mk_solution *solution);

#endif
