/* Entry points for fits over dictionaries, and for the strengths of all their kernels. Called by
 * R/sequential-steps.R, R/sequential.R, and by local.c for its results. MATHEMATICS.md, section
 * 6.3. */
#include "rglue/sequential.h"

#include "rglue/arguments.h"
#include "rglue/call.h"
#include "rglue/dictionary.h"
#include "rglue/problem.h"
#include "rglue/results.h"
#include "sequential/sequential.h"

/* Turns a kernel that cannot be normalised into the result list(bad = its number), and a dictionary
 * of constant kernels into list(bad = 0). */
static mk_status note_bad(const mk_dictionary_handle *d, mk_status status, int *is_bad) {
  size_t size = d->source.size;
  *is_bad = status == MK_BAD_ARGUMENT &&
            (mk_sourced_bad(d->sourced) < size || mk_sourced_constants(d->sourced) == size);
  return *is_bad ? MK_OK : status;
}

static SEXP wrap_bad(const mk_dictionary_handle *d) {
  size_t bad = mk_sourced_bad(d->sourced);
  double number = bad < d->source.size ? (double)bad + 1.0 : 0.0;
  return mk_wrap((const mk_item[]){MK_NUMBER("bad", number), {NULL}});
}

/* Returns the numbers of the constant kernels. */
SEXP mk_r_stream_constants(SEXP stream) {
  mk_dictionary_handle *d = mk_arg_stream(stream);
  size_t left = mk_sourced_constants(d->sourced);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)left));
  double *number = REAL(out);
  for (size_t m = 0; left > 0 && m < d->source.size; m++) {
    if (!mk_sourced_is_constant(d->sourced, m)) continue;
    *number++ = (double)m + 1.0;
    left--;
  }
  UNPROTECT(1);
  return out;
}

typedef struct scanning {
  const mk_dictionary_handle *dictionary;
  int is_bad;
  mk_scan scan;
  mk_control control;
} scanning;

static mk_status scan(void *data) {
  scanning *work = data;
  mk_status status = mk_stream_scan(&work->dictionary->stream, &work->scan, &work->control);
  return note_bad(work->dictionary, status, &work->is_bad);
}

/* Returns alpha'K_m alpha of all kernels, summed over the columns of alpha. */
SEXP mk_r_stream_strengths(SEXP stream, SEXP alpha, SEXP threads) {
  mk_dictionary_handle *d = mk_arg_stream(stream);
  scanning work = {.dictionary = d,
                   .scan = {.count = d->source.size, .exact = 1},
                   .control = mk_plain_control()};
  work.scan.alpha = mk_arg_columns(alpha, "alpha", d->source.samples, &work.scan.tasks);
  int most = mk_arg_threads(threads);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)d->source.size));
  work.scan.strength = REAL(out);
  mk_run(most, &work.control.team, scan, &work);
  if (work.is_bad) out = wrap_bad(d);
  UNPROTECT(1);
  return out;
}

static SEXP wrap_passes(const mk_sequential_solution *s) {
  SEXP number = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)s->passes));
  for (size_t i = 0; i < s->passes; i++) REAL(number)[i] = (double)i + 1.0;
  SEXP out = mk_wrap((const mk_item[]){MK_VALUE("pass", number),
                                       MK_FIELD("scanned", s->pass, scanned, s->passes),
                                       MK_FIELD("inserted", s->pass, inserted, s->passes),
                                       MK_FIELD("active_kernels", s->pass, active, s->passes),
                                       MK_FIELD("objective", s->pass, objective, s->passes),
                                       MK_FIELD("gap", s->pass, gap, s->passes),
                                       MK_FIELD("time", s->pass, seconds, s->passes),
                                       {NULL}});
  UNPROTECT(1);
  return out;
}

/* Returns the solution, or NULL if there was no time to evaluate one kernel. */
SEXP mk_wrap_sequential(const mk_problem *problem, const mk_sequential_solution *s,
                        mk_status status) {
  if (s->count == 0) return R_NilValue;
  SEXP selected = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)s->count));
  for (size_t k = 0; k < s->count; k++) REAL(selected)[k] = (double)s->selected[k] + 1.0;
  SEXP passes = PROTECT(wrap_passes(s));
  SEXP out = mk_wrap_solution(problem, s->count, &s->fit, status,
                              (const mk_item[]){MK_VALUE("selected", selected),
                                                MK_VALUE("history", passes),
                                                MK_NUMBER("largest", s->largest),
                                                MK_TYPED("complete", s->complete, LGLSXP),
                                                {NULL}});
  UNPROTECT(2);
  return out;
}

typedef struct learning {
  const mk_dictionary_handle *dictionary;
  int is_bad;
  const mk_problem *problem;
  mk_sequential_settings settings;
  mk_control control;
  mk_sequential_solution *solution;
} learning;

static mk_status learn(void *data) {
  learning *work = data;
  mk_status status = mk_sequential(&work->dictionary->stream, work->problem, &work->settings,
                                   &work->control, work->solution);
  return note_bad(work->dictionary, status, &work->is_bad);
}

static void clear_solution(void *solution) {
  mk_sequential_clear(solution);
}

SEXP mk_r_sequential(SEXP stream, SEXP y, SEXP cost, SEXP loss, SEXP control, SEXP settings,
                     SEXP progress) {
  mk_dictionary_handle *d = mk_arg_stream(stream);
  mk_problem problem = mk_arg_problem(d->source.samples, y, cost, loss);
  mk_norm norm = mk_lp(1.0);
  if (mk_loss_is_joint(&problem.loss)) Rf_error("`loss` must be one of single tasks");
  learning work = {
      .dictionary = d,
      .problem = &problem,
      .control = mk_arg_control(control, progress),
      .settings = {.optimizer = mk_arg_optimizer(control, &norm),
                   .insert = (size_t)mk_list_number(settings, "insert", "settings", 0.0, 1e9),
                   .pool = (size_t)mk_list_number(settings, "pool", "settings", 0.0, 1e9)}};
  int most = mk_arg_threads(mk_list_get(control, "threads", "control"));
  SEXP owner =
      PROTECT(mk_own(sizeof(mk_sequential_solution), clear_solution, R_NilValue, R_NilValue));
  work.solution = mk_owned(owner);
  mk_status status = mk_run(most, &work.control.team, learn, &work);
  status = mk_end_of(&work.control, status);
  SEXP out =
      PROTECT(work.is_bad ? wrap_bad(d) : mk_wrap_sequential(&problem, work.solution, status));
  mk_release(owner);
  UNPROTECT(2);
  return out;
}
