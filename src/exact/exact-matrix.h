/* Exact values of single kernels: matrices as users see them, and the largest of diagonals. */
#ifndef MK_EXACT_MATRIX_H
#define MK_EXACT_MATRIX_H

#include "base/control.h"
#include "kernel/set.h"

/* The largest k_m(i, i) of every kernel over all samples; function kernels are called, so main
 * thread only. */
mk_status mk_set_largest_diagonal(const mk_kernel_set *set, double *largest);

/* Values of one kernel, row_count x col_count by columns, normalised, on all threads. */
typedef struct mk_matrix_ask {
  const mk_kernel_set *set;
  size_t kernel;
  const int *rows, *cols;
  size_t row_count, col_count;
  double *out;
} mk_matrix_ask;
mk_status mk_exact_matrix(const mk_matrix_ask *ask, const mk_control *control);

#endif
