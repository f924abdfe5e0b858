/* Products of kernels: k(x, z) is the product of the values of all kernels of a set, as defined.
 * A product is a function kernel of other sets. MATHEMATICS.md, section 4.1. */
#ifndef MK_KERNEL_PRODUCT_H
#define MK_KERNEL_PRODUCT_H

#include "kernel/set.h"

/* Is an mk_kernel_function; `parts` is an mk_kernel_set that is not normalised. Any number of
 * threads may call it at the same time, unless the set calls back. */
int mk_product_values(void *parts, const int *rows, size_t row_count, const int *cols,
                      size_t col_count, double *out);

/* Bounds the errors of values: *units is the roundings of a value, in units of *magnitude. */
mk_status mk_product_rounding(const mk_kernel_set *parts, double *units, double *magnitude);

#endif
