/* Samples against points that are given as they are (anchors): squared distances as sums of squared
 * differences, tile by tile. Sparse views are spread out row by row. */
#ifndef MK_POINTS_H
#define MK_POINTS_H

#include "base/control.h"
#include "kernel/view.h"

/* Some features of some samples. */
typedef struct mk_sample_block {
  const mk_view *view;
  const int *features; /* NULL: all */
  size_t depth;        /* how many features */
  const int *samples;  /* NULL: 0, 1, ... */
  size_t count;
} mk_sample_block;

/* Values of samples from..from + height of the block, `width` >= height side by side: out[k * width
 * + r], zero beyond. */
void mk_block_pack(const mk_sample_block *block, size_t from, size_t height, size_t width,
                   double *out);
/* The same of `height` points of `depth` values each. */
void mk_points_pack(const double *const *point, size_t height, size_t depth, size_t width,
                    double *out);

/* out (depth): the median by feature of up to MK_MIDDLE points, evenly spaced among all (`point`:
 * one after the other): near most of them, wherever a few are. To take sums from: locally linear
 * kernels don't mind where the origin is, but rounding does. */
#define MK_MIDDLE 31
void mk_points_middle(const double *point, size_t count, size_t depth, double *out);

/* out[r * ld + c] = squared distance of the block's r-th sample from the c-th point; ld >= count
 * padded to MK_TILE_COLS. */
mk_status mk_point_distances(const mk_sample_block *block, const double *const *point, size_t count,
                             mk_team *team, double *out, size_t ld);

#endif
