/* Entry point for kernels of pairs: a handle of a function kernel, from which sets are made. Called
 * by R/set.R. MATHEMATICS.md, section 4.1. */
#include "matrix/pair-kernel.h"
#include "rglue/arguments.h"
#include "rglue/keep.h"
#include "rglue/kernels.h"
#include "rglue/results.h"

#define MOST_SUMS ((double)(1 << 25)) /* values of the sums' matrix, 256 MB */

typedef struct pair_handle {
  mk_function_handle base; /* first, since users of the handle read this part only */
  mk_pair_kernel kernel;
} pair_handle;

static void clear_handle(void *data) {
  (void)data; /* R holds all that the kernel reads */
}

static const double *parse_matrix(SEXP owner, SEXP x, const char *name, size_t *size) {
  if (!Rf_isReal(x) || !Rf_isMatrix(x) || Rf_nrows(x) != Rf_ncols(x) || Rf_nrows(x) == 0)
    Rf_error("`%s` must be a square double matrix", name);
  *size = (size_t)Rf_nrows(x);
  return mk_arg_doubles(mk_keep(owner, x), name, -1);
}

/* Makes a kernel of pairs. `first` and `second` are integers by sample, from 1 (0: no object); L is
 * NULL for unordered pairs. */
SEXP mk_r_pairs(SEXP first, SEXP second, SEXP K, SEXP L) {
  SEXP pointer = PROTECT(mk_own(sizeof(pair_handle), clear_handle, mk_function_tag(), R_NilValue));
  pair_handle *handle = mk_owned(pointer);
  mk_pair_kernel *kernel = &handle->kernel;
  kernel->K = parse_matrix(pointer, K, "K", &kernel->K_size);
  kernel->L_size = kernel->K_size;
  if (L != R_NilValue) kernel->L = parse_matrix(pointer, L, "L", &kernel->L_size);
  kernel->first = mk_arg_ints(mk_keep(pointer, first), "first", -1, 0, (int)kernel->K_size);
  kernel->second =
      mk_arg_ints(mk_keep(pointer, second), "second", XLENGTH(first), 0, (int)kernel->L_size);
  handle->base.samples = (size_t)XLENGTH(first);
  handle->base.spec = (mk_kernel_spec){
      .type = MK_FUNCTION, .function = mk_pair_values, .function_data = kernel, .thread_safe = 1};
  if ((double)kernel->K_size * (double)kernel->L_size <= MOST_SUMS) {
    handle->base.spec.expand = mk_pair_expand;
    handle->base.spec.expand_units = mk_pair_units(kernel);
  }
  UNPROTECT(1);
  return pointer;
}
