/* Exact values of single kernels by definition, before normalisation, and centring by itself. */
#ifndef MK_PLAIN_VALUES_H
#define MK_PLAIN_VALUES_H

#include "kernel/samples.h"
#include "kernel/structure.h"

/* k_m from squared distances, inner products or both (a function's values, if it is one) of a
 * sample and others. */
void mk_pair_values(const mk_kernel_set *set, size_t m, int row, const mk_columns *columns,
                    const double *distance, const double *product, double *out);
/* Centres values between `row` and cols and divides them by their roots; no scale. */
void mk_plain_centre(const mk_member *member, int row, size_t count, const int *cols, double *out);
/* x_i'x_i over the family's features. */
void mk_plain_squares(const mk_family *family, double *out);

#endif
