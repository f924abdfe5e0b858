/* The one door to BLAS and LAPACK. With R, its headers declare them; the C
 * tests build without R and declare the few that are used. */
#ifndef MK_BLAS_H
#define MK_BLAS_H

#ifdef MK_NO_R
#define F77_CALL(name) name##_
#define FCONE
void dsterf_(const int *n, double *d, double *e, int *info);
void dsyrk_(const char *triangle, const char *transposed, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *beta, double *c,
            const int *ldc);
#else
#define USE_FC_LEN_T
#include <Rconfig.h>
#include <R_ext/BLAS.h>
#include <R_ext/Lapack.h>
#ifndef FCONE
#define FCONE
#endif
#endif

#endif
