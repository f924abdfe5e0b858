/* The one door to BLAS and LAPACK. With R, its headers declare them; the C
 * tests build without R and declare the few that are used. */
#ifndef MK_BLAS_H
#define MK_BLAS_H

#ifdef MK_NO_R
#include <stddef.h>
#define FCONE , (size_t)1
#define F77_CALL(name) name##_
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda,
             double *b, const int *ldb, int *info, size_t);
void dtrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
            const int *n, const double *alpha, const double *a, const int *lda, double *b,
            const int *ldb, size_t, size_t, size_t, size_t);
void dsterf_(const int *n, double *d, double *e, int *info);
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *beta, double *c, const int *ldc, size_t,
            size_t);
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
