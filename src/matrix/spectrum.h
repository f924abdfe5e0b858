/* The ends of a kernel matrix's spectrum. */
#ifndef MK_SPECTRUM_H
#define MK_SPECTRUM_H

#include "base/control.h"

/* Computes the smallest and the largest eigenvalue of a symmetric matrix by Lanczos with full
 * reorthogonalisation: exactly for small n; for large n closely if they are separate from the rest.
 * The result is never below the true smallest eigenvalue. */
mk_status mk_extreme_eigenvalues(const double *matrix, size_t n, const mk_control *control,
                                 double *smallest, double *largest);

#endif
