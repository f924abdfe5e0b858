/* Exact values of single kernels: blocks of their matrices, and their largest diagonal values. */
#ifndef MK_EXACT_MATRIX_H
#define MK_EXACT_MATRIX_H

#include "base/control.h"
#include "kernel/set.h"

/* Computes the largest k_m(i, i) over all samples for every kernel. Function kernels are called, so
 * only the thread that called the core may do this. */
mk_status mk_set_largest_diagonal(const mk_kernel_set *set, double *largest);

/* A request for values of one kernel, row_count x col_count by columns, normalised. */
typedef struct mk_matrix_ask {
  const mk_kernel_set *set;
  size_t kernel;
  const int *rows, *cols;
  size_t row_count, col_count;
  double *out;
} mk_matrix_ask;
mk_status mk_exact_matrix(const mk_matrix_ask *ask, const mk_control *control);

#endif
