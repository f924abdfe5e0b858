/* The ends of a kernel matrix's spectrum. */
#ifndef MK_SPECTRUM_H
#define MK_SPECTRUM_H

#include "base/control.h"

/* Smallest and largest eigenvalue of a symmetric matrix, by Lanczos with full
 * reorthogonalisation: exact for small n, for large n close where they lie apart
 * from the rest. Never below the true smallest. */
mk_status mk_extreme_eigenvalues(const double *matrix, size_t n, const mk_control *control,
                                 double *smallest, double *largest);

#endif
