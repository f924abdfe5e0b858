/* Entry points for weighted degree kernels: handles of function kernels, from which sets are made.
 * Called by R/kernel-weighted-degree.R. MATHEMATICS.md, section 4.1. */
#include "rglue/weighted-degree.h"

#include "base/memory.h"
#include "rglue/arguments.h"
#include "rglue/call.h"
#include "rglue/keep.h"
#include "rglue/kernels.h"
#include "rglue/results.h"
#include "string/degree-scorer.h"
#include "string/weighted-degree.h"

/* A function kernel over sequences whose letters R holds. */
typedef struct degree_handle {
  mk_function_handle base; /* first, since users of the handle read this part only */
  size_t *start;
} degree_handle;

static void clear_handle(void *data) {
  degree_handle *handle = data;
  mk_weighted_degree_free(handle->base.spec.function_data);
  mk_free(handle->start);
}

#define UNKNOWN 255 /* code of an unknown letter */

mk_sequences mk_arg_sequences(SEXP owner, SEXP x) {
  SEXP code = mk_keep(owner, mk_list_get(x, "code", "view")),
       start = mk_list_get(x, "start", "view");
  mk_sequences out = {.letters = (int)mk_list_number(x, "letters", "view", 1.0, 64.0)};
  const double *given = mk_arg_doubles(start, "view$start", -1);
  size_t *own = (size_t *)R_alloc((size_t)XLENGTH(start) + 1, sizeof *own);
  if (TYPEOF(code) != RAWSXP) Rf_error("`view$code` must be a raw vector");
  if (XLENGTH(start) < 2) Rf_error("`view$start` must have at least two elements");
  for (R_xlen_t i = 0; i < XLENGTH(start); i++) {
    if (given[i] < (i > 0 ? given[i - 1] : 0.0) || given[i] > (double)XLENGTH(code))
      Rf_error("`view$start` must rise from 0 to the length of `view$code`");
    own[i] = (size_t)given[i];
  }
  out.code = RAW_RO(code);
  for (R_xlen_t l = 0; l < XLENGTH(code); l++)
    if (out.code[l] >= out.letters && out.code[l] != UNKNOWN)
      Rf_error("`view$code` must lie below %d, or be %d", out.letters, UNKNOWN);
  out.count = (size_t)XLENGTH(start) - 1;
  out.start = own;
  return out;
}

/* Parses the spec of a kernel into R's memory. `weights` has one row per number of mismatches and
 * one column per degree; `shifts` begin with shift 0. */
static mk_degree_spec parse_spec(SEXP weights, SEXP shifts, SEXP positions, size_t length) {
  mk_degree_spec spec = {0};
  if (!Rf_isReal(weights) || !Rf_isMatrix(weights) || XLENGTH(weights) == 0)
    Rf_error("`weights` must be a double matrix");
  spec.degree = Rf_ncols(weights);
  spec.mismatches = Rf_nrows(weights) - 1;
  const double *by_degree = mk_arg_doubles(weights, "weights", -1);
  double *weight = (double *)R_alloc((size_t)XLENGTH(weights), sizeof *weight);
  for (int m = 0; m <= spec.mismatches; m++)
    for (int d = 0; d < spec.degree; d++)
      weight[m * spec.degree + d] = by_degree[d * (spec.mismatches + 1) + m];
  spec.weight = weight;
  spec.shift_weight = mk_arg_doubles(shifts, "shift_weights", -1);
  if (XLENGTH(shifts) == 0 || XLENGTH(shifts) > INT_MAX)
    Rf_error("`shift_weights` must have an element for each shift");
  spec.shift = (int)XLENGTH(shifts) - 1;
  if (positions == R_NilValue) return spec;
  spec.position_weight = mk_arg_doubles(positions, "position_weights", -1);
  if ((size_t)XLENGTH(positions) < length)
    Rf_error("`position_weights` must have at least %.0f elements", (double)length);
  return spec;
}

/* Returns the length of the longest sequence. */
static size_t longest(const mk_sequences *sequences) {
  size_t most = 0;
  for (size_t i = 0; i < sequences->count; i++)
    if (sequences->start[i + 1] - sequences->start[i] > most)
      most = sequences->start[i + 1] - sequences->start[i];
  return most;
}

typedef struct preparing {
  const mk_sequences *sequences;
  const mk_degree_spec *spec;
  degree_handle *handle;
} preparing;

static mk_status make_kernel(void *data) {
  preparing *work = data;
  mk_weighted_degree *kernel;
  mk_status status = mk_weighted_degree_new(&kernel, work->sequences, work->spec);
  work->handle->base.spec.function_data = kernel;
  return status;
}

SEXP mk_r_weighted_degree(SEXP view, SEXP weights, SEXP shifts, SEXP positions) {
  SEXP pointer =
      PROTECT(mk_own(sizeof(degree_handle), clear_handle, mk_function_tag(), R_NilValue));
  mk_sequences sequences = mk_arg_sequences(pointer, view);
  mk_degree_spec spec = parse_spec(weights, shifts, positions, longest(&sequences));
  degree_handle *handle = mk_owned(pointer);
  handle->start = MK_NEW(size_t, sequences.count + 1);
  if (handle->start == NULL) mk_fail(MK_NO_MEMORY);
  for (size_t i = 0; i <= sequences.count; i++) handle->start[i] = sequences.start[i];
  sequences.start = handle->start;
  handle->base.samples = sequences.count;
  handle->base.spec = (mk_kernel_spec){
      .type = MK_FUNCTION, .function = mk_weighted_degree_values, .thread_safe = 1};
  mk_run_alone(make_kernel, &(preparing){&sequences, &spec, handle});
  if (spec.mismatches == 0) {
    handle->base.spec.expand = mk_weighted_degree_expand;
    handle->base.spec.expand_units = mk_weighted_degree_units(handle->base.spec.function_data);
  }
  UNPROTECT(1);
  return pointer;
}

/* ---- profiles ---- */

typedef struct profiling {
  mk_weighted_degree *kernel;
  const int *sample;
  const double *alpha;
  size_t count;
  mk_control control;
  double *out;
} profiling;

static mk_status profile(void *data) {
  profiling *work = data;
  return mk_weighted_degree_profile(work->kernel, work->sample, work->count, work->alpha,
                                    &work->control, work->out);
}

static mk_status diagonal(void *data) {
  profiling *work = data;
  for (size_t i = 0; i < work->count; i++)
    if (mk_weighted_degree_values(work->kernel, &work->sample[i], 1, &work->sample[i], 1,
                                  &work->out[i]) != 0)
      return MK_NO_MEMORY;
  return MK_OK;
}

/* Returns alpha'K alpha by position, with one alpha per sequence, for a kernel without mismatches;
 * if alpha is NULL, k(x, x) of each sequence. */
SEXP mk_r_degree_profile(SEXP pointer, SEXP alpha, SEXP threads) {
  const mk_function_handle *handle = mk_arg_function(pointer);
  if (handle->spec.function != mk_weighted_degree_values)
    Rf_error("`pointer` must be a weighted degree kernel");
  int by_position = alpha != R_NilValue;
  if (by_position && handle->spec.expand == NULL)
    Rf_error("`pointer` must be a kernel without mismatches");
  profiling work = {.kernel = handle->spec.function_data,
                    .count = handle->samples,
                    .control = mk_plain_control()};
  if (by_position) work.alpha = mk_arg_doubles(alpha, "alpha", (R_xlen_t)work.count);
  int *sample = (int *)R_alloc(work.count, sizeof *sample);
  for (size_t i = 0; i < work.count; i++) sample[i] = (int)i;
  work.sample = sample;
  size_t length = by_position ? mk_weighted_degree_length(work.kernel) : work.count;
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)length));
  work.out = REAL(out);
  mk_run(mk_arg_threads(threads), &work.control.team, by_position ? profile : diagonal, &work);
  UNPROTECT(1);
  return out;
}
