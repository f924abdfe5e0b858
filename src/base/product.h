/* Z D^-1 Z' at the speed of the tiles in simd.h, for systems of interior points and for values
 * between samples from their columns. Called by theta/, optimizer/interior-system.c,
 * normalize/alignment.c, rls/dictionary-values.c, kernel/geometry.c and rows/column-store.c. */
#ifndef MK_PRODUCT_H
#define MK_PRODUCT_H

#include "base/control.h"

#include <stddef.h>

/* Returns the number of doubles of work space for a Z with n rows. */
size_t mk_product_work(size_t n);

/* Adds Z D^-1 Z' to the lower triangle of c (and to some values above it). Z is n x count by rows,
 * D has `count` divisors (NULL: ones), c is n x n. The result does not depend on the number of
 * threads. */
void mk_product_add(size_t n, size_t count, const double *z, const double *divisor, double *work,
                    mk_team *team, double *c);

/* Copies the lower triangle of c (n x n) to the upper one. */
void mk_product_mirror(size_t n, double *c);

#endif
