/* Z D^-1 Z' at the speed of the tiles in simd.h: what interior points add to
 * their systems. Called by theta/, optimizer/interior-step.c, normalize/alignment.c and
 * kernel/geometry.c. */
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

#endif
