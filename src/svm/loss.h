/* What a loss is to the dual: with response f_i = sum_j alpha_j K_ij and t = linear - f - offset,
 *   loss of sample i = psi_i*(t) = max over a of t a - psi_i(a),
 * psi_i convex on the box [lower, upper], which holds 0:
 *   psi(a) = ridge/2 a^2 + tube |a|,  or for logistic loss y a - C H(y a / C), H the entropy.
 * The dual maximises sum linear a - psi(a), less the quadratic form. */
#ifndef MK_SVM_LOSS_H
#define MK_SVM_LOSS_H

#include "problem/loss.h"

double mk_loss_value(const mk_terms *terms, size_t i, double t);   /* psi*(t) */
double mk_loss_penalty(const mk_terms *terms, size_t i, double a); /* psi(a) */
/* psi*(t) + psi(a) - t a >= 0, without cancellation. */
double mk_loss_excess(const mk_terms *terms, size_t i, double t, double a);
/* psi' to the right and to the left; +-infinity where the box ends. */
void mk_loss_slopes(const mk_terms *terms, size_t i, double a, double *right, double *left);
double mk_loss_curvature(const mk_terms *terms, size_t i, double a); /* psi'' */

/* The a that maximises t a - psi(a) - delta/2 (a - centre)^2; *rate: da/dt. Logistic loss takes no
 * notice of delta. */
double mk_loss_answer(const mk_terms *terms, size_t i, double t, double delta, double centre,
                      double *rate);

/* min over the offset of the sum of losses at t = gradient - offset; `order` is scratch of n. */
double mk_loss_total(const mk_terms *terms, const double *gradient, int *order, double *offset);
double mk_loss_total_penalty(const mk_terms *terms, const double *alpha);

/* Where a sum that falls in b, sum(data, b, *rate), its derivative being -rate, is zero. */
typedef double (*mk_falling)(const void *data, double b, double *rate);
double mk_loss_root(mk_falling sum, const void *data, double low, double high);
/* The offset that is the root of a sum of the samples' answers at gradient - offset; 0 where the
 * loss has none. */
double mk_loss_offset(const mk_terms *terms, const double *gradient, mk_falling sum,
                      const void *data);

#endif
