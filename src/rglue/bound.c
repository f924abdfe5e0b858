/* Entry points for Rademacher complexities and norms. Called by R/bounds.R, R/norms.R and
 * R/empirical-rademacher.R.
 * MATHEMATICS.md, section 7. */
#include "bound/rademacher.h"
#include "bound/signs.h"
#include "exact/exact-matrix.h"
#include "problem/sides.h"
#include "rglue/arguments.h"
#include "rglue/call.h"
#include "rglue/kernels.h"
#include "rglue/problem.h"

static const double *at_least(SEXP x, const char *name, R_xlen_t length, double least) {
  const double *value = mk_arg_doubles(x, name, length);
  for (R_xlen_t k = 0; k < length; k++)
    if (value[k] < least) Rf_error("`%s` must be at least %g", name, least);
  return value;
}

/* Returns one bound per element, NaN if it does not apply. */
SEXP mk_r_rademacher(SEXP type, SEXP p, SEXP kernels, SEXP n, SEXP radius, SEXP q) {
  int which = mk_arg_int(type, "type", 1, MK_BOUND_TYPES);
  const double *norm = mk_arg_norms(p, "p", -1);
  R_xlen_t count = XLENGTH(p);
  const double *from = mk_arg_norms(q, "q", count);
  const double *most = at_least(kernels, "M", count, 1.0), *rows = at_least(n, "n", count, 1.0);
  const double *size = at_least(radius, "R", count, 0.0);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, count));
  double *bound = REAL(out);
  for (R_xlen_t k = 0; k < count; k++)
    bound[k] =
        mk_rademacher_bound((mk_bound_type)which, norm[k], most[k], rows[k], size[k], from[k]);
  UNPROTECT(1);
  return out;
}

typedef struct signing {
  mk_sign_question question;
  mk_control control;
} signing;

static mk_status sum_signs(void *data) {
  signing *work = data;
  return mk_sign_forms(&work->question, &work->control);
}

/* Returns the forms of all kernels, a column for each sign vector. */
SEXP mk_r_sign_forms(SEXP set, SEXP signs, SEXP threads, SEXP progress) {
  signing work = {.question = {.set = mk_arg_set(set)}, .control = mk_plain_control()};
  mk_arg_progress(progress, &work.control);
  mk_sign_question *q = &work.question;
  size_t n = mk_set_samples(q->set);
  q->signs = mk_arg_ints(signs, "signs", -1, -1, 1);
  q->draws = (size_t)XLENGTH(signs) / n;
  if (q->draws < 1 || q->draws > INT_MAX || q->draws * n != (size_t)XLENGTH(signs))
    Rf_error("`signs` must have %.0f rows", (double)n);
  for (R_xlen_t k = 0; k < XLENGTH(signs); k++)
    if (q->signs[k] == 0) Rf_error("`signs` must be 1 or -1");
  int most = mk_threads_for(threads, q->set, n);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)mk_set_kernels(q->set), (int)q->draws));
  q->forms = REAL(out);
  mk_run(most, &work.control.team, sum_signs, &work);
  UNPROTECT(1);
  return out;
}

typedef struct siding {
  mk_norm norm;
  size_t kernels, count;
  const double *theta, *forms;
  double *primal, *dual;
} siding;

static mk_status find_sides(void *data) {
  siding *work = data;
  for (size_t k = 0; k < work->count; k++)
    MK_TRY(mk_sides(&work->norm, work->kernels, work->theta, work->forms + k * work->kernels,
                    work->primal + k, work->dual + k));
  return MK_OK;
}

/* Returns list(primal, dual), one number for each column of forms: the squared norm of the function
 * with theta and these forms, and the squared dual norm of the forms' roots. */
SEXP mk_r_norm_sides(SEXP norm, SEXP theta, SEXP forms) {
  siding work = {.theta = mk_arg_doubles(theta, "theta", -1), .kernels = (size_t)XLENGTH(theta)};
  work.forms = mk_arg_columns(forms, "forms", work.kernels, &work.count);
  work.norm = mk_arg_norm(norm, work.kernels);
  const char *names[] = {"primal", "dual", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(REALSXP, (R_xlen_t)work.count));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, (R_xlen_t)work.count));
  work.primal = REAL(VECTOR_ELT(out, 0));
  work.dual = REAL(VECTOR_ELT(out, 1));
  mk_run_alone(find_sides, &work);
  UNPROTECT(1);
  return out;
}

typedef struct searching {
  const mk_kernel_set *set;
  double *largest;
} searching;

static mk_status find_largest(void *data) {
  searching *work = data;
  return mk_set_largest_diagonal(work->set, work->largest);
}

SEXP mk_r_largest_diagonal(SEXP set) {
  const mk_kernel_set *from = mk_arg_set(set);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)mk_set_kernels(from)));
  mk_run_alone(find_largest, &(searching){from, REAL(out)});
  UNPROTECT(1);
  return out;
}
