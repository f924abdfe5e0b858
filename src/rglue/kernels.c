/* Descriptions of kernels from R: a handle with their specs, from which sets are made. Called by
 * set.c and dictionary.c of rglue/. MATHEMATICS.md, section 4.1. */
#include "kernels.h"

#include "base/memory.h"
#include "kernel/kinds.h"
#include "rglue/arguments.h"
#include "rglue/call.h"
#include "rglue/files.h"
#include "rglue/keep.h"
#include "rglue/native.h"
#include "rglue/results.h"

#include <math.h>
#include <string.h>

/* ---- handles ---- */

static void clear_handle(void *data) {
  mk_handle *handle = data;
  mk_set_free(handle->set);
  mk_free(handle->specs);
  mk_free(handle->features);
  mk_pool_free(&handle->pool);
}

static SEXP set_tag(void) {
  return Rf_install("manykernels_set");
}

int mk_is_set(SEXP pointer) {
  return TYPEOF(pointer) == EXTPTRSXP && R_ExternalPtrTag(pointer) == set_tag();
}

mk_kernel_set *mk_arg_set(SEXP pointer) {
  if (!mk_is_set(pointer)) Rf_error("`set` must be a kernel set handle");
  const mk_handle *handle = mk_owned(pointer);
  if (handle == NULL || handle->set == NULL)
    Rf_error("`set` is not alive any more (handles do not survive saving)");
  return handle->set;
}

/* ---- callbacks ---- */

static SEXP index_vector(const int *index, size_t count) {
  SEXP out = Rf_allocVector(INTSXP, (R_xlen_t)count);
  for (size_t k = 0; k < count; k++) INTEGER(out)[k] = index[k] + 1;
  return out;
}

typedef struct evaluation {
  SEXP function;
  const int *rows, *cols;
  size_t row_count, col_count;
  double *out;
  int done;
} evaluation;

static SEXP evaluate(void *data) {
  evaluation *e = data;
  size_t size = e->row_count * e->col_count;
  SEXP i = PROTECT(index_vector(e->rows, e->row_count));
  SEXP j = PROTECT(index_vector(e->cols, e->col_count));
  SEXP call = PROTECT(Rf_lang3(e->function, i, j));
  SEXP value = PROTECT(Rf_eval(call, R_GlobalEnv));
  e->done = Rf_isReal(value) && XLENGTH(value) == (R_xlen_t)size;
  if (e->done) memcpy(e->out, REAL_RO(value), size * sizeof *e->out);
  UNPROTECT(4);
  return R_NilValue;
}

/* Calls `data`, an R function of samples i and j (from 1). */
static int call_function(void *data, const int *rows, size_t row_count, const int *cols,
                         size_t col_count, double *out) {
  evaluation e = {data, rows, cols, row_count, col_count, out, 0};
  return !mk_call(evaluate, &e) || !e.done;
}

SEXP mk_function_tag(void) {
  return Rf_install("manykernels_function");
}

static int is_function_handle(SEXP x) {
  return TYPEOF(x) == EXTPTRSXP && R_ExternalPtrTag(x) == mk_function_tag();
}

const mk_function_handle *mk_arg_function(SEXP pointer) {
  const mk_function_handle *handle = is_function_handle(pointer) ? mk_owned(pointer) : NULL;
  if (handle == NULL) Rf_error("`pointer` must be a live handle of a kernel");
  return handle;
}

static void check_function(SEXP x, size_t samples) {
  if (Rf_isFunction(x) || mk_is_native(x)) return;
  if (!is_function_handle(x))
    Rf_error("`data` of a function kernel must be a function, or a kernel in C");
  if (mk_arg_function(x)->samples != samples)
    Rf_error("`data` of a function kernel must be one of %.0f samples", (double)samples);
}

/* Fills in an R function, or a handle. */
static void fill_function(mk_kernel_spec *spec, SEXP x) {
  spec->function = call_function;
  spec->function_data = x;
  if (Rf_isFunction(x)) return;
  const mk_kernel_spec *own = &mk_arg_function(x)->spec;
  spec->function = own->function;
  spec->function_data = own->function_data;
  spec->thread_safe = own->thread_safe;
  spec->may_overflow = own->may_overflow;
  spec->expand = own->expand;
  spec->expand_units = own->expand_units;
  spec->value_units = own->value_units;
  spec->magnitude = own->magnitude;
}

/* ---- parsing ---- */

static void parse_sparse(SEXP owner, SEXP x, mk_view *view) {
  const int *dim = mk_arg_ints(mk_list_get(x, "dim", "views"), "views$dim", 2, 0, INT_MAX);
  SEXP p = mk_keep(owner, mk_list_get(x, "p", "views"));
  SEXP i = mk_keep(owner, mk_list_get(x, "i", "views"));
  SEXP value = mk_keep(owner, mk_list_get(x, "x", "views"));
  view->rows = (size_t)dim[0];
  view->cols = (size_t)dim[1];
  view->start = mk_arg_ints(p, "views$p", (R_xlen_t)dim[1] + 1, 0, INT_MAX);
  R_xlen_t entries = view->start[dim[1]];
  for (int j = 0; j < dim[1]; j++)
    if (view->start[j] > view->start[j + 1]) Rf_error("`views$p` must rise");
  view->row = mk_arg_ints(i, "views$i", -1, 0, dim[0] - 1);
  view->value = mk_arg_doubles(value, "views$x", -1);
  if (XLENGTH(i) < entries || XLENGTH(value) < entries)
    Rf_error("`views` has a sparse matrix with too few entries");
}

static void parse_dense(SEXP owner, SEXP x, mk_view *view) {
  if (!Rf_isReal(x) || !Rf_isMatrix(x))
    Rf_error("`views` must hold double matrices or sparse lists");
  view->rows = (size_t)Rf_nrows(x);
  view->cols = (size_t)Rf_ncols(x);
  if (view->cols == 0) Rf_error("`views` has a matrix without columns");
  view->x = REAL_RO(mk_keep(owner, x));
}

/* Parses list(view, has), a view that some samples lack. */
static void parse_partial(SEXP owner, SEXP x, mk_view *view) {
  SEXP has = mk_keep(owner, VECTOR_ELT(x, 1));
  mk_arg_view(owner, VECTOR_ELT(x, 0), view);
  view->has = mk_arg_doubles(has, "has", (R_xlen_t)view->rows);
  for (size_t i = 0; i < view->rows; i++)
    if (view->has[i] != 0.0 && view->has[i] != 1.0) Rf_error("`has` must hold 0 and 1");
}

void mk_arg_view(SEXP owner, SEXP x, mk_view *view) {
  memset(view, 0, sizeof *view);
  if (TYPEOF(x) != VECSXP)
    parse_dense(owner, x, view);
  else if (XLENGTH(x) == 2 && TYPEOF(VECTOR_ELT(x, 0)) != INTSXP)
    parse_partial(owner, x, view);
  else
    parse_sparse(owner, x, view);
}

/* The columns of all kernels in one vector: those of kernel m are at start[m] .. start[m + 1]; none
 * means all columns of its view. */
typedef struct feature_lists {
  const double *start;
  const int *column;
} feature_lists;

static feature_lists parse_features(SEXP features, R_xlen_t kernels, int views, const int *view,
                                    const mk_view *parsed) {
  SEXP column = mk_list_get(features, "column", "features");
  feature_lists out = {
      mk_arg_doubles(mk_list_get(features, "start", "features"), "features$start", kernels + 1),
      mk_arg_ints(column, "features$column", -1, 1, INT_MAX)};
  double last = 0.0, length = (double)XLENGTH(column);
  for (R_xlen_t m = 0; m <= kernels; m++) {
    if (out.start[m] < last || out.start[m] > length || out.start[m] != floor(out.start[m]))
      Rf_error("`features$start` must rise from 0 to %.0f; element %.0f does not", length,
               (double)m + 1.0);
    last = out.start[m];
  }
  for (R_xlen_t m = 0; m < kernels; m++)
    for (R_xlen_t k = (R_xlen_t)out.start[m]; k < (R_xlen_t)out.start[m + 1]; k++)
      if (view[m] < 1 || view[m] > views || (size_t)out.column[k] > parsed[view[m] - 1].cols)
        Rf_error("`features` of kernel %.0f are not columns of its view", (double)m + 1.0);
  return out;
}

static mk_row parse_matrix(SEXP owner, SEXP data, size_t n) {
  R_xlen_t slice = 0;
  if (mk_is_file(data)) return mk_arg_file_matrix(mk_keep(owner, data), n);
  SEXP matrix = data;
  if (TYPEOF(data) == VECSXP && XLENGTH(data) == 2) { /* an array and the number of a slice */
    matrix = VECTOR_ELT(data, 0);
    slice = mk_arg_int(VECTOR_ELT(data, 1), "data", 1, INT_MAX) - 1;
  }
  /* by division, since products of hostile n and slice could overflow */
  R_xlen_t rows = (R_xlen_t)n;
  if (!Rf_isReal(matrix) || XLENGTH(matrix) / rows / rows <= slice)
    Rf_error("`data` of a precomputed kernel must be a %.0f x %.0f double matrix", (double)n,
             (double)n);
  return (mk_row){REAL(mk_keep(owner, matrix)) + slice * rows * rows, 0};
}

/* Parses an anchor, which has a value for each column that its kernel reads. */
static const double *parse_anchor(SEXP owner, SEXP data, const mk_kernel_spec *spec,
                                  const mk_description *d) {
  if (spec->view < 0) Rf_error("`view` of a locally linear kernel must be one of the views");
  size_t depth = spec->feature_count > 0 ? spec->feature_count : d->parsed[spec->view].cols;
  return mk_arg_doubles(mk_keep(owner, data), "data of a locally linear kernel", (R_xlen_t)depth);
}

/* Makes a kernel of another package's C function, which reads columns of a view. */
static void use_function(mk_kernel_spec *spec, SEXP data, const mk_description *d, mk_pool *pool) {
  if (!mk_is_native(data)) {
    fill_function(spec, data);
    return;
  }
  if (spec->view < 0) Rf_error("`view` of a kernel in C must be one of the views");
  mk_use_native(spec, data, &d->parsed[spec->view], pool);
}

/* Returns the table of kinds: names, and names of parameters. */
SEXP mk_r_kinds(void) {
  int count = mk_kind_count();
  SEXP name = PROTECT(Rf_allocVector(STRSXP, count));
  SEXP parameter = PROTECT(Rf_allocVector(VECSXP, count));
  for (int k = 0; k < count; k++) {
    const mk_kind *kind = mk_kind_of((mk_kernel_type)(k + 1));
    int size = 0;
    while (size < 3 && kind->parameter[size] != NULL) size++;
    SEXP own = Rf_allocVector(STRSXP, size);
    SET_VECTOR_ELT(parameter, k, own);
    for (int j = 0; j < size; j++) SET_STRING_ELT(own, j, Rf_mkChar(kind->parameter[j]));
    SET_STRING_ELT(name, k, Rf_mkChar(kind->name));
  }
  const mk_item item[] = {MK_VALUE("name", name), MK_VALUE("parameter", parameter), {.name = NULL}};
  SEXP out = mk_wrap(item);
  UNPROTECT(2);
  return out;
}

/* ---- descriptions ---- */

/* Fills a handle with specs of kernels, without a set. */
static void fill_handle(SEXP pointer, const mk_description *d, const int *types, const int *which,
                        feature_lists lists) {
  mk_handle *handle = mk_owned(pointer);
  const double *par = mk_values(d->par);
  R_xlen_t kernels = XLENGTH(d->type);
  size_t total = (size_t)lists.start[kernels], samples = (size_t)d->samples;
  handle->specs = MK_NEW0(mk_kernel_spec, (size_t)kernels + 1);
  handle->features = MK_NEW(int, total + 1);
  if (handle->specs == NULL || handle->features == NULL) mk_fail(MK_NO_MEMORY);
  for (size_t k = 0; k < total; k++) handle->features[k] = lists.column[k] - 1;
  for (R_xlen_t m = 0; m < kernels; m++) {
    mk_kernel_spec *spec = &handle->specs[m];
    SEXP data = VECTOR_ELT(d->data, m);
    spec->type = (mk_kernel_type)types[m];
    spec->view = which[m] - 1;
    const mk_kind *kind = mk_kind_of(spec->type);
    if (kind->read != NULL) kind->read(spec, par + 3 * m);
    spec->feature_count = (size_t)(lists.start[m + 1] - lists.start[m]);
    if (spec->feature_count > 0) spec->features = handle->features + (size_t)lists.start[m];
    if (kind->base == MK_FAMILY_MATRICES) {
      mk_row matrix = parse_matrix(pointer, data, samples);
      spec->matrix = matrix.at;
      spec->single = matrix.single;
    }
    if (kind->local) spec->anchor = parse_anchor(pointer, data, spec, d);
    if (kind->base == MK_FAMILY_CALLBACK)
      use_function(spec, mk_keep(pointer, data), d, &handle->pool);
  }
}

SEXP mk_describe(mk_description *d) {
  mk_arg_list(d->views, "views", -1);
  d->view_count = (int)XLENGTH(d->views);
  R_xlen_t kernels = XLENGTH(d->type);
  const int *types = mk_arg_ints(d->type, "type", -1, 1, mk_kind_count());
  const int *which = mk_arg_ints(d->view, "view", kernels, 0, d->view_count);
  mk_arg_list(d->data, "data", kernels);
  if (!Rf_isReal(d->par) || XLENGTH(d->par) != 3 * kernels)
    Rf_error("`par` must be a 3 x %.0f double matrix", (double)kernels);
  d->parsed = (mk_view *)R_alloc((size_t)d->view_count + 1, sizeof *d->parsed);
  SEXP pointer = PROTECT(mk_own(sizeof(mk_handle), clear_handle, set_tag(), R_NilValue));
  for (int v = 0; v < d->view_count; v++)
    mk_arg_view(pointer, VECTOR_ELT(d->views, v), &d->parsed[v]);
  feature_lists lists = parse_features(d->features, kernels, d->view_count, which, d->parsed);
  for (R_xlen_t m = 0; m < kernels; m++)
    if (mk_kind_of((mk_kernel_type)types[m])->base == MK_FAMILY_CALLBACK)
      check_function(VECTOR_ELT(d->data, m), (size_t)d->samples);
  fill_handle(pointer, d, types, which, lists);
  UNPROTECT(1);
  return pointer;
}
