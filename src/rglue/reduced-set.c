/* Entry point for reduced sets. Called by R/compress.R. MATHEMATICS.md, section 3.4. */
#include "low-rank/reduced-set.h"
#include "rglue/arguments.h"
#include "rglue/call.h"
#include "rglue/kernels.h"
#include "rglue/problem.h"
#include "rglue/results.h"

typedef struct reducing {
  mk_reduced_set reduced;
  mk_control control;
} reducing;

static mk_status reduce(void *data) {
  reducing *work = data;
  return mk_reduce(&work->reduced, &work->control);
}

/* Returns list(sample, beta): at most `most` samples, from 1, and their coefficients. */
SEXP mk_r_reduce(SEXP set, SEXP theta, SEXP alpha, SEXP goal, SEXP most, SEXP threads) {
  reducing work = {.reduced = {.set = mk_arg_set(set)}, .control = mk_plain_control()};
  mk_reduced_set *own = &work.reduced;
  size_t n = mk_set_samples(own->set);
  own->theta = mk_arg_theta(theta, mk_set_kernels(own->set));
  own->alpha = mk_arg_doubles(alpha, "alpha", (R_xlen_t)n);
  own->goal = mk_arg_number(goal, "goal", 0.0, R_PosInf);
  own->most = (size_t)mk_arg_int(most, "most", 1, (int)n);
  own->sample = (int *)R_alloc(own->most, sizeof *own->sample);
  own->beta = (double *)R_alloc(own->most, sizeof *own->beta);
  mk_run(mk_threads_for(threads, own->set, n), &work.control.team, reduce, &work);
  SEXP sample = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)own->count));
  for (size_t k = 0; k < own->count; k++) INTEGER(sample)[k] = own->sample[k] + 1;
  SEXP out = mk_wrap((const mk_item[]){
      MK_VALUE("sample", sample), MK_VECTOR("beta", own->beta, own->count), {NULL}});
  UNPROTECT(1);
  return out;
}
