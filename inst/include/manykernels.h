/* Kernels and fits in C for the R package manykernels.
 *
 * A package that has a kernel of its own writes
 *   DESCRIPTION:  Imports: manykernels     LinkingTo: manykernels
 *   NAMESPACE:    importFrom(manykernels, native_kernel)
 * includes this header, makes a pointer to its kernel by manykernels_kernel_pointer(), and hands it
 * to native_kernel() in R. The kernel then does all that others do: fits, certificates, predictions,
 * cross-validation. A package that has kernels over its own objects and needs no R between them and a
 * fit calls manykernels_fit(). The vignette "For package authors" tells the rest, and
 * system.file("example-package", package = "manykernels") is a complete package.
 *
 * Compatibility: what stands here stays. Later versions of manykernels take kernels that were
 * compiled with this header; MANYKERNELS_ABI grows when something is added. */
#ifndef MANYKERNELS_H
#define MANYKERNELS_H

#include <stddef.h>

#include <Rinternals.h>
#include <R_ext/Rdynload.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MANYKERNELS_ABI 2

/* ---- kernels for native_kernel() ---- */

/* A block of kernel values: out[r + c * x_count] = k(x[r], z[c]). x[r] and z[c] point to the `depth`
 * values of a sample, in the order of the columns that the kernel reads. Values of a pair of samples
 * must depend on these two alone, and k(x, z) and k(z, x) must be the same. Returns 0; any other number
 * ends the computation in an R error. */
typedef int (*manykernels_values)(void *data, size_t depth, const double *const *x, size_t x_count,
                                  const double *const *z, size_t z_count, double *out);

typedef struct manykernels_kernel {
  int abi; /* MANYKERNELS_ABI */
  /* 1: several threads may call `values` at the same time; it then must not call R, nor write to
   * what they share. 0: R's own thread alone calls it, and it may call R, whose errors are passed
   * on. */
  int thread_safe;
  manykernels_values values;
  void *data;                  /* handed to `values` */
  void (*destroy)(void *data); /* called once, when R needs the kernel no more; may be NULL */
} manykernels_kernel;

/* What the installed manykernels has: at least MANYKERNELS_ABI, or its kernels can't be made. */
static inline int manykernels_abi(void) {
  return ((int (*)(void))R_GetCCallable("manykernels", "manykernels_abi"))();
}

/* An external pointer for native_kernel(). *kernel is copied; from then on `data` belongs to the
 * pointer, which also keeps the R object `kept` from being collected (R_NilValue: none). */
static inline SEXP manykernels_kernel_pointer(const manykernels_kernel *kernel, SEXP kept) {
  typedef SEXP (*maker)(const manykernels_kernel *, SEXP);
  return ((maker)R_GetCCallable("manykernels", "manykernels_kernel_pointer"))(kernel, kept);
}

/* ---- fits, since interface 2 ----
 * Call both functions on R's own thread, from a .Call. They end in an R error for a problem that is
 * none, for providers that fail and when the user interrupts: memory of the caller that R doesn't own
 * then leaks. */

/* A block of kernel values between samples, by their numbers from 0:
 * out[r + c * row_count] = k(rows[r], cols[c]). Values and the number returned are as above. */
typedef int (*manykernels_rows)(void *data, const int *rows, size_t row_count, const int *cols,
                                size_t col_count, double *out);

typedef struct manykernels_provider {
  int thread_safe; /* as above */
  manykernels_rows rows;
  void *data; /* handed to `rows`, and the caller's as before */
} manykernels_provider;

typedef enum manykernels_loss {
  MANYKERNELS_HINGE = 0,
  MANYKERNELS_SQUARED_HINGE,
  MANYKERNELS_LOGISTIC,
  MANYKERNELS_SQUARED,
  MANYKERNELS_EPSILON_INSENSITIVE,
  MANYKERNELS_HUBER,
  MANYKERNELS_ONE_CLASS
} manykernels_loss;

/* The problem of mkl(), with kernels as they are: nothing centres or normalises them, and nobody
 * checks that they are symmetric and positive semidefinite. */
typedef struct manykernels_problem {
  int abi; /* MANYKERNELS_ABI */
  size_t samples, kernels;
  const manykernels_provider *provider; /* kernels */
  const double *y;    /* samples: 1 or -1 for classes, 1 for one class, any number in regression */
  const double *cost; /* samples: C, times the sample's weight; 0 leaves a sample out */
  manykernels_loss loss;
  double parameter; /* epsilon, or Huber's delta */
  double p;         /* the norm of theta, from 1 to infinity */
  double tol;       /* relative duality gap to reach; 0: 1e-3 */
  double max_time;  /* seconds; 0: no limit */
  size_t cache;     /* bytes for kernel rows; 0: 4 GB */
  int threads;      /* 0: all that the system allows */
} manykernels_problem;

/* f(x) = sum over m of theta[m] (sum over i of alpha[i] k_m(i, x)) + offset. */
typedef struct manykernels_solution {
  double *theta; /* kernels; the caller's memory, as is ... */
  double *alpha; /* ... samples: signed, 0 off the support */
  double offset; /* 0 for one class */
  double objective, primal, gap; /* dual, primal, and how far they are apart relative to the latter */
  int converged; /* 1: the gap is at most tol; 0: time was up, or double precision allows no more */
} manykernels_solution;

static inline void manykernels_fit(const manykernels_problem *problem,
                                   manykernels_solution *solution) {
  typedef void (*fitter)(const manykernels_problem *, manykernels_solution *);
  ((fitter)R_GetCCallable("manykernels", "manykernels_fit"))(problem, solution);
}

/* out[i] = f of sample problem->samples + i, for `count` new samples: the providers answer for their
 * numbers, too. */
static inline void manykernels_predict(const manykernels_problem *problem,
                                       const manykernels_solution *solution, size_t count,
                                       double *out) {
  typedef void (*predictor)(const manykernels_problem *, const manykernels_solution *, size_t,
                            double *);
  ((predictor)R_GetCCallable("manykernels", "manykernels_predict"))(problem, solution, count, out);
}

#ifdef __cplusplus
}
#endif

#endif
