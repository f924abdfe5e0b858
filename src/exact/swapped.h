/* Sums of kernel values of rows that take some of their columns from other rows,
 * as when these columns are permuted. */
#ifndef MK_SWAPPED_H
#define MK_SWAPPED_H

#include <stddef.h>

/* Squared distances, or inner products, of known samples and rows are sums over columns: `rest` is what
 * the columns add that stay, `part` what those add that are swapped. */
typedef struct mk_swapped {
  size_t known, rows, repeats;
  const double *rest, *part; /* known x rows */
  const double *alpha;       /* known */
  const int *donor;          /* rows x repeats, from 0: the row whose columns a row takes */
  double *work;              /* known x (rows + 1) */
} mk_swapped;

/* out[i, r] += weight sum_s alpha_s exp(-rate (rest[s, i] + part[s, donor[i, r]])) */
void mk_swapped_gaussian(const mk_swapped *swapped, double weight, double rate, double *out);
/* out[i, r] += weight sum_s alpha_s (scale (rest[s, i] + part[s, donor[i, r]]) + offset)^degree */
void mk_swapped_polynomial(const mk_swapped *swapped, double weight, int degree, double scale,
                           double offset, double *out);

#endif
