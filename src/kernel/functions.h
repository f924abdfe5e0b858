/* Values of users' functions, and memory for them. */
#ifndef MK_FUNCTIONS_H
#define MK_FUNCTIONS_H

#include "base/control.h"
#include "kernel/set.h"

/* The rows and columns of a block of values. */
typedef struct mk_block {
  const int *rows, *cols;
  size_t row_count, col_count;
} mk_block;

/* Computes values of function m, column by column. */
mk_status mk_function_values(const mk_kernel_set *set, size_t m, const mk_block *block,
                             double *out);
/* Computes the diagonal of function m, or of all functions of a set, unless it is known. control is
 * NULL for callers that cannot stop at a limit. */
mk_status mk_function_diagonal(const mk_kernel_set *set, size_t m, const mk_control *control);
mk_status mk_function_diagonals(const mk_kernel_set *set);

/* Allocates memory for the values of all functions that must be called one at a time, if it takes
 * at most so many bytes. Each value is then computed once. */
mk_status mk_set_keep_values(mk_kernel_set *set, size_t bytes);
/* memory of these values, a part of mk_set_bytes() */
size_t mk_set_value_bytes(const mk_kernel_set *set);

#endif
