/* Kernels in C for the R package manykernels.
 *
 * A package that has a kernel of its own writes
 *   DESCRIPTION:  Imports: manykernels     LinkingTo: manykernels
 *   NAMESPACE:    importFrom(manykernels, native_kernel)
 * includes this header, makes a pointer to its kernel by manykernels_kernel_pointer(), and hands it
 * to native_kernel() in R. The kernel then does all that others do: fits, certificates, predictions,
 * cross-validation. The vignette "For package authors" tells the rest, and
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

#define MANYKERNELS_ABI 1

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

#ifdef __cplusplus
}
#endif

#endif
