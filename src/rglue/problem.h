/* Problems and settings of fits from R. */
#ifndef MK_RGLUE_PROBLEM_H
#define MK_RGLUE_PROBLEM_H

#include "optimizer/optimizers.h"
#include "rglue/glue.h"

/* Parses a problem without its set and norm. Boxes are in memory that R frees after the call. */
mk_problem mk_arg_problem(size_t samples, SEXP y, SEXP cost, SEXP loss);
mk_norm mk_arg_norm(SEXP x, size_t kernels);
const double *mk_arg_theta(SEXP theta, size_t kernels); /* finite and not negative */
mk_optimizer mk_arg_optimizer(SEXP control, const mk_norm *norm);
/* Parse list(tol, max_time, max_iter, cache, single, candidate), and a progress function or
 * NULL. */
void mk_arg_progress(SEXP progress, mk_control *control);
/* Parses a function of the share of normalisation that is done, or NULL, into control->share. */
void mk_arg_share(SEXP function, mk_control *control);
/* Returns MK_INTERRUPTED for work that a user has ended early, else the status. */
mk_status mk_end_of(const mk_control *control, mk_status status);
mk_control mk_arg_control(SEXP control, SEXP progress);

#endif
