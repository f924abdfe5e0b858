/* Facts about a matrix before it becomes a kernel: from one pass over its values on all threads,
 * and from a look at its spectrum with bounded effort. */
#ifndef MK_INSPECT_H
#define MK_INSPECT_H

#include "base/control.h"

typedef struct mk_matrix_facts {
  /* largest absolute value on or below the diagonal; NaN if a value is not finite */
  double largest;
  double asymmetry; /* largest |k_ij - k_ji| */
  double smallest;  /* an upper bound of the smallest eigenvalue, up to rounding */
} mk_matrix_facts;

/* Finds the facts of `count` matrices of size n. The smallest eigenvalue is estimated from all 2 x
 * 2 principal minors and from Lanczos steps on the whole matrix, or on the largest principal
 * submatrix that is affordable, whose rows are spread over all rows. */
mk_status mk_inspect(const double *const *matrix, size_t n, size_t count, const mk_control *control,
                     mk_matrix_facts *facts);

#endif
