/* Weighted degree kernels (MATHEMATICS.md, section 4.1): matches of d-mers, d = 1 .. degree, at the
 * same position of two sequences or up to `shift` positions apart,
 *   k(x, z) = sum_s delta_s sum_l w_l sum_d beta_d ([x_{l+s..} = z_{l..}] + [x_{l..} = z_{l+s..}]),
 * where s = 0 counts once. Unknown letters match nothing; sequences may differ in length. With all
 * shifts and a single d this is the spectrum kernel weighted by distance. */
#ifndef MK_WEIGHTED_DEGREE_H
#define MK_WEIGHTED_DEGREE_H

#include "base/status.h"
#include "string/sequences.h"

typedef struct mk_degree_spec {
  int degree, shift;
  int mismatches;                /* largest number of letters in which matching d-mers may differ */
  const double *weight;          /* (mismatches + 1) x degree: beta_d of d-mers with m of them */
  const double *shift_weight;    /* shift + 1: delta_s */
  const double *position_weight; /* w_l by position, as many as the longest sequence; NULL: 1 */
} mk_degree_spec;

typedef struct mk_weighted_degree mk_weighted_degree;

/* The sequences must outlive the kernel; the spec need not. The caller frees the kernel, even if it
 * is half-built. */
mk_status mk_weighted_degree_new(mk_weighted_degree **kernel, const mk_sequences *sequences,
                                 const mk_degree_spec *spec);
void mk_weighted_degree_free(mk_weighted_degree *kernel);

/* Is an mk_kernel_function over the sequences; any number of threads may call it at the same
 * time. */
int mk_weighted_degree_values(void *kernel, const int *rows, size_t row_count, const int *cols,
                              size_t col_count, double *out);

#endif
