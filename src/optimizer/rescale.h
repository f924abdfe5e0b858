/* A last touch for large C: alpha times a number near 1. Along alpha the dual
 * is flat at the optimum, but where rounding leaves margins a hair below 1,
 * C times that hair is what keeps the gap open. */
#ifndef MK_RESCALE_H
#define MK_RESCALE_H

#include "optimizer/certificate.h"

/* The factor that closes the certified gap most, judged from the certificate's
 * own decision values and forms; 1 when none helps. */
mk_status mk_best_factor(const mk_problem *problem, const double *theta, const double *alpha,
                         const mk_certificate *certificate, double *factor);

#endif
