/* Quadratic forms sigma'K_m sigma of all kernels for many random sign vectors at once, and the
 * empirical Rademacher complexity that follows from them (MATHEMATICS.md, section 7.2). Each pair
 * of samples is visited once for all sign vectors. Gaussians on the same features share sums by
 * distance (distances.h). Values of other kernels are computed in double precision, rounded to
 * single and multiplied with all sign vectors together. Linear kernels on columns of their own need
 * no pairs (kernel/features.h). The diagonal, which does not depend on the signs, is added in
 * double precision.
 *
 * The errors of rounding and bins are multiplied by independent random signs: an error of at most
 * eps in every value gives the form an error of mean 0 and standard deviation below sqrt(2) n eps,
 * which averages out over the sign vectors like the Monte Carlo error. It is also small beside that
 * error: a kernel whose values between different samples have the mean square kappa^2 has forms of
 * standard deviation sqrt(2) n kappa. */
#ifndef MK_SIGNS_H
#define MK_SIGNS_H

#include "base/control.h"
#include "kernel/set.h"

typedef struct mk_sign_question {
  const mk_kernel_set *set;
  const int *signs; /* n x draws of 1 or -1 */
  size_t draws;
  double *forms; /* out: [t * M + m] = s_m = sigma'K_m sigma of the t-th sign vector */
} mk_sign_question;

/* MK_NOT_FINITE: a form is not finite. */
mk_status mk_sign_forms(const mk_sign_question *question, const mk_control *control);

#endif
