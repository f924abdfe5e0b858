/* Replaces the rows of Z, each a value for every kernel, by fewer with the same Z'Z. */
#ifndef MK_THETA_COMPRESS_H
#define MK_THETA_COMPRESS_H

#include "base/status.h"

#include <stddef.h>

/* Replaces z (*rows x kernels, by rows) by R with fewer rows and R'R = Z'Z, up to 1e-12 of each
 * kernel's square, if min(*rows, kernels) / 2 rows are enough. Otherwise z is unchanged. */
mk_status mk_theta_compress(double *z, size_t *rows, size_t kernels);

#endif
