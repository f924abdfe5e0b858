/* Kernel values by their plain definition: distances as sums of squared
 * differences of the caller's data, one exponential per value. For
 * kernel_matrix(), the means of centring and what expansion.h has no faster way
 * for; shares no code with the bases, tables and sums that optimisers use. */
#ifndef MK_EXACT_H
#define MK_EXACT_H

#include "kernel/samples.h"
#include "kernel/set.h"

#define MK_EXACT_ROWS 192
#define MK_EXACT_COLS 256
#define MK_EXACT_DEPTH 192 /* features packed at a time */

typedef struct mk_exact mk_exact; /* a block of one family; one thread's work space */
mk_exact *mk_exact_new(const mk_kernel_set *set);
void mk_exact_free(mk_exact *exact);

/* Takes up the block rows x columns (at most the sizes above) of family f. */
mk_status mk_exact_block(mk_exact *exact, size_t f, const int *rows, size_t row_count,
                         const mk_samples *others);
/* Values of kernel m (a member of that family) in row r of the block. */
void mk_exact_values(const mk_exact *exact, size_t m, size_t r, double *out); /* normalised */
/* k_m(i, i) as defined, n values; function kernels are called, with looks at the limits in between,
 * unless control is NULL. */
mk_status mk_exact_diagonal(const mk_kernel_set *set, size_t m, const mk_control *control,
                            double *out);

/* The largest absolute value of a function kernel so far. */
double mk_exact_largest(const mk_exact *exact);
/* The largest |x|^2 + |z|^2 that distances of sparse samples came from. */
double mk_exact_reach(const mk_exact *exact);
/* What the values of a block come from, row by row MK_EXACT_COLS apart. */
const double *mk_exact_distances(const mk_exact *exact);
const double *mk_exact_products(const mk_exact *exact);

#endif
