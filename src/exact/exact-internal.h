/* Centring of exact values, and squared norms of samples, for files of this room. */
#ifndef MK_EXACT_INTERNAL_H
#define MK_EXACT_INTERNAL_H

#include "kernel/structure.h"

/* Centres values between `row` and cols and multiplies them by their roots, without the scale. */
void mk_plain_centre(const mk_member *member, int row, size_t count, const int *cols, double *out);
/* Computes x_i'x_i over the family's features. */
void mk_plain_squares(const mk_family *family, double *out);

#endif
