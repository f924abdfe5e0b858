/* Squared distances between samples and given points (anchors), as sums of squared differences,
 * tile by tile. Sparse views are filled up row by row. */
#ifndef MK_POINTS_H
#define MK_POINTS_H

#include "base/control.h"
#include "kernel/view.h"

/* Some features of some samples. */
typedef struct mk_sample_block {
  const mk_view *view;
  const int *features; /* NULL: all features */
  size_t depth;        /* number of features */
  const int *samples;  /* NULL: samples 0, 1, ... */
  size_t count;
} mk_sample_block;

/* Packs samples from .. from + height of the block, `width` >= height side by side: out[k * width +
 * r] is feature k, 0 beyond `height`. */
void mk_block_pack(const mk_sample_block *block, size_t from, size_t height, size_t width,
                   double *out);
/* Packs `height` points of `depth` values as mk_block_pack() packs samples. */
void mk_points_pack(const double *const *point, size_t height, size_t depth, size_t width,
                    double *out);

/* Computes the median of each feature over up to MK_MIDDLE points, evenly spaced among all (`point`
 * holds one after another). The median is near most points even if a few are far away. Sums use it
 * as origin, on which rounding errors of locally linear kernels depend, but not their values. */
#define MK_MIDDLE 31
void mk_points_middle(const double *point, size_t count, size_t depth, double *out);

/* Computes out[r * ld + c], the squared distance of the block's sample r from point c. ld must be
 * at least count, padded to MK_TILE_COLS. */
mk_status mk_point_distances(const mk_sample_block *block, const double *const *point, size_t count,
                             mk_team *team, double *out, size_t ld);

#endif
