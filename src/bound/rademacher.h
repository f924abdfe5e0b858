/* Bounds on the Rademacher complexity of H^p, the functions of lp-norm MKL with norm at most 1,
 * from the numbers of rows and kernels and from R >= sqrt(k_m(x, x)) (Kloft et al. 2011, section 5,
 * with misprints corrected). MATHEMATICS.md, section 7.1. */
#ifndef MK_RADEMACHER_H
#define MK_RADEMACHER_H

#include <stddef.h>

typedef enum mk_bound_type {
  MK_BOUND_KLOFT = 1,  /* Corollary 9 */
  MK_BOUND_KLOFT_2010, /* the bound of Kloft et al. 2010 */
  MK_BOUND_CORTES,     /* Theorem 8 for H^q, carried over to p >= q by Theorem 6 */
  MK_BOUND_GOMP,       /* a sum of M kernels: p = infinity */
  MK_BOUND_TYPES = MK_BOUND_GOMP
} mk_bound_type;

/* Returns NaN if the bound does not apply: Theorem 8 with q > 1 needs a whole number q*, the sum
 * of kernels needs p = infinity. q is used by MK_BOUND_CORTES only. */
double mk_rademacher_bound(mk_bound_type type, double p, double kernels, double n, double radius,
                           double q);

#endif
