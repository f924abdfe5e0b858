/* Squared distances and inner products of all pairs of samples, where a family keeps them. */
#ifndef MK_GEOMETRY_H
#define MK_GEOMETRY_H

#include "base/control.h"
#include "kernel/set.h"

/* All pairs of samples of a wide family, in double precision; see geometry.c. */
typedef struct mk_geometry {
  double *distance; /* n x n: squared distances */
  double *product;  /* n x n: inner products of samples less their mean; NULL: no kernel asks */
  double *square;   /* n: squared norms of these */
  double *shift;    /* n: x'z = product + shift of x + shift of z */
  int serve_linear; /* 0: the mean is so far from 0 that linear kernels would lose digits */
} mk_geometry;

/* Below this share of |x|^2 + |z|^2 a distance is summed up from differences. */
#define MK_NEAR_SHARE 1e-3

/* Makes the geometry of wide families when first asked for, on the thread that called the core.
 * Whoever is to visit most pairs of samples asks; from then on all read it. */
mk_status mk_geometry_need(const mk_kernel_set *set, const mk_control *control);
/* For sets that many fits read: distances and products of all pairs, as far as so many bytes go. */
mk_status mk_set_keep_pairs(const mk_kernel_set *set, size_t bytes, const mk_control *control);
/* Reads the pairs that another set of the same samples has in place of its own; how many families
 * do. The other set must then outlive this one. */
size_t mk_set_borrow_pairs(mk_kernel_set *set, const mk_kernel_set *from);

/* Squared distances between `count` samples of a dense view, whose columns are divided by `scale`
 * (NULL: by nothing); count x count. */
mk_status mk_view_distances(const mk_view *view, const int *row, size_t count, const double *scale,
                            const mk_control *control, double *out);

/* The same from the pairs that kernel m's family keeps for everybody, if it does. */
mk_status mk_kept_distances(const mk_kernel_set *set, size_t m, const int *row, size_t count,
                            const mk_control *control, double *out, int *kept);

#endif
