/* Kernels of pairs of objects (edges), from kernel matrices K and L of the objects:
 *   k((a, b), (c, d)) = K_ac L_bd, or for unordered pairs of one set K_ac K_bd + K_ad K_bc.
 * The matrix over all pairs is never formed. MATHEMATICS.md, section 4.1. */
#ifndef MK_PAIR_KERNEL_H
#define MK_PAIR_KERNEL_H

#include "base/control.h"

typedef struct mk_pair_kernel {
  const int *first, *second; /* by sample: its objects, from 1; 0: none, the kernel is 0 */
  const double *K, *L;       /* symmetric matrices of the objects; L is NULL for unordered pairs */
  size_t K_size, L_size;     /* numbers of objects, equal for unordered pairs */
} mk_pair_kernel;

/* Is an mk_kernel_function; any number of threads may call it at the same time. */
int mk_pair_values(void *kernel, const int *rows, size_t row_count, const int *cols,
                   size_t col_count, double *out);
/* Is an mk_kernel_expansion: the sum over support vectors becomes K A L with a matrix A of
 * weights. */
mk_status mk_pair_expand(void *kernel, const int *support, size_t support_count,
                         const double *weight, const int *sample, size_t count,
                         const mk_control *control, double *out);
/* Returns the roundings of a term of mk_pair_expand(), in addition to one per support vector. */
double mk_pair_units(const mk_pair_kernel *kernel);

#endif
