/* Kernel values by their plain definition: distances as sums of squared differences of the caller's
 * data, one exponential per value. These values serve kernel_matrix(), the means of centring, and
 * expansions that have no faster way. The bases, tables and sums of optimisers are not used. */
#ifndef MK_EXACT_H
#define MK_EXACT_H

#include "kernel/samples.h"
#include "kernel/set.h"

#define MK_EXACT_ROWS 192
#define MK_EXACT_COLS 256
#define MK_EXACT_DEPTH 192 /* features packed at a time */

typedef struct mk_exact mk_exact; /* work space of one thread, with a block of one family */
mk_exact *mk_exact_new(const mk_kernel_set *set);
void mk_exact_free(mk_exact *exact);

/* Evaluates the pairs of rows x columns (at most the sizes above) for family f. */
mk_status mk_exact_block(mk_exact *exact, size_t f, const int *rows, size_t row_count,
                         const mk_samples *others);
/* Writes the normalised values of kernel m, a member of the block's family, in row r. */
void mk_exact_values(const mk_exact *exact, size_t m, size_t r, double *out);
/* Computes k_m(i, i) as defined, n values. Function kernels are called, with checks of the limits
 * in between unless control is NULL. */
mk_status mk_exact_diagonal(const mk_kernel_set *set, size_t m, const mk_control *control,
                            double *out);

/* Returns the largest absolute value of a function kernel so far. */
double mk_exact_largest(const mk_exact *exact);
/* Returns the largest |x|^2 + |z|^2 of sparse samples whose distance was computed so far. */
double mk_exact_reach(const mk_exact *exact);
/* Distances and products of the block's pairs; rows are MK_EXACT_COLS apart. */
const double *mk_exact_distances(const mk_exact *exact);
const double *mk_exact_products(const mk_exact *exact);

#endif
