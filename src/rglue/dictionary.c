/* Dictionaries of kernels: parts described once, as kernels times sets of columns, or an R function
 * that makes kernels by their numbers. Called by R/dictionary.R. MATHEMATICS.md, section 6.3. */
#include "dictionary.h"

#include "base/memory.h"
#include "rglue/arguments.h"
#include "rglue/call.h"
#include "rglue/keep.h"
#include "rglue/kernels.h"
#include "rglue/results.h"

#include <math.h>
#include <stdlib.h>

typedef mk_dictionary_handle dictionary;

/* ---- kernels of parts ---- */

static void describe(const dictionary *d, size_t m, mk_kernel_spec *spec, mk_constants *constants) {
  const mk_dictionary_part *p = &d->part[d->parts - 1];
  while (p->first > m) p--;
  size_t b = (m - p->first) % p->kernels, s = (m - p->first) / p->kernels;
  *spec = p->base->specs[b];
  if (p->column != NULL) {
    spec->features = p->column + p->start[s];
    spec->feature_count = p->start[s + 1] - p->start[s];
  }
  *constants =
      (mk_constants){.scaling = (mk_scaling)p->scaling[b], .centred = p->centred[b], .scale = 1.0};
}

static mk_status open_parts(void *self, const size_t *which, size_t count,
                            const mk_control *control, int selected, mk_kernel_set **set,
                            mk_constants *constants) {
  const dictionary *d = self;
  (void)selected;
  mk_kernel_spec *spec = MK_NEW(mk_kernel_spec, count);
  if (spec == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < count; k++) describe(d, which[k], &spec[k], &constants[k]);
  mk_status status = mk_set_beside(set, d->views, spec, count, control->team);
  mk_free(spec);
  return status;
}

static void close_parts(void *self, mk_kernel_set *set) {
  (void)self;
  mk_set_free(set);
}

/* ---- kernels of a function ---- */

/* Takes the result list(set, centre, scaling) of the function. Its handle is kept while the set is
 * open; only one is open at a time. It is NULL if there was no time to make a set. */
static mk_status take_set(dictionary *d, SEXP value, size_t count, mk_kernel_set **set,
                          mk_constants *constants) {
  SEXP pointer = VECTOR_ELT(value, 0), centre = VECTOR_ELT(value, 1),
       scaling = VECTOR_ELT(value, 2);
  const mk_handle *handle = mk_is_set(pointer) ? mk_owned(pointer) : NULL;
  if (handle == NULL || handle->set == NULL || mk_set_kernels(handle->set) != count ||
      mk_set_samples(handle->set) != d->source.samples || !Rf_isLogical(centre) ||
      !Rf_isInteger(scaling) || XLENGTH(centre) != (R_xlen_t)count ||
      XLENGTH(scaling) != (R_xlen_t)count)
    return MK_CALLBACK;
  for (size_t k = 0; k < count; k++)
    if (INTEGER(scaling)[k] < 0 || INTEGER(scaling)[k] > MK_SCALINGS) return MK_CALLBACK;
  SETCAR(d->lent, pointer);
  *set = handle->set;
  for (size_t k = 0; k < count; k++)
    constants[k] = (mk_constants){
        .scaling = (mk_scaling)INTEGER(scaling)[k], .centred = LOGICAL(centre)[k], .scale = 1.0};
  return MK_OK;
}

typedef struct opening {
  dictionary *dictionary;
  const size_t *which;
  size_t count;
  double seconds; /* seconds left */
  int selected;
  mk_kernel_set **set;
  mk_constants *constants;
  mk_status status;
} opening;

static SEXP open_numbers(void *data) {
  opening *o = data;
  SEXP number = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)o->count));
  for (size_t k = 0; k < o->count; k++) REAL(number)[k] = (double)o->which[k] + 1.0;
  SEXP seconds = PROTECT(Rf_ScalarReal(o->seconds));
  SEXP selected = PROTECT(Rf_ScalarLogical(o->selected));
  SEXP call = PROTECT(Rf_lang4(o->dictionary->function, number, seconds, selected));
  SEXP value = PROTECT(Rf_eval(call, R_GlobalEnv));
  if (value == R_NilValue && isfinite(o->seconds)) o->status = MK_TIME_LIMIT;
  if (TYPEOF(value) == VECSXP && XLENGTH(value) == 3)
    o->status = take_set(o->dictionary, value, o->count, o->set, o->constants);
  UNPROTECT(5);
  return R_NilValue;
}

static mk_status open_function(void *self, const size_t *which, size_t count,
                               const mk_control *control, int selected, mk_kernel_set **set,
                               mk_constants *constants) {
  double seconds = control->max_time - (mk_seconds() - control->start);
  opening o = {self, which, count, seconds, selected, set, constants, MK_CALLBACK};
  return mk_call(open_numbers, &o) ? o.status : MK_CALLBACK;
}

static void close_function(void *self, mk_kernel_set *set) {
  dictionary *d = self;
  (void)set;
  SETCAR(d->lent, R_NilValue);
}

/* ---- the handle ---- */

static void clear_dictionary(void *data) {
  dictionary *d = data;
  for (size_t p = 0; d->part != NULL && p < d->parts; p++) {
    mk_free(d->part[p].start);
    mk_free(d->part[p].column);
  }
  mk_free(d->part);
  mk_set_free(d->views);
  mk_sourced_free(d->sourced);
}

static SEXP stream_tag(void) {
  return Rf_install("manykernels_stream");
}

mk_dictionary_handle *mk_arg_stream(SEXP pointer) {
  if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrTag(pointer) != stream_tag())
    Rf_error("`stream` must be a handle of a dictionary");
  dictionary *d = mk_owned(pointer);
  if (d == NULL || d->sourced == NULL)
    Rf_error("`stream` is not alive any more (handles do not survive saving)");
  return d;
}

/* ---- parsing ---- */

static int compare_columns(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Parses the columns of every set: rising, each once, from 0. */
static void parse_sets(mk_dictionary_part *p, SEXP sets) {
  SEXP column = mk_list_get(sets, "column", "sets"), start = mk_list_get(sets, "start", "sets");
  const int *given = mk_arg_ints(column, "sets$column", -1, 1, INT_MAX);
  const double *from = mk_arg_doubles(start, "sets$start", -1);
  R_xlen_t count = XLENGTH(start) - 1;
  if (count < 1 || from[0] != 0.0 || from[count] != (double)XLENGTH(column))
    Rf_error("`sets$start` must rise from 0 to the number of columns");
  for (R_xlen_t s = 0; s < count; s++)
    if (!(from[s] < from[s + 1])) Rf_error("`sets$start` must rise");
  p->sets = (size_t)count;
  p->start = MK_NEW(size_t, p->sets + 1);
  p->column = MK_NEW(int, (size_t)XLENGTH(column));
  if (p->start == NULL || p->column == NULL) mk_fail(MK_NO_MEMORY);
  size_t at = 0;
  p->start[0] = 0;
  for (size_t s = 0; s < p->sets; s++) {
    size_t first = at, length = (size_t)from[s + 1] - (size_t)from[s];
    for (size_t k = 0; k < length; k++) p->column[at + k] = given[(size_t)from[s] + k] - 1;
    qsort(p->column + at, length, sizeof(int), compare_columns);
    for (size_t k = 0; k < length; k++)
      if (at == first || p->column[at - 1] != p->column[first + k])
        p->column[at++] = p->column[first + k];
    p->start[s + 1] = at;
  }
}

/* Parses a part; the owner keeps the handle of its kernels. */
static void parse_part(SEXP owner, mk_dictionary_part *p, SEXP x, SEXP views, int n,
                       mk_view **parsed) {
  mk_description d = {.views = views,
                      .type = mk_list_get(x, "type", "parts"),
                      .view = mk_list_get(x, "view", "parts"),
                      .features = mk_list_get(x, "features", "parts"),
                      .par = mk_list_get(x, "par", "parts"),
                      .data = mk_list_get(x, "data", "parts"),
                      .samples = n};
  SEXP base = mk_keep(owner, PROTECT(mk_describe(&d))), sets = mk_list_get(x, "sets", "parts");
  R_xlen_t kernels = XLENGTH(d.type);
  SEXP scaling = mk_list_get(x, "scaling", "parts"), centre = mk_list_get(x, "centre", "parts");
  if (kernels == 0) Rf_error("`parts` must have kernels");
  p->base = mk_owned(base);
  p->kernels = (size_t)kernels;
  p->sets = 1;
  p->centred = mk_arg_ints(mk_keep(owner, centre), "centre", kernels, 0, 1);
  p->scaling = mk_arg_ints(mk_keep(owner, scaling), "scaling", kernels, 0, MK_SCALINGS);
  if (sets != R_NilValue) parse_sets(p, sets);
  for (size_t b = 0; b < p->kernels && p->column != NULL; b++) {
    const mk_kernel_spec *spec = &p->base->specs[b];
    if (spec->view < 0) Rf_error("`parts` with sets of columns must have kernels on a view");
    for (size_t k = 0; k < p->start[p->sets]; k++)
      if ((size_t)p->column[k] >= d.parsed[spec->view].cols)
        Rf_error("`sets` must hold columns of the kernels' view");
  }
  *parsed = d.parsed;
  UNPROTECT(1);
}

static int has_callbacks(const mk_dictionary_part *p) {
  for (size_t b = 0; b < p->kernels; b++)
    if (p->base->specs[b].function != NULL && !p->base->specs[b].thread_safe) return 1;
  return 0;
}

typedef struct viewing {
  dictionary *dictionary;
  const mk_view *view;
  size_t views;
} viewing;

/* Makes a set of any kernel, of which only the views are used. */
static mk_status open_views(void *data) {
  viewing *work = data;
  dictionary *d = work->dictionary;
  mk_kernel_spec spec;
  mk_constants constants;
  describe(d, 0, &spec, &constants);
  return mk_set_new(&d->views, d->source.samples, work->view, work->views, &spec, 1, NULL);
}

static void parse_parts(SEXP owner, SEXP parts, SEXP views, int n) {
  dictionary *d = mk_owned(owner);
  mk_view *parsed = NULL;
  mk_arg_list(parts, "parts", -1);
  d->parts = (size_t)XLENGTH(parts);
  if (d->parts == 0) Rf_error("`parts` must not be empty");
  d->part = MK_NEW0(mk_dictionary_part, d->parts);
  if (d->part == NULL) mk_fail(MK_NO_MEMORY);
  for (size_t p = 0; p < d->parts; p++) {
    parse_part(owner, &d->part[p], VECTOR_ELT(parts, (R_xlen_t)p), views, n, &parsed);
    d->part[p].first = d->source.size;
    d->source.size += d->part[p].kernels * d->part[p].sets;
    d->source.serial |= has_callbacks(&d->part[p]);
  }
  mk_run_alone(open_views, &(viewing){d, parsed, (size_t)XLENGTH(views)});
  d->source.open = open_parts;
  d->source.close = close_parts;
}

static void parse_function(SEXP owner, SEXP x) {
  dictionary *d = mk_owned(owner);
  d->function = mk_keep(owner, mk_list_get(x, "open", "parts"));
  if (!Rf_isFunction(d->function)) Rf_error("`open` must be a function");
  d->source.size = mk_size(mk_arg_number(mk_list_get(x, "size", "parts"), "size", 1.0, 1e12));
  d->source.serial = 1;
  d->source.open = open_function;
  d->source.close = close_function;
}

static int is_function_part(SEXP parts) {
  return TYPEOF(parts) == VECSXP && XLENGTH(parts) == 2 && Rf_isFunction(VECTOR_ELT(parts, 0));
}

static mk_status open_stream(void *data) {
  dictionary *d = data;
  return mk_sourced_new(&d->sourced, &d->source, &d->stream);
}

/* Makes a dictionary. `parts` is list(open = , size = ), or a list of parts. */
SEXP mk_r_stream_new(SEXP parts, SEXP views, SEXP n, SEXP threads) {
  int samples = mk_arg_int(n, "n", 1, INT_MAX);
  mk_arg_threads(threads);
  mk_arg_list(views, "views", -1);
  mk_arg_list(parts, "parts", -1);
  SEXP lent = PROTECT(Rf_list1(R_NilValue));
  SEXP pointer = PROTECT(mk_own(sizeof(dictionary), clear_dictionary, stream_tag(), lent));
  dictionary *d = mk_owned(pointer);
  d->lent = lent;
  d->source.self = d;
  d->source.samples = (size_t)samples;
  if (is_function_part(parts))
    parse_function(pointer, parts);
  else
    parse_parts(pointer, parts, views, samples);
  mk_run_alone(open_stream, d);
  UNPROTECT(2);
  return pointer;
}
