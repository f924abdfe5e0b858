#include "glue.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernel/exact.h"
#include "kernel/features.h"
#include "kernel/inspect.h"
#include "normalize/normalize.h"

#include <math.h>
#include <string.h>

/* ---- handle ---- */

static void release(mk_handle *handle) {
  if (handle == NULL) return;
  mk_set_free(handle->set);
  mk_free(handle->specs);
  mk_free(handle->features);
  mk_free(handle);
}

static void finalize(SEXP pointer) {
  release(R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
}

static SEXP set_tag(void) {
  return Rf_install("manykernels_set");
}

int mk_is_set(SEXP pointer) {
  return TYPEOF(pointer) == EXTPTRSXP && R_ExternalPtrTag(pointer) == set_tag();
}

mk_handle *mk_arg_set(SEXP pointer) {
  if (!mk_is_set(pointer)) Rf_error("`set` must be a kernel set handle");
  mk_handle *handle = R_ExternalPtrAddr(pointer);
  if (handle == NULL || handle->set == NULL)
    Rf_error("`set` is not alive any more (handles do not survive saving)");
  return handle;
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
  if (e->done) memcpy(e->out, REAL(value), size * sizeof *e->out);
  UNPROTECT(4);
  return R_NilValue;
}

/* data: an R function of samples i and j (from 1). */
static int call_function(void *data, const int *rows, size_t row_count, const int *cols,
                         size_t col_count, double *out) {
  evaluation e = {data, rows, cols, row_count, col_count, out, 0};
  return !mk_call(evaluate, &e) || !e.done;
}

/* ---- parsing ---- */

static void parse_sparse(SEXP x, mk_view *view) {
  const int *dim = mk_arg_ints(mk_list_get(x, "dim", "views"), "views$dim", 2, 0, INT_MAX);
  SEXP i = mk_list_get(x, "i", "views"), value = mk_list_get(x, "x", "views");
  view->rows = (size_t)dim[0];
  view->cols = (size_t)dim[1];
  view->start =
      mk_arg_ints(mk_list_get(x, "p", "views"), "views$p", (R_xlen_t)dim[1] + 1, 0, INT_MAX);
  R_xlen_t entries = view->start[dim[1]];
  view->row = mk_arg_ints(i, "views$i", -1, 0, dim[0] - 1);
  view->value = mk_arg_doubles(value, "views$x", -1);
  if (XLENGTH(i) < entries || XLENGTH(value) < entries)
    Rf_error("`views` has a sparse matrix with too few entries");
}

void mk_arg_view(SEXP x, mk_view *view) {
  memset(view, 0, sizeof *view);
  if (TYPEOF(x) == VECSXP) {
    parse_sparse(x, view);
    return;
  }
  if (!Rf_isReal(x) || !Rf_isMatrix(x))
    Rf_error("`views` must hold double matrices or sparse lists");
  view->rows = (size_t)Rf_nrows(x);
  view->cols = (size_t)Rf_ncols(x);
  view->x = REAL(x);
  if (view->cols == 0) Rf_error("`views` has a matrix without columns");
}

/* The columns of all kernels in one vector: those of kernel m stand at
 * start[m]..start[m + 1]; none mean all columns of its view. */
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

static const double *parse_matrix(SEXP data, size_t n) {
  R_xlen_t slice = 0;
  SEXP matrix = data;
  if (TYPEOF(data) == VECSXP && XLENGTH(data) == 2) { /* an array and the number of a slice */
    matrix = VECTOR_ELT(data, 0);
    slice = mk_arg_int(VECTOR_ELT(data, 1), "data", 1, INT_MAX) - 1;
  }
  /* by division: n, slice and their products may be hostile */
  R_xlen_t rows = (R_xlen_t)n;
  if (!Rf_isReal(matrix) || XLENGTH(matrix) / rows / rows <= slice)
    Rf_error("`data` of a precomputed kernel must be a %.0f x %.0f double matrix", (double)n,
             (double)n);
  return REAL(matrix) + slice * rows * rows;
}

static void parse_parameters(mk_kernel_spec *spec, const double *par) {
  if (spec->type == MK_GAUSSIAN) spec->width = par[0];
  if (spec->type == MK_POLYNOMIAL) {
    spec->degree = par[0];
    spec->scale = par[1];
    spec->offset = par[2];
  }
  if (spec->type == MK_LOCALLY_LINEAR) {
    int known = par[0] >= 1.0 && par[0] <= MK_LOCAL_MAPS; /* 0: the set refuses it */
    spec->map = known ? (mk_local_map)par[0] : (mk_local_map)0;
    spec->gamma = par[1];
    spec->componentwise = par[2] != 0.0;
  }
}

/* An anchor has a value for each column that its kernel reads. */
static const double *parse_anchor(SEXP data, const mk_kernel_spec *spec, const mk_description *d) {
  if (spec->view < 0) Rf_error("`view` of a locally linear kernel must be one of the views");
  size_t depth = spec->feature_count > 0 ? spec->feature_count : d->parsed[spec->view].cols;
  return mk_arg_doubles(data, "data of a locally linear kernel", (R_xlen_t)depth);
}

typedef struct making {
  mk_handle *handle;
  size_t n, kernels, views;
  const mk_view *view;
  mk_team *team;
} making;

static mk_status make_set(void *data) {
  making *work = data;
  return mk_set_new(&work->handle->set, work->n, work->view, work->views, work->handle->specs,
                    work->kernels, work->team);
}

/* A team for few values would cost more than it saves. */
static mk_status make_together(making *work, int threads) {
  double values = 0.0;
  for (size_t v = 0; v < work->views; v++) values += (double)work->n * (double)work->view[v].cols;
  return mk_team_run(mk_threads_worth(threads, values), &work->team, make_set, work);
}

/* Specs of kernels in memory of a handle without a set. */
static void fill_handle(mk_handle *handle, const mk_description *d, const int *types,
                        const int *which, feature_lists lists) {
  R_xlen_t kernels = XLENGTH(d->type);
  size_t total = (size_t)lists.start[kernels], samples = (size_t)d->samples;
  handle->specs = MK_NEW0(mk_kernel_spec, (size_t)kernels + 1);
  handle->features = MK_NEW(int, total + 1);
  if (handle->specs == NULL || handle->features == NULL) mk_fail(MK_NO_MEMORY);
  for (size_t k = 0; k < total; k++) handle->features[k] = lists.column[k] - 1;
  for (R_xlen_t m = 0; m < kernels; m++) {
    mk_kernel_spec *spec = &handle->specs[m];
    spec->type = (mk_kernel_type)types[m];
    spec->view = which[m] - 1;
    parse_parameters(spec, REAL(d->par) + 3 * m);
    spec->feature_count = (size_t)(lists.start[m + 1] - lists.start[m]);
    if (spec->feature_count > 0) spec->features = handle->features + (size_t)lists.start[m];
    if (spec->type == MK_PRECOMPUTED) spec->matrix = parse_matrix(VECTOR_ELT(d->data, m), samples);
    if (spec->type == MK_LOCALLY_LINEAR)
      spec->anchor = parse_anchor(VECTOR_ELT(d->data, m), spec, d);
    if (spec->type == MK_FUNCTION) {
      spec->function = call_function;
      spec->function_data = VECTOR_ELT(d->data, m);
    }
  }
}

SEXP mk_describe(mk_description *d) {
  mk_arg_list(d->views, "views", -1);
  d->view_count = (int)XLENGTH(d->views);
  R_xlen_t kernels = XLENGTH(d->type);
  const int *types = mk_arg_ints(d->type, "type", -1, 1, MK_KERNEL_TYPES);
  const int *which = mk_arg_ints(d->view, "view", kernels, 0, d->view_count);
  mk_arg_list(d->data, "data", kernels);
  if (!Rf_isReal(d->par) || XLENGTH(d->par) != 3 * kernels)
    Rf_error("`par` must be a 3 x %.0f double matrix", (double)kernels);
  d->parsed = (mk_view *)R_alloc((size_t)d->view_count + 1, sizeof *d->parsed);
  for (int v = 0; v < d->view_count; v++) mk_arg_view(VECTOR_ELT(d->views, v), &d->parsed[v]);
  feature_lists lists = parse_features(d->features, kernels, d->view_count, which, d->parsed);
  for (R_xlen_t m = 0; m < kernels; m++) {
    if (types[m] == MK_PRECOMPUTED) parse_matrix(VECTOR_ELT(d->data, m), (size_t)d->samples);
    if (types[m] == MK_FUNCTION && !Rf_isFunction(VECTOR_ELT(d->data, m)))
      Rf_error("`data` of a function kernel must be a function");
  }
  SEXP kept = PROTECT(Rf_list2(d->views, d->data));
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, set_tag(), kept));
  R_RegisterCFinalizerEx(pointer, finalize, TRUE);
  mk_handle *handle = MK_NEW0(mk_handle, 1);
  if (handle == NULL) mk_fail(MK_NO_MEMORY);
  R_SetExternalPtrAddr(pointer, handle);
  fill_handle(handle, d, types, which, lists);
  UNPROTECT(2);
  return pointer;
}

SEXP mk_r_set_new(SEXP views, SEXP type, SEXP view, SEXP features, SEXP par, SEXP data, SEXP n,
                  SEXP threads) {
  int most = mk_arg_threads(threads);
  mk_description d = {.views = views,
                      .type = type,
                      .view = view,
                      .features = features,
                      .par = par,
                      .data = data,
                      .samples = mk_arg_int(n, "n", 1, INT_MAX)};
  SEXP pointer = PROTECT(mk_describe(&d));
  making work = {R_ExternalPtrAddr(pointer), (size_t)d.samples, (size_t)XLENGTH(type),
                 (size_t)d.view_count,       d.parsed,          NULL};
  mk_fail(make_together(&work, most));
  UNPROTECT(1);
  return pointer;
}

/* ---- normalisation ---- */

/* Constants in R's memory: valid until the end of the .Call. */
static mk_constants *parse_constants(size_t kernels, SEXP centre, SEXP scaling) {
  const int *centred = mk_arg_ints(centre, "centre", (R_xlen_t)kernels, 0, 1);
  const int *kind = mk_arg_ints(scaling, "scaling", (R_xlen_t)kernels, 0, MK_SCALINGS);
  mk_constants *constants = (mk_constants *)R_alloc(kernels, sizeof *constants);
  memset(constants, 0, kernels * sizeof *constants);
  for (size_t m = 0; m < kernels; m++) {
    constants[m].centred = centred[m];
    constants[m].scaling = (mk_scaling)kind[m];
    constants[m].scale = 1.0;
  }
  return constants;
}

typedef struct normalizing {
  mk_kernel_set *set;
  mk_constants *constants;
  mk_control control;
} normalizing;

static mk_status normalize(void *data) {
  normalizing *work = data;
  return mk_normalize_fit(work->set, work->constants, &work->control);
}

SEXP mk_r_set_normalize(SEXP set, SEXP centre, SEXP scaling, SEXP threads) {
  mk_handle *handle = mk_arg_set(set);
  size_t kernels = mk_set_kernels(handle->set), n = mk_set_samples(handle->set);
  mk_constants *constants = parse_constants(kernels, centre, scaling);
  normalizing work = {handle->set, constants, mk_plain_control()};
  int most = mk_threads_for(threads, handle->set, n);
  SEXP means = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)kernels));
  SEXP scale = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)kernels));
  SEXP total = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)kernels));
  for (size_t m = 0; m < kernels; m++)
    if (mk_needs_means(handle->set, m, &constants[m])) {
      SET_VECTOR_ELT(means, (R_xlen_t)m, Rf_allocVector(REALSXP, (R_xlen_t)n));
      constants[m].mean = REAL(VECTOR_ELT(means, (R_xlen_t)m));
    }
  mk_fail(mk_team_run(most, &work.control.team, normalize, &work));
  R_xlen_t bad_count = 0;
  for (size_t m = 0; m < kernels; m++) {
    REAL(scale)[m] = constants[m].scale;
    REAL(total)[m] = constants[m].total;
    bad_count += constants[m].degenerate != 0;
  }
  SEXP bad = PROTECT(Rf_allocVector(INTSXP, bad_count));
  for (size_t m = 0, k = 0; m < kernels; m++)
    if (constants[m].degenerate) INTEGER(bad)[k++] = (int)m + 1;
  const char *names[] = {"scale", "centre", "total", "bad"};
  SEXP out = mk_named_list(4, names, (SEXP[]){scale, means, total, bad});
  UNPROTECT(4);
  return out;
}

/* The first kernel that new samples have no length for, and which they are; NULL without one. */
static SEXP zero_lengths(const mk_kernel_set *set, size_t from) {
  for (size_t m = 0; m < mk_set_kernels(set); m++) {
    const double *root = mk_set_root(set, m);
    R_xlen_t count = 0;
    for (size_t i = from; root != NULL && i < mk_set_samples(set); i++) count += root[i] == 0.0;
    if (count == 0) continue;
    SEXP sample = PROTECT(Rf_allocVector(INTSXP, count));
    count = 0;
    for (size_t i = from; i < mk_set_samples(set); i++)
      if (root[i] == 0.0) INTEGER(sample)[count++] = (int)(i - from) + 1;
    SEXP kernel = PROTECT(Rf_ScalarInteger((int)m + 1));
    const char *names[] = {"kernel", "sample"};
    SEXP out = mk_named_list(2, names, (SEXP[]){kernel, sample});
    UNPROTECT(2);
    return out;
  }
  return R_NilValue;
}

SEXP mk_r_set_constants(SEXP set, SEXP centre, SEXP scaling, SEXP scale, SEXP means, SEXP total,
                        SEXP known, SEXP full) {
  mk_handle *handle = mk_arg_set(set);
  size_t kernels = mk_set_kernels(handle->set), n = mk_set_samples(handle->set);
  mk_constants *constants = parse_constants(kernels, centre, scaling);
  const double *scales = mk_arg_doubles(scale, "scale", (R_xlen_t)kernels);
  const double *totals = mk_arg_doubles(total, "total", (R_xlen_t)kernels);
  int train = mk_arg_int(known, "n_train", 1, (int)n), complete = mk_arg_flag(full, "full");
  mk_arg_list(means, "centre_list", (R_xlen_t)kernels);
  mk_control control = mk_plain_control();
  for (size_t m = 0; m < kernels; m++) {
    constants[m].scale = scales[m];
    constants[m].total = totals[m];
    if (!mk_needs_means(handle->set, m, &constants[m])) continue;
    const double *given = mk_arg_doubles(VECTOR_ELT(means, (R_xlen_t)m), "centre_list", train);
    constants[m].mean = (double *)R_alloc(n, sizeof(double));
    memcpy(constants[m].mean, given, (size_t)train * sizeof(double));
  }
  mk_fail(mk_normalize_apply(handle->set, constants, (size_t)train, complete, &control));
  return zero_lengths(handle->set, (size_t)train);
}

/* ---- kernel values ---- */

static void free_exact(SEXP pointer) {
  mk_exact_free(R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
}

static mk_status fill_matrix(const mk_kernel_set *set, mk_exact *exact, size_t m, const int *rows,
                             size_t row_count, const int *cols, size_t col_count, double *out) {
  size_t f = 0, families = mk_set_families(set);
  double value[MK_EXACT_COLS];
  mk_control control = {.max_time = R_PosInf, .poll = mk_poll_interrupt};
  for (; f < families; f++) {
    size_t k = 0, size = mk_exact_family_size(set, f);
    while (k < size && mk_exact_family_member(set, f, k) != m) k++;
    if (k < size) break;
  }
  for (size_t r = 0; r < row_count; r += MK_EXACT_ROWS) {
    size_t height = row_count - r < MK_EXACT_ROWS ? row_count - r : MK_EXACT_ROWS;
    MK_TRY(mk_check(&control));
    for (size_t c = 0; c < col_count; c += MK_EXACT_COLS) {
      size_t width = col_count - c < MK_EXACT_COLS ? col_count - c : MK_EXACT_COLS;
      mk_columns columns = mk_list(cols + c, width);
      MK_TRY(mk_exact_block(exact, f, rows + r, height, &columns));
      for (size_t i = 0; i < height; i++) {
        mk_exact_values(exact, m, i, value);
        for (size_t j = 0; j < width; j++) out[(c + j) * row_count + r + i] = value[j];
      }
    }
  }
  return MK_OK;
}

SEXP mk_r_matrix(SEXP set, SEXP m, SEXP rows, SEXP cols, SEXP threads) {
  mk_handle *handle = mk_arg_set(set);
  size_t n = mk_set_samples(handle->set);
  int kernel = mk_arg_int(m, "m", 1, (int)mk_set_kernels(handle->set));
  int *i = mk_arg_positions(rows, "rows", n), *j = mk_arg_positions(cols, "cols", n);
  mk_arg_threads(threads);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)XLENGTH(rows), (int)XLENGTH(cols)));
  SEXP owner = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
  R_RegisterCFinalizer(owner, free_exact);
  mk_exact *exact = mk_exact_new(handle->set);
  if (exact == NULL) mk_fail(MK_NO_MEMORY);
  R_SetExternalPtrAddr(owner, exact);
  mk_status status = fill_matrix(handle->set, exact, (size_t)kernel - 1, i, (size_t)XLENGTH(rows),
                                 j, (size_t)XLENGTH(cols), REAL(out));
  free_exact(owner);
  mk_fail(status);
  UNPROTECT(2);
  return out;
}

/* ---- matrices ---- */

static size_t count_matrices(SEXP matrices, size_t n) {
  size_t count = 0;
  mk_arg_list(matrices, "matrices", -1);
  for (R_xlen_t k = 0; k < XLENGTH(matrices); k++) {
    SEXP one = VECTOR_ELT(matrices, k);
    size_t length = Rf_isReal(one) ? (size_t)XLENGTH(one) : 1;
    if (!Rf_isReal(one) || length % n != 0 || length / n % n != 0)
      Rf_error("`matrices` must hold double matrices of size %.0f", (double)n);
    count += length / n / n;
  }
  return count;
}

typedef struct inspecting {
  const double *const *matrix;
  size_t n, count;
  mk_control control;
  mk_matrix_facts *facts;
} inspecting;

static mk_status inspect(void *data) {
  inspecting *work = data;
  return mk_inspect(work->matrix, work->n, work->count, &work->control, work->facts);
}

/* Largest value, asymmetry and smallest eigenvalue of all n x n matrices in a list, whose elements
 * hold one or, as arrays do, several. */
SEXP mk_r_inspect(SEXP matrices, SEXP n, SEXP threads) {
  size_t size = (size_t)mk_arg_int(n, "n", 1, INT_MAX), count = count_matrices(matrices, size);
  double values = (double)size * (double)size * (double)count;
  int most = mk_threads_worth(mk_arg_threads(threads), values);
  const double **matrix = (const double **)R_alloc(count + 1, sizeof *matrix);
  mk_matrix_facts *facts = (mk_matrix_facts *)R_alloc(count + 1, sizeof *facts);
  for (size_t k = 0, m = 0; m < count; k++) {
    SEXP one = VECTOR_ELT(matrices, (R_xlen_t)k);
    size_t slices = (size_t)XLENGTH(one) / size / size;
    for (size_t slice = 0; slice < slices; slice++) matrix[m++] = REAL(one) + slice * size * size;
  }
  inspecting work = {matrix, size, count, mk_plain_control(), facts};
  mk_fail(mk_team_run(most, &work.control.team, inspect, &work));
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, 3, (int)count));
  for (size_t m = 0; m < count; m++) {
    REAL(out)[3 * m] = facts[m].largest;
    REAL(out)[3 * m + 1] = facts[m].asymmetry;
    REAL(out)[3 * m + 2] = facts[m].smallest;
  }
  UNPROTECT(1);
  return out;
}
