/* Samples whose features are mostly zero: nonzero entries by rows, in slices
 * of features so narrow that the columns they meet stay in the nearest cache.
 * An inner product then costs its nonzeros only. */
#ifndef MK_SLICES_H
#define MK_SLICES_H

#include "kernel/kernel.h"

#define MK_SLICE_DEPTH 96 /* features of a slice; their numbers fit a byte */

typedef struct mk_slices mk_slices;

/* *slices stays NULL where the view has too many nonzeros to be worth it. */
mk_status mk_slices_new(mk_slices **slices, const mk_view *view, int single);
void mk_slices_free(mk_slices *slices);
size_t mk_slices_bytes(const mk_slices *slices);

/* Squared norms of the samples, as they are. */
const double *mk_slices_square(const mk_slices *slices);

/* out[r * ld + c] = inner products, any number of rows and columns. `panels`
 * has room for 2 x MK_SLICE_DEPTH x MK_TILE_BYTES bytes. */
void mk_slices_products(const mk_slices *slices, const int *rows, size_t row_count,
                        const mk_columns *columns, mk_row out, size_t ld, void *panels);

#endif
