/* Samples of a dense view whose features are mostly zero (images, counts, indicators of levels):
 * nonzero entries by rows, in slices of features so narrow that the columns they meet stay in the
 * nearest cache. An inner product then costs its nonzeros only. Called by base-block.c. */
#ifndef MK_SLICES_H
#define MK_SLICES_H

#include "base/row.h"
#include "kernel/samples.h"
#include "kernel/view.h"

#define MK_SLICE_DEPTH 96 /* features of a slice; their numbers fit a byte */

typedef struct mk_slices mk_slices;

/* *slices stays NULL where the view has so many nonzeros that plain tiles are quicker. */
mk_status mk_slices_new(mk_slices **slices, const mk_view *view, int single);
void mk_slices_free(mk_slices *slices);
size_t mk_slices_bytes(const mk_slices *slices);

/* Squared norms of the samples, as they are. */
const double *mk_slices_square(const mk_slices *slices);

/* Work space. */
#define MK_SLICE_COLS 512
typedef struct mk_slice_room {
  void *panels; /* 2 x MK_SLICE_DEPTH x MK_TILE_BYTES bytes */
  void *block;  /* 2 x MK_SLICE_COLS x MK_TILE_BYTES bytes */
} mk_slice_room;

/* out[r * ld + c] = inner products, any number of rows and columns. */
void mk_slices_products(const mk_slices *slices, const int *rows, size_t row_count,
                        const mk_samples *others, mk_row out, size_t ld, mk_slice_room room);

#endif
