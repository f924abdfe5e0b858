/* A worker's share of the passes over all rows of a fit: its set begins with the rows that have
 * alphas, and rows of its own block follow. Called by R/block-shares.R. MATHEMATICS.md, section
 * 3.5. */
#include "chunking/chunks.h"
#include "exact/expansion.h"
#include "rglue/arguments.h"
#include "rglue/call.h"
#include "rglue/kernels.h"
#include "rglue/problem.h"
#include "rglue/results.h"

#include <string.h>

typedef struct sharing {
  const mk_kernel_set *set;
  const double *theta, *alpha; /* M, NULL for forms; known x tasks */
  size_t n, known, tasks, kernels;
  int offset;
  mk_control control;
  mk_gram *gram;
  int *sample;            /* n: 0, 1, ... */
  double **own, **out;    /* by task, n values each: alphas, responses */
  double *value;          /* n x tasks */
  double *slack;          /* n x tasks: error bounds of values */
  double *forms, *bounds; /* M; 2 M: error bounds and reach of the forms */
} sharing;

static void clear_sharing(void *data) {
  mk_gram_free(((sharing *)data)->gram);
}

static mk_status open_rows(sharing *s) {
  s->control.cache = 0;
  MK_TRY(mk_gram_new(&s->gram, s->set, mk_chunks_are_single(&s->control), s->offset, &s->control));
  return mk_gram_extend(s->gram, s->sample, s->known);
}

static mk_status share_response(void *data) {
  sharing *s = data;
  const mk_alphas alphas = {s->tasks, s->own};
  MK_TRY(open_rows(s));
  MK_TRY(mk_gram_mix(s->gram, s->theta));
  return mk_gram_response_outside(s->gram, &alphas, s->out);
}

static mk_status share_forms(void *data) {
  sharing *s = data;
  const mk_alphas alphas = {s->tasks, s->own};
  MK_TRY(open_rows(s));
  return mk_gram_forms(s->gram, &alphas, s->forms);
}

/* Computes the share in values and forms of the rows with alphas, and the values of the others. */
static mk_status share_expansion(void *data) {
  sharing *s = data;
  mk_control whole = s->control;
  mk_expansion inside = {.set = s->set,
                         .sample = s->sample,
                         .support = s->known,
                         .count = s->known,
                         .tasks = s->tasks,
                         .alpha = s->alpha,
                         .theta = s->theta,
                         .level = s->offset,
                         .value = s->value,
                         .value_slack = s->slack,
                         .forms = s->forms,
                         .form_slack = s->bounds,
                         .reach = s->bounds + s->kernels};
  MK_TRY(mk_expand(&inside, &s->control));
  mk_expansion all = inside;
  all.count = s->n;
  all.value = s->value + s->known * s->tasks;
  all.value_slack = s->slack + s->known * s->tasks;
  all.forms = all.form_slack = all.reach = NULL;
  whole.parts = 0;
  return s->n > s->known ? mk_expand(&all, &whole) : MK_OK;
}

static const struct {
  const char *what;
  mk_work work;
} shares[] = {{"response", share_response}, {"forms", share_forms}, {"expansion", share_expansion}};

static mk_work arg_work(SEXP what) {
  for (size_t k = 0; TYPEOF(what) == STRSXP && XLENGTH(what) == 1 && k < 3; k++)
    if (strcmp(CHAR(STRING_ELT(what, 0)), shares[k].what) == 0) return shares[k].work;
  Rf_error("`what` must be \"response\", \"forms\" or \"expansion\"");
}

static double *new_zeros(size_t count) {
  double *out = (double *)R_alloc(count + 1, sizeof *out);
  memset(out, 0, (count + 1) * sizeof *out);
  return out;
}

/* Copies alphas by task into vectors over all samples, and makes room for the results. */
static void open_vectors(sharing *s) {
  s->sample = (int *)R_alloc(s->n, sizeof *s->sample);
  for (size_t i = 0; i < s->n; i++) s->sample[i] = (int)i;
  s->own = (double **)R_alloc(s->tasks, sizeof *s->own);
  s->out = (double **)R_alloc(s->tasks, sizeof *s->out);
  s->value = new_zeros((s->known + s->n) * s->tasks);
  s->slack = new_zeros((s->known + s->n) * s->tasks);
  for (size_t t = 0; t < s->tasks; t++) {
    s->own[t] = new_zeros(s->n);
    s->out[t] = s->value + t * s->n;
    memcpy(s->own[t], s->alpha + t * s->known, s->known * sizeof *s->alpha);
  }
  s->forms = new_zeros(s->kernels);
  s->bounds = new_zeros(2 * s->kernels);
}

/* `control` is list(tol, single, part, parts); part counts from 0. */
SEXP mk_r_share(SEXP set, SEXP what, SEXP theta, SEXP alpha, SEXP offset, SEXP control,
                SEXP threads) {
  mk_work work = arg_work(what);
  SEXP owner = PROTECT(mk_own(sizeof(sharing), clear_sharing, R_NilValue, R_NilValue));
  sharing *s = mk_owned(owner);
  s->set = mk_arg_set(set);
  s->n = mk_set_samples(s->set);
  s->kernels = mk_set_kernels(s->set);
  if (theta != R_NilValue) s->theta = mk_arg_theta(theta, s->kernels);
  if (theta == R_NilValue && work != share_forms) Rf_error("`theta` must be given");
  s->alpha = mk_arg_doubles(alpha, "alpha", -1);
  s->known = Rf_isMatrix(alpha) ? (size_t)Rf_nrows(alpha) : (size_t)XLENGTH(alpha);
  if (s->known == 0 || s->known > s->n)
    Rf_error("`alpha` must have between 1 and %.0f rows", (double)s->n);
  s->tasks = (size_t)XLENGTH(alpha) / s->known;
  s->offset = mk_arg_flag(offset, "offset");
  s->control = mk_plain_control();
  s->control.tol = mk_list_number(control, "tol", "control", 1e-15, 1.0);
  s->control.single = mk_list_flag(control, "single", "control");
  s->control.parts = (size_t)mk_list_number(control, "parts", "control", 1.0, 1e6);
  s->control.part =
      (size_t)mk_list_number(control, "part", "control", 0.0, (double)s->control.parts - 1.0);
  open_vectors(s);
  mk_run(mk_threads_for(threads, s->set, s->n), &s->control.team, work, s);
  size_t values = work == share_expansion ? s->known : 0;
  SEXP out = PROTECT(
      mk_wrap((const mk_item[]){MK_MATRIX("inside", s->value, values, s->tasks),
                                MK_MATRIX("inside_slack", s->slack, values, s->tasks),
                                MK_MATRIX("value", s->value + values * s->tasks, s->n, s->tasks),
                                MK_MATRIX("slack", s->slack + values * s->tasks, s->n, s->tasks),
                                MK_VECTOR("forms", s->forms, s->kernels),
                                MK_VECTOR("form_slack", s->bounds, s->kernels),
                                MK_VECTOR("reach", s->bounds + s->kernels, s->kernels),
                                {NULL}}));
  mk_release(owner);
  UNPROTECT(2);
  return out;
}
