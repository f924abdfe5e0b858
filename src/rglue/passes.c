/* Passes over all rows of a fit by other processes, which an R function asks for them. Called by
 * fit.c. MATHEMATICS.md, section 3.5. */
#include "passes.h"

#include "base/memory.h"
#include "exact/expansion.h"
#include "rglue/arguments.h"
#include "rglue/call.h"

#include <string.h>

/* One question to the R function: function(what, theta, rows, alpha) with the rows whose alphas are
 * not 0. */
typedef struct question {
  const mk_far_passes *far;
  const char *what;
  const double *theta; /* NULL: NULL */
  const int *rows;     /* NULL: those of `alpha` that are not 0 */
  size_t count, tasks;
  double **alpha; /* by task: `count` values for `rows`, or n values */
  double **out;   /* by task: n values */
  double *forms;
  mk_expansion *expansion;
  int answered;
} question;

static int takes_part(const question *q, size_t i) {
  for (size_t t = 0; t < q->tasks; t++)
    if (q->alpha[t][i] != 0.0) return 1;
  return 0;
}

/* Returns the rows, from 1, and sets *alpha, a matrix by rows and tasks. */
static SEXP list_rows(const question *q, SEXP *alpha) {
  size_t count = 0;
  for (size_t i = 0; i < q->count; i++) count += q->rows != NULL || takes_part(q, i);
  SEXP rows = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)count));
  *alpha = Rf_allocMatrix(REALSXP, (int)count, (int)q->tasks);
  for (size_t i = 0, k = 0; i < q->count; i++) {
    if (q->rows == NULL && !takes_part(q, i)) continue;
    INTEGER(rows)[k] = (q->rows != NULL ? q->rows[i] : (int)i) + 1;
    for (size_t t = 0; t < q->tasks; t++) REAL(*alpha)[t * count + k] = q->alpha[t][i];
    k++;
  }
  UNPROTECT(1);
  return rows;
}

static void take_doubles(SEXP answer, const char *field, double *out, size_t count) {
  SEXP x = mk_list_get(answer, field, "answer");
  memcpy(out, mk_arg_doubles(x, field, (R_xlen_t)count), count * sizeof *out);
}

/* Copies values by sample into the order of the expansion. */
static void take_ordered(SEXP answer, const char *field, const question *q, double *out) {
  const mk_expansion *e = q->expansion;
  size_t n = q->far->samples;
  SEXP x = mk_list_get(answer, field, "answer");
  const double *value = mk_arg_doubles(x, field, (R_xlen_t)(n * e->tasks));
  for (size_t t = 0; t < e->tasks; t++)
    for (size_t k = 0; k < e->count; k++)
      out[t * e->count + k] = value[t * n + (size_t)e->sample[k]];
}

static void take_expansion(SEXP answer, const question *q) {
  const mk_expansion *e = q->expansion;
  size_t kernels = q->far->kernels;
  take_ordered(answer, "value", q, e->value);
  take_ordered(answer, "slack", q, e->value_slack);
  take_doubles(answer, "forms", e->forms, kernels);
  take_doubles(answer, "form_slack", e->form_slack, kernels);
  take_doubles(answer, "reach", e->reach, kernels);
}

static SEXP call_passes(void *data) {
  question *q = data;
  size_t kernels = q->far->kernels, n = q->far->samples;
  SEXP what = PROTECT(Rf_mkString(q->what)), theta = R_NilValue, alpha;
  if (q->theta != NULL) theta = Rf_allocVector(REALSXP, (R_xlen_t)kernels);
  PROTECT(theta);
  if (q->theta != NULL) memcpy(REAL(theta), q->theta, kernels * sizeof *q->theta);
  SEXP rows = PROTECT(list_rows(q, &alpha));
  PROTECT(alpha);
  SEXP call = PROTECT(Rf_lang5(q->far->function, what, theta, rows, alpha));
  SEXP answer = PROTECT(Rf_eval(call, R_GlobalEnv));
  if (q->expansion != NULL)
    take_expansion(answer, q);
  else if (q->forms != NULL)
    take_doubles(answer, "forms", q->forms, kernels);
  else {
    SEXP value = mk_list_get(answer, "value", "answer");
    const double *at = mk_arg_doubles(value, "value", (R_xlen_t)(n * q->tasks));
    for (size_t t = 0; t < q->tasks; t++) memcpy(q->out[t], at + t * n, n * sizeof *at);
  }
  q->answered = 1;
  UNPROTECT(6);
  return R_NilValue;
}

static mk_status answer_question(question *q) {
  mk_caller *caller = q->far->caller;
  mk_call_stoppable(caller, call_passes, q);
  if (q->answered) return MK_OK;
  return caller->ended ? MK_TIME_LIMIT : MK_INTERRUPTED;
}

static mk_status respond(void *data, const double *theta, size_t tasks, double **alpha,
                         double **out) {
  const mk_far_passes *far = data;
  return answer_question(&(question){.far = far,
                                     .what = "response",
                                     .theta = theta,
                                     .count = far->samples,
                                     .tasks = tasks,
                                     .alpha = alpha,
                                     .out = out});
}

static mk_status form(void *data, size_t tasks, double **alpha, double *s) {
  const mk_far_passes *far = data;
  return answer_question(&(question){.far = far,
                                     .what = "forms",
                                     .count = far->samples,
                                     .tasks = tasks,
                                     .alpha = alpha,
                                     .forms = s});
}

static mk_status expand(void *data, mk_expansion *e) {
  question q = {.far = data,
                .what = "expansion",
                .theta = e->theta,
                .rows = e->sample,
                .count = e->support,
                .tasks = e->tasks,
                .expansion = e};
  q.alpha = MK_NEW(double *, e->tasks);
  if (q.alpha == NULL) return MK_NO_MEMORY;
  for (size_t t = 0; t < e->tasks; t++) q.alpha[t] = (double *)e->alpha + t * e->support;
  mk_status status = answer_question(&q);
  mk_free(q.alpha);
  return status;
}

void mk_arg_passes(SEXP function, const mk_kernel_set *set, mk_far_passes *far,
                   mk_control *control) {
  if (function == R_NilValue) return;
  if (!Rf_isFunction(function)) Rf_error("`passes` must be a function or NULL");
  *far = (mk_far_passes){.passes = {respond, form, expand, far},
                         .function = function,
                         .caller = control->data,
                         .samples = mk_set_samples(set),
                         .kernels = mk_set_kernels(set)};
  control->passes = &far->passes;
}
