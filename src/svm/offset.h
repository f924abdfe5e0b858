/* Offsets of hinge losses. */
#ifndef MK_OFFSET_H
#define MK_OFFSET_H

#include <stddef.h>

/* Finds the best offset for losses sum upper (g - b)+ - lower (b - g)+, a weighted quantile.
 * Returns the loss; `order` is scratch of n. */
double mk_best_offset(size_t n, const double *gradient, const double *lower, const double *upper,
                      int *order, double *offset);

#endif
