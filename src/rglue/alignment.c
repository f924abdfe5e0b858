/* Entry point for inner products of kernel matrices. Called by R/alignment.R. MATHEMATICS.md,
 * section 4.3. */
#include "normalize/alignment.h"
#include "rglue/arguments.h"
#include "rglue/call.h"
#include "rglue/kernels.h"

typedef struct aligning {
  const mk_kernel_set *set;
  const double *target;
  int centred;
  mk_control control;
  double *out;
} aligning;

static mk_status align(void *data) {
  aligning *work = data;
  return mk_inner_products(work->set, work->target, work->centred, &work->control, work->out);
}

SEXP mk_r_inner_products(SEXP set, SEXP target, SEXP centred, SEXP threads) {
  aligning work = {.set = mk_arg_set(set), .control = mk_plain_control()};
  size_t n = mk_set_samples(work.set);
  int size = (int)mk_set_kernels(work.set) + 1;
  work.target = mk_arg_doubles(target, "target", (R_xlen_t)n);
  work.centred = mk_arg_flag(centred, "centred");
  int most = mk_threads_for(threads, work.set, n);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, size, size));
  work.out = REAL(out);
  mk_run(most, &work.control.team, align, &work);
  UNPROTECT(1);
  return out;
}
