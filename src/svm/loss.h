/* Losses in the dual. With response f_i = sum_j alpha_j K_ij and t = linear - f - offset,
 *   loss of sample i = psi_i*(t) = max over a of t a - psi_i(a),
 * where psi_i is convex on the box [lower, upper], which contains 0:
 *   psi(a) = ridge/2 a^2 + tube |a|,  or for logistic loss y a - C H(y a / C), H the entropy.
 * The dual maximises sum linear a - psi(a), less the quadratic form. MATHEMATICS.md, section
 * 1.2. */
#ifndef MK_SVM_LOSS_H
#define MK_SVM_LOSS_H

#include "problem/loss.h"

double mk_loss_value(const mk_terms *terms, size_t i, double t);   /* returns psi*(t) */
double mk_loss_penalty(const mk_terms *terms, size_t i, double a); /* returns psi(a) */
/* Returns psi*(t) + psi(a) - t a >= 0, without cancellation. */
double mk_loss_excess(const mk_terms *terms, size_t i, double t, double a);
/* Computes psi' from the right and from the left; +-infinity at the ends of the box. */
void mk_loss_slopes(const mk_terms *terms, size_t i, double a, double *right, double *left);
double mk_loss_curvature(const mk_terms *terms, size_t i, double a); /* returns psi'' */

/* Returns the a that maximises t a - psi(a) - delta/2 (a - centre)^2, and *rate = da/dt. The
 * logistic loss ignores delta. */
double mk_loss_answer(const mk_terms *terms, size_t i, double t, double delta, double centre,
                      double *rate);

/* Returns the least sum of losses over the offset, at t = gradient - offset; `order`: n,
 * scratch. */
double mk_loss_total(const mk_terms *terms, const double *gradient, int *order, double *offset);
double mk_loss_total_penalty(const mk_terms *terms, const double *alpha);

/* A sum that falls in b; *rate is minus its derivative. mk_loss_root() returns its root. */
typedef double (*mk_falling)(const void *data, double b, double *rate);
double mk_loss_root(mk_falling sum, const void *data, double low, double high);
/* Returns the offset at which a sum of the samples' alphas, at gradient - offset, is 0; 0 if the
 * loss has no offset. */
double mk_loss_offset(const mk_terms *terms, const double *gradient, mk_falling sum,
                      const void *data);

#endif
