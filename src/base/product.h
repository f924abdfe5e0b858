/* Z D^-1 Z' at the speed of the tiles in simd.h: what interior points add to their systems, and
 * values between samples from their columns. Called by theta/, optimizer/interior-system.c,
 * normalize/alignment.c, rls/dictionary-values.c, kernel/geometry.c and rows/column-store.c. */
#ifndef MK_PRODUCT_H
#define MK_PRODUCT_H

#include "base/control.h"

#include <stddef.h>

/* Doubles of work space for a Z of n rows. */
size_t mk_product_work(size_t n);

/* c += Z D^-1 Z', its lower triangle and a little more: Z is n x count by rows,
 * D its `count` divisors (NULL: ones), c n x n. The same for any number of threads. */
void mk_product_add(size_t n, size_t count, const double *z, const double *divisor, double *work,
                    mk_team *team, double *c);

/* The upper triangle of c (n x n) from its lower one. */
void mk_product_mirror(size_t n, double *c);

#endif
