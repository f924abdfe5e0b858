/* Sums of kernel values over rows that take some columns from other rows, as when these columns are
 * permuted. */
#ifndef MK_SWAPPED_H
#define MK_SWAPPED_H

#include <stddef.h>

/* Squared distances, or inner products, between known samples and rows, as two sums over columns:
 * `rest` over the columns that stay, `part` over those that are swapped. */
typedef struct mk_swapped {
  size_t known, rows, repeats;
  const double *rest, *part; /* known x rows */
  const double *alpha;       /* known */
  const int *donor;          /* rows x repeats, from 0: the row whose columns each row takes */
  double *work;              /* known x (rows + 1) */
} mk_swapped;

/* out[i, r] += weight sum_s alpha_s exp(-rate (rest[s, i] + part[s, donor[i, r]])) */
void mk_swapped_gaussian(const mk_swapped *swapped, double weight, double rate, double *out);
/* out[i, r] += weight sum_s alpha_s (scale (rest[s, i] + part[s, donor[i, r]]) + offset)^degree */
void mk_swapped_polynomial(const mk_swapped *swapped, double weight, int degree, double scale,
                           double offset, double *out);

#endif
