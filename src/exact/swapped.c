/* Sums of kernel values over rows that take some columns from other rows. A Gaussian kernel is the
 * product of a factor for the columns that stay and one for those that are swapped, so as many
 * exponentials suffice as there are pairs of samples, whatever the number of repeats. Called by the
 * glue. MATHEMATICS.md, section 1.1: f of such rows. */
#include "swapped.h"

#include "base/simd.h"

void mk_swapped_gaussian(const mk_swapped *swapped, double weight, double rate, double *out) {
  const mk_simd *simd = mk_simd_best();
  size_t known = swapped->known, rows = swapped->rows;
  double *own = swapped->work, *factor = own + known;
  simd->exp_decay(known * rows, swapped->part, rate, factor);
  for (size_t i = 0; i < rows; i++) {
    simd->exp_decay(known, swapped->rest + i * known, rate, own);
    for (size_t s = 0; s < known; s++) own[s] *= weight * swapped->alpha[s];
    for (size_t at = i; at < rows * swapped->repeats; at += rows)
      out[at] += simd->dot(known, own, factor + (size_t)swapped->donor[at] * known);
  }
}

void mk_swapped_polynomial(const mk_swapped *swapped, double weight, int degree, double scale,
                           double offset, double *out) {
  const mk_simd *simd = mk_simd_best();
  size_t known = swapped->known, rows = swapped->rows;
  double *power = swapped->work;
  for (size_t i = 0; i < rows; i++)
    for (size_t at = i; at < rows * swapped->repeats; at += rows) {
      const double *rest = swapped->rest + i * known,
                   *part = swapped->part + (size_t)swapped->donor[at] * known;
      for (size_t s = 0; s < known; s++) power[s] = rest[s] + part[s];
      simd->affine_power(known, power, scale, offset, degree, power);
      out[at] += weight * simd->dot(known, swapped->alpha, power);
    }
}
