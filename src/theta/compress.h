/* Fewer rows with the same inner products of columns. */
#ifndef MK_THETA_COMPRESS_H
#define MK_THETA_COMPRESS_H

#include "base/status.h"

#include <stddef.h>

/* z (*rows x columns, by rows) becomes R with R'R = Z'Z and fewer rows, up to
 * 1e-12 of each column's square, when half as many as rows and columns allow
 * for are enough; else it stays. */
mk_status mk_theta_compress(double *z, size_t *rows, size_t columns);

#endif
