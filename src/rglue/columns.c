/* Entry points for passes over the columns of a matrix. Called by R/views.R, R/scale.R,
 * R/kernel-defaults.R and R/kept-data.R. MATHEMATICS.md, section 4.1. */
#include "base/columns.h"
#include "kernel/geometry.h"
#include "rglue/arguments.h"
#include "rglue/call.h"
#include "rglue/keep.h"
#include "rglue/kernels.h"

typedef struct columns_work {
  const double *x, *weight, *centre, *scale;
  size_t rows, cols, first;
  const int *start, *row;
  size_t count;
  double *out, *means, *deviations;
  mk_team *team;
} columns_work;

static mk_status find_first(void *data) {
  columns_work *w = data;
  w->first = mk_first_not_finite(w->x, w->rows, w->team);
  return MK_OK;
}

/* Returns the position of the first value that is not finite, or 0. */
SEXP mk_r_first_not_finite(SEXP x, SEXP threads) {
  if (!Rf_isReal(x)) Rf_error("`x` must be double");
  columns_work w = {.x = REAL_RO(x), .rows = (size_t)XLENGTH(x)};
  mk_run(mk_threads_worth(mk_arg_threads(threads), (double)w.rows), &w.team, find_first, &w);
  return Rf_ScalarReal(w.first < w.rows ? (double)w.first + 1.0 : 0.0);
}

static mk_status sum_columns(void *data) {
  columns_work *w = data;
  mk_column_sums(w->x, w->rows, w->cols, w->weight, w->out, w->team);
  return MK_OK;
}

static columns_work parse_matrix(SEXP keeper, SEXP x) {
  if (!Rf_isReal(x) || !Rf_isMatrix(x)) Rf_error("`x` must be a double matrix");
  return (columns_work){
      .x = REAL_RO(mk_keep(keeper, x)), .rows = (size_t)Rf_nrows(x), .cols = (size_t)Rf_ncols(x)};
}

SEXP mk_r_column_sums(SEXP x, SEXP weight, SEXP threads) {
  SEXP keeper = PROTECT(mk_keeper());
  columns_work w = parse_matrix(keeper, x);
  w.weight = mk_arg_doubles(weight, "weight", Rf_nrows(x));
  int most = mk_threads_worth(mk_arg_threads(threads), (double)XLENGTH(x));
  SEXP out = PROTECT(Rf_allocVector(REALSXP, Rf_ncols(x)));
  w.out = REAL(out);
  mk_run(most, &w.team, sum_columns, &w);
  UNPROTECT(2);
  return out;
}

static mk_status find_scaling(void *data) {
  columns_work *w = data;
  return mk_column_scaling(w->x, w->start, w->rows, w->cols, w->row, w->count, w->means,
                           w->deviations, w->team);
}

static columns_work parse_columns(SEXP keeper, SEXP x) {
  mk_view view;
  mk_arg_view(keeper, x, &view);
  return (columns_work){.x = view.start == NULL ? view.x : view.value,
                        .start = view.start,
                        .rows = view.rows,
                        .cols = view.cols};
}

/* Returns centre and scale of each column. x is a matrix, or the parts of a sparse one; `rows` has
 * the rows of a matrix that count (NULL: all). */
SEXP mk_r_column_scaling(SEXP x, SEXP rows, SEXP threads) {
  SEXP keeper = PROTECT(mk_keeper());
  columns_work w = parse_columns(keeper, x);
  if (rows != R_NilValue) {
    if (w.start != NULL) Rf_error("`rows` is for matrices that are not sparse");
    w.row = mk_arg_positions(rows, "rows", w.rows);
    w.count = (size_t)XLENGTH(rows);
  }
  double count = w.start == NULL ? (double)w.rows * (double)w.cols : (double)w.start[w.cols];
  int most = mk_threads_worth(mk_arg_threads(threads), count);
  const char *names[] = {"centre", "scale", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int k = 0; k < 2; k++) SET_VECTOR_ELT(out, k, Rf_allocVector(REALSXP, (R_xlen_t)w.cols));
  w.means = REAL(VECTOR_ELT(out, 0));
  w.deviations = REAL(VECTOR_ELT(out, 1));
  mk_run(most, &w.team, find_scaling, &w);
  UNPROTECT(2);
  return out;
}

static mk_status standardize(void *data) {
  columns_work *w = data;
  mk_standardize(w->x, w->rows, w->cols, w->centre, w->scale, w->out, w->team);
  return MK_OK;
}

SEXP mk_r_standardize(SEXP x, SEXP centre, SEXP scale, SEXP threads) {
  SEXP keeper = PROTECT(mk_keeper());
  columns_work w = parse_matrix(keeper, x);
  w.centre = mk_arg_doubles(centre, "centre", Rf_ncols(x));
  w.scale = mk_arg_doubles(scale, "scale", Rf_ncols(x));
  int most = mk_threads_worth(mk_arg_threads(threads), (double)XLENGTH(x));
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, Rf_nrows(x), Rf_ncols(x)));
  w.out = REAL(out);
  mk_run(most, &w.team, standardize, &w);
  Rf_setAttrib(out, R_DimNamesSymbol, Rf_getAttrib(x, R_DimNamesSymbol));
  UNPROTECT(2);
  return out;
}

typedef struct measuring {
  mk_view view;
  const int *row;
  size_t count;
  const double *scale;
  mk_control control;
  double *out;
} measuring;

static mk_status find_distances(void *data) {
  measuring *work = data;
  return mk_view_distances(&work->view, work->row, work->count, work->scale, &work->control,
                           work->out);
}

/* Returns squared distances between some rows of a matrix, whose columns are divided by `scale`
 * (NULL: not divided). */
SEXP mk_r_distances(SEXP x, SEXP rows, SEXP scale, SEXP threads) {
  SEXP keeper = PROTECT(mk_keeper());
  columns_work w = parse_matrix(keeper, x);
  measuring work = {.view = {.rows = w.rows, .cols = w.cols, .x = w.x},
                    .row = mk_arg_positions(rows, "rows", w.rows),
                    .count = (size_t)XLENGTH(rows),
                    .control = mk_plain_control()};
  if (scale != R_NilValue) work.scale = mk_arg_doubles(scale, "scale", Rf_ncols(x));
  double operations = 0.5 * (double)work.count * (double)work.count * (double)w.cols;
  int most = mk_threads_worth(mk_arg_threads(threads), operations);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)work.count, (int)work.count));
  work.out = REAL(out);
  mk_run(most, &work.control.team, find_distances, &work);
  UNPROTECT(2);
  return out;
}
