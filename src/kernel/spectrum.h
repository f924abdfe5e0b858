/* The ends of a kernel matrix's spectrum. */
#ifndef MK_SPECTRUM_H
#define MK_SPECTRUM_H

#include "base/control.h"

/* Smallest and largest eigenvalue of a symmetric matrix, by Lanczos with full
 * reorthogonalisation: exact for small n; for large n the smallest is an upper
 * bound that is close when it lies apart. `stride` > 1 looks at every
 * stride-th sample only (their eigenvalues interlace the whole's). */
mk_status mk_extreme_eigenvalues(const double *matrix, size_t n, size_t stride,
                                 const mk_control *control, double *smallest, double *largest);

#endif
