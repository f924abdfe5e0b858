/* Sums v = sum_j alpha_j h(x_j) (x_j - c) for the kernels of anchors. */
#ifndef MK_ANCHOR_SUMS_H
#define MK_ANCHOR_SUMS_H

#include "sequential/anchors.h"

/* Computes the strengths of a scan and v (out: count x cols by rows). For one task, v is the
 * model's. Either result may be NULL. */
mk_status mk_anchors_sum(const mk_anchors *anchors, const mk_scan *scan, const mk_control *control,
                         double *out);
/* Computes v of some kernels for one task's alpha. */
mk_status mk_anchors_vectors(const mk_anchors *anchors, const size_t *which, size_t count,
                             const double *alpha, const mk_control *control, double *out);

#endif
