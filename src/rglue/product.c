/* Entry point for products of kernels: a handle of a function kernel, from which sets are made.
 * Called by R/set.R. MATHEMATICS.md, section 4.1. */
#include "exact/kernel-product.h"
#include "rglue/call.h"
#include "rglue/kernels.h"
#include "rglue/results.h"

static void clear_handle(void *data) {
  (void)data; /* R holds the set */
}

static mk_status bound_rounding(void *data) {
  mk_kernel_spec *spec = data;
  return mk_product_rounding(spec->function_data, &spec->value_units, &spec->magnitude);
}

/* Makes the product of the kernels in `set`. */
SEXP mk_r_product(SEXP set) {
  mk_kernel_set *parts = mk_arg_set(set);
  SEXP pointer = PROTECT(mk_own(sizeof(mk_function_handle), clear_handle, mk_function_tag(), set));
  mk_function_handle *handle = mk_owned(pointer);
  handle->samples = mk_set_samples(parts);
  handle->spec = (mk_kernel_spec){.type = MK_FUNCTION,
                                  .function = mk_product_values,
                                  .function_data = parts,
                                  .thread_safe = !mk_set_calls_back(parts),
                                  .may_overflow = 1};
  mk_run_alone(bound_rounding, &handle->spec);
  UNPROTECT(1);
  return pointer;
}
