/* Values of users' functions, and memory of these. */
#ifndef MK_FUNCTIONS_H
#define MK_FUNCTIONS_H

#include "base/control.h"
#include "kernel/set.h"

/* Samples of a block of values. */
typedef struct mk_block {
  const int *rows, *cols;
  size_t row_count, col_count;
} mk_block;

/* Values of function m, column by column. */
mk_status mk_function_values(const mk_kernel_set *set, size_t m, const mk_block *block,
                             double *out);
/* The diagonal of function m, or of all functions of a set, is known afterwards. control: NULL for
 * callers without a fit to return at a limit. */
mk_status mk_function_diagonal(const mk_kernel_set *set, size_t m, const mk_control *control);
mk_status mk_function_diagonals(const mk_kernel_set *set);

/* Values of functions that have to be called one after the other, if those of all go into so many
 * bytes: each is asked for once. */
mk_status mk_set_keep_values(mk_kernel_set *set, size_t bytes);
size_t mk_set_value_bytes(const mk_kernel_set *set); /* of these, part of mk_set_bytes() */

#endif
