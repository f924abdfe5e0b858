/* Squared distances and inner products of all pairs of samples, for families that keep them. */
#ifndef MK_GEOMETRY_H
#define MK_GEOMETRY_H

#include "base/control.h"
#include "kernel/set.h"

/* All pairs of samples of a wide family, in double precision; see geometry.c. */
typedef struct mk_geometry {
  double *distance; /* n x n: squared distances */
  double *product;  /* n x n: inner products of centred samples; NULL: no kernel needs them */
  double *square;   /* n: squared norms of centred samples */
  double *shift;    /* n: x'z = product + shift of x + shift of z */
  int serve_linear; /* 0 if the mean is so far from 0 that linear kernels would lose digits */
} mk_geometry;

/* Distances below this share of |x|^2 + |z|^2 are summed from squared differences. */
#define MK_NEAR_SHARE 1e-3

/* Makes the geometry of wide families on the first call, which must come from the thread that
 * called the core. Code that is about to visit most pairs of samples calls this function; then all
 * code uses the geometry. */
mk_status mk_geometry_need(const mk_kernel_set *set, const mk_control *control);
/* Computes distances and products of all pairs for sets that many fits read, as far as so many
 * bytes allow. */
mk_status mk_set_keep_pairs(const mk_kernel_set *set, size_t bytes, const mk_control *control);
/* Makes families use the pairs of another set with the same samples and returns their number.
 * `from` must outlive the set. */
size_t mk_set_borrow_pairs(mk_kernel_set *set, const mk_kernel_set *from);

/* Computes squared distances (count x count) between `count` samples of a dense view whose columns
 * are divided by `scale` (NULL: not divided). */
mk_status mk_view_distances(const mk_view *view, const int *row, size_t count, const double *scale,
                            const mk_control *control, double *out);

/* Copies squared distances that kernel m's family keeps; *kept is 0 if it keeps none. */
mk_status mk_kept_distances(const mk_kernel_set *set, size_t m, const int *row, size_t count,
                            const mk_control *control, double *out, int *kept);

struct mk_family;
void mk_geometry_free(struct mk_family *family);
size_t mk_geometry_bytes(const struct mk_family *family);

#endif
