/* What there is to say about a matrix before it is taken for a kernel: one
 * pass over its values on all threads, and a look at its spectrum whose effort
 * is bounded. */
#ifndef MK_INSPECT_H
#define MK_INSPECT_H

#include "base/control.h"

typedef struct mk_matrix_facts {
  double largest;   /* of absolute values, one of each pair; NaN where a value is not finite */
  double asymmetry; /* largest |k_ij - k_ji| */
  double smallest;  /* never below the smallest eigenvalue, but for rounding */
} mk_matrix_facts;

/* Facts of `count` matrices of size n. The smallest eigenvalue is looked for in
 * all 2 x 2 principal minors and, by Lanczos steps, in the whole matrix or the
 * largest principal submatrix that is affordable, whose rows are spread over
 * all of them. */
mk_status mk_inspect(const double *const *matrix, size_t n, size_t count, const mk_control *control,
                     mk_matrix_facts *facts);

#endif
