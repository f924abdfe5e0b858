/* Entry points for kernel sets: making, normalising and evaluating them. Called by R/set.R,
 * R/kernel-matrix.R, R/kernel-defaults.R and R/precomputed.R. MATHEMATICS.md, section 4. */
#include "exact/exact-matrix.h"
#include "kernel/constants.h"
#include "kernel/functions.h"
#include "kernel/geometry.h"
#include "matrix/inspect.h"
#include "normalize/normalize.h"
#include "rglue/arguments.h"
#include "rglue/call.h"
#include "rglue/keep.h"
#include "rglue/kernels.h"
#include "rglue/problem.h"
#include "rglue/results.h"

#include <string.h>

/* ---- sets ---- */

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

/* Makes a set. For few values a team would cost more than it saves. */
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
  making work = {mk_owned(pointer),    (size_t)d.samples, (size_t)XLENGTH(type),
                 (size_t)d.view_count, d.parsed,          NULL};
  double values = 0.0;
  for (size_t v = 0; v < work.views; v++) values += (double)work.n * (double)work.view[v].cols;
  mk_run(mk_threads_worth(most, values), &work.team, make_set, &work);
  UNPROTECT(1);
  return pointer;
}

typedef struct keeping {
  mk_kernel_set *set;
  size_t bytes;
  mk_control control;
} keeping;

static mk_status keep_pairs(void *data) {
  keeping *work = data;
  return mk_set_keep_pairs(work->set, work->bytes, &work->control);
}

/* Keeps distances and products of all pairs in at most `bytes` bytes. */
SEXP mk_r_set_keep_pairs(SEXP set, SEXP bytes, SEXP threads) {
  keeping work = {mk_arg_set(set), mk_size(mk_arg_number(bytes, "bytes", 0.0, 9e18)),
                  mk_plain_control()};
  mk_run(mk_arg_threads(threads), &work.control.team, keep_pairs, &work);
  return R_NilValue;
}

static mk_status keep_values(void *data) {
  keeping *work = data;
  return mk_set_keep_values(work->set, work->bytes);
}

/* Keeps values of R functions in at most `bytes` bytes. */
SEXP mk_r_set_keep_values(SEXP set, SEXP bytes) {
  keeping work = {.set = mk_arg_set(set),
                  .bytes = mk_size(mk_arg_number(bytes, "bytes", 0.0, 9e18))};
  mk_run_alone(keep_values, &work);
  return set;
}

/* Makes `set` use the pairs that `from` keeps; `set` then keeps `from` alive. */
SEXP mk_r_set_borrow_pairs(SEXP set, SEXP from) {
  mk_kernel_set *own = mk_arg_set(set), *other = mk_arg_set(from);
  if (mk_set_samples(own) != mk_set_samples(other))
    Rf_error("`from` must have the samples of `set`");
  SEXP both = PROTECT(Rf_list2(R_ExternalPtrProtected(set), from));
  if (mk_set_borrow_pairs(own, other) > 0) R_SetExternalPtrProtected(set, both);
  UNPROTECT(1);
  return set;
}

/* ---- widths that follow from the data ---- */

typedef struct reading {
  const mk_kernel_set *set;
  size_t kernel, count;
  const int *row;
  double *out;
  int kept;
  mk_control control;
} reading;

static mk_status read_distances(void *data) {
  reading *work = data;
  return mk_kept_distances(work->set, work->kernel, work->row, work->count, &work->control,
                           work->out, &work->kept);
}

/* Returns squared distances between some samples over the columns of a kernel, or NULL if the set
 * does not keep them. */
SEXP mk_r_kept_distances(SEXP set, SEXP kernel, SEXP rows, SEXP threads) {
  const mk_kernel_set *of = mk_arg_set(set);
  size_t n = mk_set_samples(of), count = (size_t)XLENGTH(rows);
  reading work = {.set = of,
                  .kernel = (size_t)mk_arg_int(kernel, "kernel", 1, (int)mk_set_kernels(of)) - 1,
                  .count = count,
                  .row = mk_arg_positions(rows, "rows", n),
                  .control = mk_plain_control()};
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)count, (int)count));
  work.out = REAL(out);
  mk_run(mk_threads_for(threads, of, n), &work.control.team, read_distances, &work);
  UNPROTECT(1);
  return work.kept ? out : R_NilValue;
}

typedef struct widening {
  mk_kernel_set *set;
  const double *width;
} widening;

static mk_status set_widths(void *data) {
  widening *work = data;
  for (size_t m = 0; m < mk_set_kernels(work->set); m++)
    if (work->width[m] != 0.0) MK_TRY(mk_set_width(work->set, m, work->width[m]));
  return MK_OK;
}

/* Sets the width of each kernel; 0 leaves a kernel unchanged. */
SEXP mk_r_set_widths(SEXP set, SEXP width) {
  widening work = {.set = mk_arg_set(set)};
  work.width = mk_arg_doubles(width, "width", (R_xlen_t)mk_set_kernels(work.set));
  mk_run_alone(set_widths, &work);
  return R_NilValue;
}

/* ---- normalisation ---- */

/* Parses constants into R's memory, valid until the end of the .Call. */
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
  const mk_counted *counted;
  mk_control control;
} normalizing;

static mk_status normalize(void *data) {
  normalizing *work = data;
  return mk_normalize_fit(work->set, work->constants, work->counted, &work->control);
}

/* Parses the samples that constants are computed from, into R's memory; NULL: all samples. */
static const mk_counted *parse_counted(SEXP rows, size_t n) {
  if (rows == R_NilValue) return NULL;
  const int *row = mk_arg_positions(rows, "rows", n);
  mk_counted *counted = (mk_counted *)R_alloc(1, sizeof *counted);
  double *weight = (double *)R_alloc(n, sizeof *weight);
  memset(weight, 0, n * sizeof *weight);
  for (R_xlen_t k = 0; k < XLENGTH(rows); k++) weight[row[k]] = 1.0;
  *counted = (mk_counted){.weight = weight};
  for (size_t i = 0; i < n; i++) counted->count += weight[i];
  if (counted->count == 0.0) Rf_error("`rows` must name at least one row");
  return counted;
}

/* Computes and installs constants of normalisation; returns NULL if that takes more than
 * `seconds`. */
SEXP mk_r_set_normalize(SEXP set, SEXP centre, SEXP scaling, SEXP rows, SEXP seconds, SEXP share,
                        SEXP threads) {
  mk_kernel_set *of = mk_arg_set(set);
  size_t kernels = mk_set_kernels(of), n = mk_set_samples(of);
  mk_constants *constants = parse_constants(kernels, centre, scaling);
  normalizing work = {of, constants, parse_counted(rows, n), mk_plain_control()};
  work.control.max_time = mk_arg_number(seconds, "seconds", 0.0, R_PosInf);
  mk_arg_share(share, &work.control);
  double *numbers = (double *)R_alloc(4 * kernels, sizeof *numbers);
  double *scale = numbers, *total = scale + kernels;
  double *bad = total + kernels, *constant = bad + kernels;
  int most = mk_threads_for(threads, of, n);
  SEXP means = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)kernels));
  for (size_t m = 0; m < kernels; m++)
    if (mk_needs_means(of, m, &constants[m])) {
      SET_VECTOR_ELT(means, (R_xlen_t)m, Rf_allocVector(REALSXP, (R_xlen_t)n));
      constants[m].mean = REAL(VECTOR_ELT(means, (R_xlen_t)m));
    }
  mk_status status = mk_run(most, &work.control.team, normalize, &work);
  if (status == MK_TIME_LIMIT) {
    UNPROTECT(1);
    return R_NilValue;
  }
  size_t bad_count = 0, constant_count = 0;
  for (size_t m = 0; m < kernels; m++) {
    scale[m] = constants[m].scale;
    total[m] = constants[m].total;
    if (constants[m].constant)
      constant[constant_count++] = (double)m + 1.0;
    else if (constants[m].degenerate)
      bad[bad_count++] = (double)m + 1.0;
  }
  SEXP out = mk_wrap((const mk_item[]){MK_VECTOR("scale", scale, kernels),
                                       MK_VALUE("centre", means),
                                       MK_VECTOR("total", total, kernels),
                                       MK_VECTOR("bad", bad, bad_count),
                                       MK_VECTOR("constant", constant, constant_count),
                                       {NULL}});
  UNPROTECT(1);
  return out;
}

/* Returns the first kernel in which new samples have zero length, and these samples; NULL if there
 * is none. */
static SEXP zero_lengths(const mk_kernel_set *set, size_t from) {
  size_t n = mk_set_samples(set), count = 0;
  double *sample = (double *)R_alloc(n, sizeof *sample);
  for (size_t m = 0; m < mk_set_kernels(set); m++) {
    const double *root = mk_set_root(set, m), *has = mk_set_has(set, m);
    for (size_t i = from; root != NULL && !mk_set_zero_rows(set, m) && i < n; i++)
      if (root[i] == 0.0 && (has == NULL || has[i] > 0.0))
        sample[count++] = (double)(i - from) + 1.0;
    if (count > 0)
      return mk_wrap((const mk_item[]){
          MK_NUMBER("kernel", (double)m + 1.0), MK_VECTOR("sample", sample, count), {NULL}});
  }
  return R_NilValue;
}

typedef struct applying {
  mk_kernel_set *set;
  mk_constants *constants;
  size_t train;
  int full;
  mk_control control;
} applying;

static mk_status apply_constants(void *data) {
  applying *work = data;
  return mk_normalize_apply(work->set, work->constants, work->train, work->full, &work->control);
}

SEXP mk_r_set_constants(SEXP set, SEXP centre, SEXP scaling, SEXP scale, SEXP means, SEXP total,
                        SEXP known, SEXP full) {
  mk_kernel_set *of = mk_arg_set(set);
  size_t kernels = mk_set_kernels(of), n = mk_set_samples(of);
  mk_constants *constants = parse_constants(kernels, centre, scaling);
  const double *scales = mk_arg_doubles(scale, "scale", (R_xlen_t)kernels);
  const double *totals = mk_arg_doubles(total, "total", (R_xlen_t)kernels);
  int train = mk_arg_int(known, "n_train", 1, (int)n), complete = mk_arg_flag(full, "full");
  mk_arg_list(means, "centre_list", (R_xlen_t)kernels);
  for (size_t m = 0; m < kernels; m++) {
    constants[m].scale = scales[m];
    constants[m].total = totals[m];
    if (!mk_needs_means(of, m, &constants[m])) continue;
    const double *given = mk_arg_doubles(VECTOR_ELT(means, (R_xlen_t)m), "centre_list", train);
    constants[m].mean = (double *)R_alloc(n, sizeof(double));
    memcpy(constants[m].mean, given, (size_t)train * sizeof(double));
  }
  applying work = {of, constants, (size_t)train, complete, mk_plain_control()};
  mk_run_alone(apply_constants, &work);
  return zero_lengths(of, (size_t)train);
}

/* ---- kernel values ---- */

typedef struct filling {
  mk_matrix_ask ask;
  mk_control control;
} filling;

static mk_status fill_matrix(void *data) {
  filling *work = data;
  return mk_exact_matrix(&work->ask, &work->control);
}

SEXP mk_r_matrix(SEXP set, SEXP m, SEXP rows, SEXP cols, SEXP threads) {
  const mk_kernel_set *of = mk_arg_set(set);
  size_t n = mk_set_samples(of);
  filling work = {.ask = {.set = of,
                          .kernel = (size_t)mk_arg_int(m, "m", 1, (int)mk_set_kernels(of)) - 1,
                          .rows = mk_arg_positions(rows, "rows", n),
                          .cols = mk_arg_positions(cols, "cols", n),
                          .row_count = (size_t)XLENGTH(rows),
                          .col_count = (size_t)XLENGTH(cols)},
                  .control = mk_plain_control()};
  int team = mk_threads_for(threads, of, work.ask.row_count);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)XLENGTH(rows), (int)XLENGTH(cols)));
  work.ask.out = REAL(out);
  mk_run(team, &work.control.team, fill_matrix, &work);
  UNPROTECT(1);
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

static mk_status inspect_matrix(void *data) {
  inspecting *work = data;
  return mk_inspect(work->matrix, work->n, work->count, &work->control, work->facts);
}

/* Returns the largest value, asymmetry and smallest eigenvalue of all n x n matrices in a list,
 * whose elements hold one or (arrays) several. */
SEXP mk_r_inspect(SEXP matrices, SEXP n, SEXP threads) {
  size_t size = (size_t)mk_arg_int(n, "n", 1, INT_MAX), count = count_matrices(matrices, size);
  double values = (double)size * (double)size * (double)count;
  int most = mk_threads_worth(mk_arg_threads(threads), values);
  const double **matrix = (const double **)R_alloc(count + 1, sizeof *matrix);
  SEXP keeper = PROTECT(mk_keeper());
  for (size_t k = 0, m = 0; m < count; k++) {
    SEXP one = VECTOR_ELT(matrices, (R_xlen_t)k);
    size_t slices = (size_t)XLENGTH(one) / size / size;
    const double *value = REAL_RO(mk_keep(keeper, one));
    for (size_t slice = 0; slice < slices; slice++) matrix[m++] = value + slice * size * size;
  }
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, 3, (int)count));
  /* each column of `out` is an mk_matrix_facts */
  inspecting work = {matrix, size, count, mk_plain_control(), (mk_matrix_facts *)REAL(out)};
  mk_run(most, &work.control.team, inspect_matrix, &work);
  UNPROTECT(2);
  return out;
}
