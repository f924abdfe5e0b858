/* Kernel values by their plain definition: distances as sums of squared
 * differences of the caller's data, one exponential per value. For
 * kernel_matrix(), the means of centring and what expansion.h has no faster way
 * for; shares no code with the bases, tables and sums that optimisers use. */
#ifndef MK_EXACT_H
#define MK_EXACT_H

#include "kernel/kernel.h"

#define MK_EXACT_ROWS 192
#define MK_EXACT_COLS 256

typedef struct mk_exact mk_exact; /* a block of one family; one thread's work space */
mk_exact *mk_exact_new(const mk_kernel_set *set);
void mk_exact_free(mk_exact *exact);

/* Takes up the block rows x columns (at most the sizes above) of family f. */
mk_status mk_exact_block(mk_exact *exact, size_t f, const int *rows, size_t row_count,
                         const mk_columns *columns);
/* Values of kernel m (a member of that family) in row r of the block. */
void mk_exact_values(const mk_exact *exact, size_t m, size_t r, double *out); /* normalised */
/* k_m(i, i) as defined, n values; function kernels are called, with looks at the limits in between,
 * unless control is NULL. */
mk_status mk_exact_diagonal(const mk_kernel_set *set, size_t m, const mk_control *control,
                            double *out);

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
