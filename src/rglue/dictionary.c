/* Dictionaries of kernels out of R: parts that are described once and for all, kernels times sets
 * of columns; or a function that makes kernels by their numbers. */
#include "glue.h"

#include "base/memory.h"
#include "base/threads.h"
#include "sequential/sequential.h"
#include "sequential/source.h"

#include <stdlib.h>
#include <string.h>

/* Kernels times sets of columns: kernel b on set s has the number s * kernels + b. */
typedef struct part {
  const mk_handle *base; /* its specs */
  size_t kernels, sets;
  const int *centred, *scaling; /* by kernel */
  size_t *start;                /* sets + 1 offsets into ... */
  int *column;                  /* ... columns; NULL: kernels have their own */
  size_t first;                 /* number of its first kernel */
} part;

/* A set that R made, while it is in use. */
typedef struct loan {
  mk_kernel_set *set;
  SEXP pointer;
  struct loan *next;
} loan;

typedef struct dictionary {
  part *part;
  size_t parts;
  mk_kernel_set *views; /* any set over the views; NULL with a function */
  SEXP function;        /* R's, or NULL */
  loan *loans;
  mk_source source;
  mk_sourced *sourced;
  mk_stream stream;
} dictionary;

/* ---- kernels of parts ---- */

static const part *part_of(const dictionary *d, size_t m) {
  size_t low = 0, high = d->parts;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (d->part[middle].first <= m)
      low = middle;
    else
      high = middle;
  }
  return &d->part[low];
}

static void describe(const dictionary *d, size_t m, mk_kernel_spec *spec, mk_constants *constants) {
  const part *p = part_of(d, m);
  size_t b = (m - p->first) % p->kernels, s = (m - p->first) / p->kernels;
  *spec = p->base->specs[b];
  if (p->column != NULL) {
    spec->features = p->column + p->start[s];
    spec->feature_count = p->start[s + 1] - p->start[s];
  }
  *constants =
      (mk_constants){.scaling = (mk_scaling)p->scaling[b], .centred = p->centred[b], .scale = 1.0};
}

static mk_status open_parts(void *self, const size_t *which, size_t count, int bare, mk_team *team,
                            mk_kernel_set **set, mk_constants *constants) {
  const dictionary *d = self;
  mk_kernel_spec *spec = MK_NEW(mk_kernel_spec, count);
  if (spec == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < count; k++) describe(d, which[k], &spec[k], &constants[k]);
  mk_status status = mk_set_beside(set, d->views, spec, count, bare, team);
  mk_free(spec);
  return status;
}

static void close_parts(void *self, mk_kernel_set *set) {
  (void)self;
  mk_set_free(set);
}

/* ---- kernels of a function ---- */

/* A handle of its own, centre and scaling: list(set, centre, scaling). */
static mk_status take_set(dictionary *d, SEXP value, size_t count, mk_kernel_set **set,
                          mk_constants *constants) {
  SEXP pointer = VECTOR_ELT(value, 0);
  mk_handle *handle = mk_is_set(pointer) ? R_ExternalPtrAddr(pointer) : NULL;
  SEXP centre = VECTOR_ELT(value, 1), scaling = VECTOR_ELT(value, 2);
  if (handle == NULL || handle->set == NULL || mk_set_kernels(handle->set) != count ||
      mk_set_samples(handle->set) != d->source.samples || !Rf_isLogical(centre) ||
      !Rf_isInteger(scaling) || XLENGTH(centre) != (R_xlen_t)count ||
      XLENGTH(scaling) != (R_xlen_t)count)
    return MK_CALLBACK;
  for (size_t k = 0; k < count; k++)
    if (INTEGER(scaling)[k] < 0 || INTEGER(scaling)[k] > MK_SCALINGS) return MK_CALLBACK;
  loan *own = MK_NEW(loan, 1);
  if (own == NULL) return MK_NO_MEMORY;
  R_PreserveObject(pointer);
  *own = (loan){handle->set, pointer, d->loans};
  d->loans = own;
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
  mk_kernel_set **set;
  mk_constants *constants;
  mk_status status;
} opening;

static SEXP open_numbers(void *data) {
  opening *o = data;
  SEXP number = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)o->count));
  for (size_t k = 0; k < o->count; k++) REAL(number)[k] = (double)o->which[k] + 1.0;
  SEXP call = PROTECT(Rf_lang2(o->dictionary->function, number));
  SEXP value = PROTECT(Rf_eval(call, R_GlobalEnv));
  if (TYPEOF(value) == VECSXP && XLENGTH(value) == 3)
    o->status = take_set(o->dictionary, value, o->count, o->set, o->constants);
  UNPROTECT(3);
  return R_NilValue;
}

static mk_status open_function(void *self, const size_t *which, size_t count, int bare,
                               mk_team *team, mk_kernel_set **set, mk_constants *constants) {
  opening o = {self, which, count, set, constants, MK_CALLBACK};
  (void)bare;
  (void)team;
  return mk_call(open_numbers, &o) ? o.status : MK_CALLBACK;
}

static void close_function(void *self, mk_kernel_set *set) {
  dictionary *d = self;
  for (loan **at = &d->loans; *at != NULL; at = &(*at)->next) {
    loan *own = *at;
    if (own->set != set) continue;
    R_ReleaseObject(own->pointer);
    *at = own->next;
    mk_free(own);
    return;
  }
}

/* ---- the handle ---- */

static void release(dictionary *d) {
  if (d == NULL) return;
  while (d->loans != NULL) close_function(d, d->loans->set);
  for (size_t p = 0; d->part != NULL && p < d->parts; p++) {
    mk_free(d->part[p].start);
    mk_free(d->part[p].column);
  }
  mk_free(d->part);
  mk_set_free(d->views);
  mk_sourced_free(d->sourced);
  mk_free(d);
}

static void finalize(SEXP pointer) {
  release(R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
}

static SEXP stream_tag(void) {
  return Rf_install("manykernels_stream");
}

static dictionary *parse_stream(SEXP pointer) {
  if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrTag(pointer) != stream_tag())
    Rf_error("`stream` must be a handle of a dictionary");
  dictionary *d = R_ExternalPtrAddr(pointer);
  if (d == NULL || d->sourced == NULL)
    Rf_error("`stream` is not alive any more (handles do not survive saving)");
  return d;
}

/* ---- parsing ---- */

static int compare_columns(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Columns of every set, rising, each once, from 0. */
static void parse_sets(part *p, SEXP sets) {
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

/* Returns the handle of the kernels, which is to be kept. */
static SEXP parse_part(part *p, SEXP x, SEXP views, int n, mk_view **parsed) {
  mk_description d = {.views = views,
                      .type = mk_list_get(x, "type", "parts"),
                      .view = mk_list_get(x, "view", "parts"),
                      .features = mk_list_get(x, "features", "parts"),
                      .par = mk_list_get(x, "par", "parts"),
                      .data = mk_list_get(x, "data", "parts"),
                      .samples = n};
  SEXP base = PROTECT(mk_describe(&d)), sets = mk_list_get(x, "sets", "parts");
  R_xlen_t kernels = XLENGTH(d.type);
  SEXP scaling = mk_list_get(x, "scaling", "parts"), centre = mk_list_get(x, "centre", "parts");
  if (kernels == 0) Rf_error("`parts` must have kernels");
  p->base = R_ExternalPtrAddr(base);
  p->kernels = (size_t)kernels;
  p->sets = 1;
  p->centred = mk_arg_ints(centre, "centre", kernels, 0, 1);
  p->scaling = mk_arg_ints(scaling, "scaling", kernels, 0, MK_SCALINGS);
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
  return base;
}

static int has_callbacks(const part *p) {
  for (size_t b = 0; b < p->kernels; b++)
    if (p->base->specs[b].type == MK_FUNCTION) return 1;
  return 0;
}

/* Keeps what is read of R's memory in `kept`, a list with room for parts. */
static void parse_parts(dictionary *d, SEXP parts, SEXP views, int n, SEXP kept) {
  mk_view *parsed = NULL;
  mk_arg_list(parts, "parts", -1);
  d->parts = (size_t)XLENGTH(parts);
  if (d->parts == 0) Rf_error("`parts` must not be empty");
  d->part = MK_NEW0(part, d->parts);
  if (d->part == NULL) mk_fail(MK_NO_MEMORY);
  for (size_t p = 0; p < d->parts; p++) {
    SEXP base = parse_part(&d->part[p], VECTOR_ELT(parts, (R_xlen_t)p), views, n, &parsed);
    SET_VECTOR_ELT(kept, (R_xlen_t)p, base);
    d->part[p].first = d->source.size;
    d->source.size += d->part[p].kernels * d->part[p].sets;
    d->source.serial |= has_callbacks(&d->part[p]);
  }
  mk_kernel_spec spec;
  mk_constants constants;
  describe(d, 0, &spec, &constants);
  mk_fail(mk_set_new(&d->views, (size_t)n, parsed, (size_t)XLENGTH(views), &spec, 1, NULL));
  d->source.open = open_parts;
  d->source.close = close_parts;
}

static void parse_function(dictionary *d, SEXP x) {
  d->function = mk_list_get(x, "open", "parts");
  if (!Rf_isFunction(d->function)) Rf_error("`open` must be a function");
  d->source.size = (size_t)mk_arg_number(mk_list_get(x, "size", "parts"), "size", 1.0, 1e12);
  d->source.serial = 1;
  d->source.open = open_function;
  d->source.close = close_function;
}

static int is_function_part(SEXP parts) {
  return TYPEOF(parts) == VECSXP && XLENGTH(parts) == 2 && Rf_isFunction(VECTOR_ELT(parts, 0));
}

/* parts: list(open = , size = ), or a list of parts. */
SEXP mk_r_stream_new(SEXP parts, SEXP views, SEXP n, SEXP threads) {
  int samples = mk_arg_int(n, "n", 1, INT_MAX);
  mk_arg_threads(threads);
  mk_arg_list(views, "views", -1);
  mk_arg_list(parts, "parts", -1);
  SEXP bases = PROTECT(Rf_allocVector(VECSXP, XLENGTH(parts)));
  SEXP kept = PROTECT(Rf_list3(parts, views, bases));
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, stream_tag(), kept));
  R_RegisterCFinalizerEx(pointer, finalize, TRUE);
  dictionary *d = MK_NEW0(dictionary, 1);
  if (d == NULL) mk_fail(MK_NO_MEMORY);
  R_SetExternalPtrAddr(pointer, d);
  d->source.self = d;
  d->source.samples = (size_t)samples;
  if (is_function_part(parts))
    parse_function(d, parts);
  else
    parse_parts(d, parts, views, samples, bases);
  mk_fail(mk_sourced_new(&d->sourced, &d->source, &d->stream));
  UNPROTECT(3);
  return pointer;
}

/* ---- calls ---- */

/* list(bad = ): the number of a kernel that can't be normalised, where that is what has happened.
 */
static SEXP wrap_bad(const dictionary *d, mk_status status) {
  size_t bad = mk_sourced_bad(d->sourced);
  if (status != MK_BAD_ARGUMENT || bad >= d->source.size) return R_NilValue;
  const char *names[] = {"bad"};
  SEXP value = PROTECT(Rf_ScalarReal((double)bad + 1.0));
  SEXP out = mk_named_list(1, names, &value);
  UNPROTECT(1);
  return out;
}

typedef struct scanning {
  const mk_stream *stream;
  mk_scan scan;
  mk_control control;
} scanning;

#define STRETCH ((size_t)1 << 16)

static mk_status scan_all(void *data) {
  scanning *work = data;
  mk_scan part = work->scan;
  for (part.from = 0; part.from < work->stream->size; part.from += STRETCH) {
    size_t rest = work->stream->size - part.from;
    part.count = rest < STRETCH ? rest : STRETCH;
    part.strength = work->scan.strength + part.from;
    MK_TRY(work->stream->strengths(work->stream->self, &part, &work->control));
  }
  return MK_OK;
}

/* alpha'K_m alpha, summed over the columns of alpha, of all kernels. */
SEXP mk_r_stream_strengths(SEXP stream, SEXP alpha, SEXP threads) {
  dictionary *d = parse_stream(stream);
  scanning work = {.stream = &d->stream, .control = mk_plain_control()};
  size_t n = d->source.samples;
  work.scan.alpha = mk_arg_doubles(alpha, "alpha", -1);
  if (XLENGTH(alpha) == 0 || (size_t)XLENGTH(alpha) % n != 0)
    Rf_error("`alpha` must have %.0f rows", (double)n);
  work.scan.tasks = (size_t)XLENGTH(alpha) / n;
  work.scan.exact = 1;
  int most = mk_arg_threads(threads);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)d->source.size));
  work.scan.strength = REAL(out);
  mk_status status = mk_team_run(most, &work.control.team, scan_all, &work);
  SEXP bad = PROTECT(wrap_bad(d, status));
  mk_fail(bad == R_NilValue ? status : MK_OK);
  UNPROTECT(2);
  return bad == R_NilValue ? out : bad;
}

typedef struct learning {
  const mk_stream *stream;
  const mk_problem *problem;
  mk_sequential_settings settings;
  mk_control control;
  mk_sequential_solution *solution;
} learning;

static mk_status learn(void *data) {
  learning *work = data;
  return mk_sequential(work->stream, work->problem, &work->settings, &work->control,
                       work->solution);
}

static void free_solution(SEXP pointer) {
  mk_sequential_solution *solution = R_ExternalPtrAddr(pointer);
  if (solution != NULL) mk_sequential_clear(solution);
  mk_free(solution);
  R_ClearExternalPtr(pointer);
}

static SEXP wrap_passes(const mk_sequential_solution *s) {
  const char *names[] = {"pass",      "scanned", "inserted", "active_kernels",
                         "objective", "gap",     "time"};
  SEXP values[7];
  for (int k = 0; k < 7; k++) values[k] = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)s->passes));
  for (size_t i = 0; i < s->passes; i++) {
    const mk_sequential_pass *p = &s->pass[i];
    const double line[] = {(double)i + 1.0, p->scanned, p->inserted, p->active,
                           p->objective,    p->gap,     p->seconds};
    for (int k = 0; k < 7; k++) REAL(values[k])[i] = line[k];
  }
  SEXP out = mk_named_list(7, names, values);
  UNPROTECT(7);
  return out;
}

static SEXP wrap_selected(const mk_sequential_solution *s) {
  SEXP out = Rf_allocVector(REALSXP, (R_xlen_t)s->count);
  for (size_t k = 0; k < s->count; k++) REAL(out)[k] = (double)s->selected[k] + 1.0;
  return out;
}

SEXP mk_wrap_sequential(const mk_problem *problem, const mk_sequential_solution *s,
                        mk_status status) {
  const char *names[] = {"selected", "theta",   "alpha",    "offset",    "objective", "primal",
                         "gap",      "status",  "forms",    "decision",  "history",   "memory",
                         "solves",   "largest", "complete", "iterations"};
  size_t n = problem->n, tasks = problem->tasks;
  SEXP values[16];
  values[0] = PROTECT(wrap_selected(s));
  values[1] = PROTECT(mk_wrap_doubles(s->fit.theta, s->count));
  values[2] = PROTECT(mk_wrap_matrix(s->fit.alpha, n, tasks));
  values[3] = PROTECT(mk_wrap_doubles(s->fit.offset, tasks));
  values[4] = PROTECT(Rf_ScalarReal(s->fit.dual));
  values[5] = PROTECT(Rf_ScalarReal(s->fit.primal));
  values[6] = PROTECT(Rf_ScalarReal(s->fit.gap));
  values[7] = PROTECT(Rf_ScalarInteger(mk_status_code(status)));
  values[8] = PROTECT(mk_wrap_doubles(s->fit.forms, s->count));
  values[9] = PROTECT(mk_wrap_matrix(s->fit.decision, n, tasks));
  values[10] = PROTECT(wrap_passes(s));
  values[11] = PROTECT(Rf_ScalarReal((double)s->fit.bytes));
  values[12] = PROTECT(Rf_ScalarReal(s->fit.solves));
  values[13] = PROTECT(Rf_ScalarReal(s->largest));
  values[14] = PROTECT(Rf_ScalarLogical(s->complete));
  values[15] = PROTECT(Rf_ScalarReal(s->fit.iterations));
  SEXP out = mk_named_list(16, names, values);
  UNPROTECT(16);
  return out;
}

SEXP mk_r_sequential(SEXP stream, SEXP y, SEXP cost, SEXP loss, SEXP control, SEXP settings,
                     SEXP progress) {
  dictionary *d = parse_stream(stream);
  mk_problem problem = mk_arg_problem(d->source.samples, y, cost, loss);
  mk_norm norm = mk_lp(1.0);
  learning work = {
      .stream = &d->stream, .problem = &problem, .control = mk_arg_control(control, progress)};
  const char *field[] = {"insert", "pool"};
  size_t *to[] = {&work.settings.insert, &work.settings.pool};
  for (int k = 0; k < 2; k++)
    *to[k] = (size_t)mk_arg_number(mk_list_get(settings, field[k], "settings"), field[k], 0.0, 1e9);
  work.settings.optimizer = mk_arg_optimizer(control, &norm);
  int most = mk_arg_threads(mk_list_get(control, "threads", "control"));
  SEXP owner = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
  R_RegisterCFinalizer(owner, free_solution);
  work.solution = MK_NEW0(mk_sequential_solution, 1);
  if (work.solution == NULL) mk_fail(MK_NO_MEMORY);
  R_SetExternalPtrAddr(owner, work.solution);
  mk_status status = mk_team_run(most, &work.control.team, learn, &work);
  SEXP out = PROTECT(wrap_bad(d, status));
  mk_fail(out == R_NilValue ? status : MK_OK);
  if (out == R_NilValue) out = mk_wrap_sequential(&problem, work.solution, status);
  UNPROTECT(1);
  PROTECT(out);
  free_solution(owner);
  UNPROTECT(2);
  return out;
}
