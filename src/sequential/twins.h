/* Kernels that a dictionary has more than once. */
#ifndef MK_TWINS_H
#define MK_TWINS_H

#include "sequential/stream.h"

/* 1: strengths of the same kernel but for rounding; a >= b. */
static inline int mk_as_strong(double a, double b) {
  return a - b <= 1e-13 * b;
}

/* Puts kernels into the order of falling strength and leaves one of those that are the same: that
 * is, as strong for `alpha` (n x tasks) and as strong for another one that has none of its
 * symmetries. */
mk_status mk_part_twins(const mk_stream *stream, const double *alpha, size_t tasks,
                        const mk_control *control, size_t *kernel, double *strength, size_t *count);

#endif
