#include "base/columns.h"
#include "base/threads.h"
#include "glue.h"

typedef struct columns_work {
  const double *x, *weight;
  size_t rows, cols, first;
  double *out;
  mk_team *team;
} columns_work;

static mk_status find_first(void *data) {
  columns_work *w = data;
  w->first = mk_first_not_finite(w->x, w->rows, w->team);
  return MK_OK;
}

SEXP mk_r_first_not_finite(SEXP x, SEXP threads) {
  if (!Rf_isReal(x)) Rf_error("`x` must be double");
  columns_work w = {.x = REAL(x), .rows = (size_t)XLENGTH(x)};
  mk_team_run(mk_threads_worth(mk_arg_threads(threads), (double)w.rows), &w.team, find_first, &w);
  return Rf_ScalarReal(w.first < w.rows ? (double)w.first + 1.0 : 0.0);
}

static mk_status sum_columns(void *data) {
  columns_work *w = data;
  mk_column_sums(w->x, w->rows, w->cols, w->weight, w->out, w->team);
  return MK_OK;
}

SEXP mk_r_column_sums(SEXP x, SEXP weight, SEXP threads) {
  if (!Rf_isReal(x) || !Rf_isMatrix(x)) Rf_error("`x` must be a double matrix");
  columns_work w = {.x = REAL(x), .rows = (size_t)Rf_nrows(x), .cols = (size_t)Rf_ncols(x)};
  w.weight = mk_arg_doubles(weight, "weight", Rf_nrows(x));
  int most = mk_threads_worth(mk_arg_threads(threads), (double)XLENGTH(x));
  SEXP out = PROTECT(Rf_allocVector(REALSXP, Rf_ncols(x)));
  w.out = REAL(out);
  mk_team_run(most, &w.team, sum_columns, &w);
  UNPROTECT(1);
  return out;
}
