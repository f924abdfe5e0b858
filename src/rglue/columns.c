#include "base/columns.h"
#include "base/threads.h"
#include "glue.h"

SEXP mk_r_first_not_finite(SEXP x, SEXP threads) {
  if (!Rf_isReal(x)) Rf_error("`x` must be double");
  int most = mk_threads(mk_arg_int(threads, "threads", 0, 65536));
  size_t count = (size_t)XLENGTH(x), first = mk_first_not_finite(REAL(x), count, most);
  return Rf_ScalarReal(first < count ? (double)first + 1.0 : 0.0);
}

SEXP mk_r_column_sums(SEXP x, SEXP weight, SEXP threads) {
  if (!Rf_isReal(x) || !Rf_isMatrix(x)) Rf_error("`x` must be a double matrix");
  const double *weights = mk_arg_doubles(weight, "weight", Rf_nrows(x));
  int most = mk_threads(mk_arg_int(threads, "threads", 0, 65536));
  SEXP out = PROTECT(Rf_allocVector(REALSXP, Rf_ncols(x)));
  mk_column_sums(REAL(x), (size_t)Rf_nrows(x), (size_t)Rf_ncols(x), weights, REAL(out), most);
  UNPROTECT(1);
  return out;
}
