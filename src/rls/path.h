/* Values of the functions along a path of kernels, from the kernels' plain definition
 * (exact/exact.h). With kernels m_1, m_2, ... and coefficients A_b of block b, the sum of the first
 * last_b kernels,
 *   F_b = (K_{m_1} + ... + K_{m_last_b}) A_b.
 * The values serve certificates, errors along a path, and predictions. They share no values, bases
 * or factors with the pursuit. */
#ifndef MK_PATH_H
#define MK_PATH_H

#include "base/control.h"
#include "kernel/set.h"

typedef struct mk_path_values {
  const mk_kernel_set *set;
  size_t known;      /* number of first samples from which the normalisation's constants come */
  const int *kernel; /* `count` different kernels */
  size_t count;
  const size_t *last; /* by block: number of kernels in its sum, at least 1, not decreasing */
  size_t blocks, tasks;
  const int *from; /* samples that carry coefficients */
  size_t from_count;
  const double *alpha; /* from_count x tasks x blocks */
  const int *row;      /* samples whose values are asked for */
  size_t row_count;
  double *out; /* row_count x tasks x blocks, overwritten */
} mk_path_values;

mk_status mk_path_evaluate(const mk_path_values *path, const mk_control *control);

#endif
