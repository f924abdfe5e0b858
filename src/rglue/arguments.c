/* Checks of .Call arguments; a wrong one ends in an R error that names it. Called by the entry
 * points of rglue/. */
#include "arguments.h"

#include "base/columns.h"
#include "rglue/call.h"
#include "rglue/keep.h"

#include <math.h>
#include <string.h>

double mk_arg_number(SEXP x, const char *name, double least, double most) {
  if ((!Rf_isReal(x) && !Rf_isInteger(x)) || XLENGTH(x) != 1)
    Rf_error("`%s` must be one number", name);
  double value = Rf_asReal(x);
  if (ISNAN(value) || value < least || value > most)
    Rf_error("`%s` must lie in [%g, %g], not %g", name, least, most, value);
  return value;
}

int mk_arg_int(SEXP x, const char *name, int least, int most) {
  return (int)mk_arg_number(x, name, least, most);
}

int mk_arg_flag(SEXP x, const char *name) {
  if (!Rf_isLogical(x) || XLENGTH(x) != 1 || LOGICAL(x)[0] == NA_LOGICAL)
    Rf_error("`%s` must be TRUE or FALSE", name);
  return LOGICAL(x)[0];
}

static void check_reals(SEXP x, const char *name, R_xlen_t length) {
  if (!Rf_isReal(x)) Rf_error("`%s` must be a double vector", name);
  if (length >= 0 && XLENGTH(x) != length)
    Rf_error("`%s` must be a double vector of length %.0f", name, (double)length);
}

const double *mk_arg_doubles(SEXP x, const char *name, R_xlen_t length) {
  check_reals(x, name, length);
  const double *value = mk_values(x);
  size_t count = (size_t)XLENGTH(x), bad = mk_first_not_finite(value, count, NULL);
  if (bad < count) Rf_error("`%s` must be finite; element %.0f is not", name, (double)bad + 1.0);
  return value;
}

const double *mk_arg_columns(SEXP x, const char *name, size_t rows, size_t *cols) {
  if (!Rf_isReal(x) || rows == 0 || XLENGTH(x) == 0 || (size_t)XLENGTH(x) % rows != 0)
    Rf_error("`%s` must be a double matrix with %.0f rows", name, (double)rows);
  *cols = (size_t)XLENGTH(x) / rows;
  return mk_arg_doubles(x, name, -1);
}

const double *mk_arg_norms(SEXP x, const char *name, R_xlen_t length) {
  check_reals(x, name, length);
  const double *value = mk_values(x);
  for (R_xlen_t k = 0; k < XLENGTH(x); k++)
    if (!(value[k] >= 1.0)) Rf_error("`%s` must lie in [1, Inf]", name);
  return value;
}

const int *mk_arg_ints(SEXP x, const char *name, R_xlen_t length, int least, int most) {
  if (!Rf_isInteger(x) && !Rf_isLogical(x)) Rf_error("`%s` must be an integer vector", name);
  if (length >= 0 && XLENGTH(x) != length)
    Rf_error("`%s` must be an integer vector of length %.0f", name, (double)length);
  const int *value = mk_values(x);
  for (R_xlen_t i = 0; i < XLENGTH(x); i++)
    if (value[i] == NA_INTEGER || value[i] < least || value[i] > most)
      Rf_error("`%s` must lie in [%d, %d]; element %.0f does not", name, least, most,
               (double)i + 1.0);
  return value;
}

int *mk_arg_positions(SEXP x, const char *name, size_t n) {
  const int *index = mk_arg_ints(x, name, -1, 1, (int)n);
  int *out = (int *)R_alloc((size_t)XLENGTH(x) + 1, sizeof *out);
  for (R_xlen_t k = 0; k < XLENGTH(x); k++) out[k] = index[k] - 1;
  return out;
}

const char *mk_arg_string(SEXP x, const char *name) {
  if (TYPEOF(x) != STRSXP || XLENGTH(x) != 1 || STRING_ELT(x, 0) == NA_STRING)
    Rf_error("`%s` must be one string", name);
  return Rf_translateChar(STRING_ELT(x, 0));
}

void mk_arg_list(SEXP x, const char *name, R_xlen_t length) {
  if (TYPEOF(x) != VECSXP) Rf_error("`%s` must be a list", name);
  if (length >= 0 && XLENGTH(x) != length)
    Rf_error("`%s` must be a list of length %.0f", name, (double)length);
}

SEXP mk_list_get(SEXP list, const char *field, const char *name) {
  mk_arg_list(list, name, -1);
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  for (R_xlen_t i = 0; TYPEOF(names) == STRSXP && i < XLENGTH(list); i++)
    if (strcmp(CHAR(STRING_ELT(names, i)), field) == 0) return VECTOR_ELT(list, i);
  Rf_error("`%s` must have an element `%s`", name, field);
}

double mk_list_number(SEXP list, const char *field, const char *name, double least, double most) {
  return mk_arg_number(mk_list_get(list, field, name), field, least, most);
}

int mk_list_flag(SEXP list, const char *field, const char *name) {
  return mk_arg_flag(mk_list_get(list, field, name), field);
}

int mk_arg_threads(SEXP x) {
  return mk_threads(mk_arg_int(x, "threads", 0, 65536));
}

int mk_threads_for(SEXP x, const mk_kernel_set *set, size_t rows) {
  double values = (double)mk_set_samples(set) * (double)mk_set_kernels(set);
  for (size_t v = 0; v < mk_set_views(set); v++) values += (double)mk_set_view_columns(set, v);
  return mk_threads_worth(mk_arg_threads(x), (double)rows * values);
}

/* Reads options(manykernels.blas = TRUE or FALSE), for tests; by default the quicker is used. */
static mk_blas blas_option(void) {
  SEXP x = Rf_GetOption1(Rf_install("manykernels.blas"));
  if (x == R_NilValue) return MK_BLAS_MEASURED;
  return mk_arg_flag(x, "manykernels.blas") ? MK_BLAS_ALWAYS : MK_BLAS_NEVER;
}

mk_control mk_plain_control(void) {
  mk_control control = {.tol = 1e-3, .max_time = INFINITY, .max_iter = INFINITY, .working_set = 1};
  control.blas = blas_option();
  control.poll = mk_poll_interrupt;
  control.start = mk_seconds();
  return control;
}

SEXP mk_r_threads(void) {
  return Rf_ScalarInteger(mk_threads_available());
}

/* Declares that this process was forked before the package was loaded. */
SEXP mk_r_stay_alone(void) {
  mk_threads_begin(1);
  return R_NilValue;
}
