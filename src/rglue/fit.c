/* Fits, certificates and predictions over a kernel set in memory. Called by R/fit.R,
 * R/duality-gap.R and R/predict.R. MATHEMATICS.md, sections 1 to 3. */
#include "certificate/certificate.h"
#include "exact/predict-models.h"
#include "exact/predict.h"
#include "optimizer/optimizers.h"
#include "problem/sides.h"
#include "rglue/arguments.h"
#include "rglue/call.h"
#include "rglue/keep.h"
#include "rglue/kernels.h"
#include "rglue/passes.h"
#include "rglue/problem.h"
#include "rglue/results.h"

/* ---- the fit ---- */

static mk_problem parse_problem(const mk_kernel_set *set, SEXP y, SEXP cost, SEXP loss, SEXP norm) {
  mk_problem problem = mk_arg_problem(mk_set_samples(set), y, cost, loss);
  problem.set = set;
  problem.norm = mk_arg_norm(norm, mk_set_kernels(set));
  return problem;
}

static mk_start parse_start(SEXP start, const mk_problem *problem) {
  mk_start out = {.theta = NULL};
  if (start == R_NilValue) return out;
  if (TYPEOF(start) == REALSXP) { /* the state of a fit that was killed */
    out.state = mk_values(start); /* infinite ones among them */
    out.state_count = (size_t)XLENGTH(start);
    return out;
  }
  size_t kernels = mk_set_kernels(problem->set);
  out.theta = mk_arg_theta(mk_list_get(start, "theta", "start"), kernels);
  out.alpha = mk_arg_doubles(mk_list_get(start, "alpha", "start"), "start$alpha",
                             (R_xlen_t)(problem->n * problem->tasks));
  SEXP decision = mk_list_get(start, "decision", "start");
  if (decision == R_NilValue) return out;
  out.decision =
      mk_arg_doubles(decision, "start$decision", (R_xlen_t)(problem->n * problem->tasks));
  out.decision_error = mk_list_number(start, "decision_error", "start", 0.0, R_PosInf);
  return out;
}

/* Returns the rows of theta by columns, NA beyond the traced ones. */
static SEXP wrap_trace(const mk_history *h, size_t kernels) {
  if (h->traced == 0) return R_NilValue;
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)h->count, (int)kernels));
  for (size_t m = 0; m < kernels; m++)
    for (size_t i = 0; i < h->count; i++)
      REAL(out)[m * h->count + i] = i < h->traced ? h->theta[i * kernels + m] : NA_REAL;
  UNPROTECT(1);
  return out;
}

static SEXP wrap_history(const mk_history *h, size_t kernels) {
  SEXP theta = PROTECT(wrap_trace(h, kernels));
  SEXP out = mk_wrap((const mk_item[]){MK_FIELD("iteration", h->line, iteration, h->count),
                                       MK_FIELD("time", h->line, seconds, h->count),
                                       MK_FIELD("objective", h->line, objective, h->count),
                                       MK_FIELD("gap", h->line, gap, h->count),
                                       MK_FIELD("active_kernels", h->line, kernels, h->count),
                                       MK_FIELD("support_vectors", h->line, support, h->count),
                                       MK_FIELD("solves", h->line, solves, h->count),
                                       MK_FIELD("lower", h->line, lower, h->count),
                                       MK_FIELD("upper", h->line, upper, h->count),
                                       MK_VALUE("theta", theta),
                                       {NULL}});
  UNPROTECT(1);
  return out;
}

static void clear_solution(void *solution) {
  mk_solution_clear(solution);
}

typedef struct fitting {
  const mk_problem *problem;
  mk_control control;
  mk_optimizer optimizer;
  mk_start from;
  mk_solution *solution;
} fitting;

static mk_status run_fit(void *data) {
  fitting *work = data;
  MK_TRY(mk_solution_new(work->solution, work->problem));
  return mk_optimize(work->optimizer, work->problem, &work->control, &work->from, work->solution);
}

SEXP mk_r_fit(SEXP set, SEXP y, SEXP cost, SEXP loss, SEXP norm, SEXP control, SEXP start,
              SEXP progress) {
  mk_problem problem = parse_problem(mk_arg_set(set), y, cost, loss, norm);
  int threads = mk_threads_for(mk_list_get(control, "threads", "control"), problem.set, problem.n);
  fitting work = {.problem = &problem,
                  .control = mk_arg_control(control, progress),
                  .optimizer = mk_arg_optimizer(control, &problem.norm),
                  .from = parse_start(start, &problem)};
  mk_far_passes far;
  mk_arg_passes(mk_list_get(control, "passes", "control"), problem.set, &far, &work.control);
  SEXP owner = PROTECT(mk_own(sizeof(mk_solution), clear_solution, R_NilValue, R_NilValue));
  work.solution = mk_owned(owner);
  mk_status status = mk_run(threads, &work.control.team, run_fit, &work);
  size_t kernels = mk_set_kernels(problem.set);
  SEXP history = PROTECT(wrap_history(&work.solution->history, kernels));
  const mk_item more[] = {
      MK_VALUE("history", history),
      MK_VECTOR("slack", work.solution->slack, problem.n * problem.tasks + 2 * kernels),
      {NULL}};
  SEXP out = PROTECT(
      mk_wrap_solution(&problem, kernels, work.solution, mk_end_of(&work.control, status), more));
  mk_release(owner);
  UNPROTECT(3);
  return out;
}

/* ---- the certificate ---- */

typedef struct certifying {
  const mk_problem *problem;
  const double *theta, *alpha;
  mk_control control;
  mk_certificate certificate;
} certifying;

static mk_status certify_fit(void *data) {
  certifying *work = data;
  return mk_certify(work->problem, work->theta, work->alpha, &work->control, &work->certificate);
}

SEXP mk_r_gap(SEXP set, SEXP theta, SEXP alpha, SEXP y, SEXP cost, SEXP loss, SEXP norm,
              SEXP threads) {
  mk_problem problem = parse_problem(mk_arg_set(set), y, cost, loss, norm);
  size_t kernels = mk_set_kernels(problem.set), n = problem.n, tasks = problem.tasks;
  certifying work = {.problem = &problem, .control = mk_plain_control()};
  work.theta = mk_arg_theta(theta, kernels);
  work.alpha = mk_arg_doubles(alpha, "alpha", (R_xlen_t)(n * tasks));
  int most = mk_threads_for(threads, problem.set, n);
  mk_certificate *c = &work.certificate;
  c->offset = (double *)R_alloc(tasks, sizeof(double));
  c->forms = (double *)R_alloc(kernels, sizeof(double));
  c->decision = (double *)R_alloc(n * tasks, sizeof(double));
  c->slack = (double *)R_alloc(n * tasks + 2 * kernels, sizeof(double));
  mk_run(most, &work.control.team, certify_fit, &work);
  return mk_wrap((const mk_item[]){MK_NUMBER("primal", c->primal),
                                   MK_NUMBER("dual", c->dual),
                                   MK_NUMBER("gap", c->gap),
                                   MK_VECTOR("offset", c->offset, tasks),
                                   MK_VECTOR("forms", c->forms, kernels),
                                   MK_MATRIX("decision", c->decision, n, tasks),
                                   MK_NUMBER("loss", c->loss),
                                   MK_NUMBER("gain", c->gain),
                                   MK_VECTOR("slack", c->slack, n * tasks + 2 * kernels),
                                   {NULL}});
}

typedef struct comparing {
  const mk_norm *norm;
  size_t kernels, count;
  const double *theta, *forms;
  double *out; /* count x 2 */
} comparing;

static mk_status compare(void *data) {
  comparing *work = data;
  for (size_t k = 0; k < work->count; k++) {
    size_t from = k * work->kernels;
    MK_TRY(mk_sides(work->norm, work->kernels, work->theta + from, work->forms + from,
                    work->out + k, work->out + work->count + k));
  }
  return MK_OK;
}

/* Returns both sides of a norm for each column of theta and forms: a row with price and worth. */
SEXP mk_r_sides(SEXP norm, SEXP theta, SEXP forms) {
  size_t kernels = Rf_isMatrix(theta) ? (size_t)Rf_nrows(theta) : (size_t)XLENGTH(theta), count;
  if (kernels == 0) Rf_error("`theta` must have a row for each kernel");
  const double *weight = mk_arg_columns(theta, "theta", kernels, &count);
  const double *form = mk_arg_doubles(forms, "forms", XLENGTH(theta));
  for (R_xlen_t k = 0; k < XLENGTH(theta); k++)
    if (weight[k] < 0.0 || form[k] < 0.0) Rf_error("`theta` and `forms` must not be negative");
  mk_norm given = mk_arg_norm(norm, kernels);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)count, 2));
  mk_run_alone(compare, &(comparing){&given, kernels, count, weight, form, REAL(out)});
  UNPROTECT(1);
  return out;
}

/* ---- predictions ---- */

typedef struct predicting {
  const mk_kernel_set *set;
  const double *theta, *alpha;
  size_t known, tasks;
  mk_control control;
  double *out;
} predicting;

static mk_status predict(void *data) {
  predicting *work = data;
  return mk_predict(work->set, work->theta, work->alpha, work->known, work->tasks, &work->control,
                    work->out);
}

SEXP mk_r_predict(SEXP set, SEXP theta, SEXP alpha, SEXP threads) {
  predicting work = {.set = mk_arg_set(set), .control = mk_plain_control()};
  size_t n = mk_set_samples(work.set);
  work.theta = mk_arg_theta(theta, mk_set_kernels(work.set));
  work.alpha = mk_arg_doubles(alpha, "alpha", -1);
  work.known = Rf_isMatrix(alpha) ? (size_t)Rf_nrows(alpha) : (size_t)XLENGTH(alpha);
  if (work.known == 0 || work.known > n)
    Rf_error("`alpha` must have between 1 and %.0f rows", (double)n);
  work.tasks = (size_t)XLENGTH(alpha) / work.known;
  int most = mk_threads_for(threads, work.set, n - work.known);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)(n - work.known), (int)work.tasks));
  work.out = REAL(out);
  mk_run(most, &work.control.team, predict, &work);
  UNPROTECT(1);
  return out;
}

typedef struct predicting_models {
  const mk_kernel_set *set;
  mk_models models;
  size_t known;
  mk_control control;
  double *out;
} predicting_models;

static mk_status predict_models(void *data) {
  predicting_models *work = data;
  return mk_predict_models(work->set, &work->models, work->known, &work->control, work->out);
}

/* Checks that `start` rises. Entries start[t] .. start[t + 1] of sample (from 1) and alpha belong
 * to model t. */
static void check_starts(const int *start, size_t models, R_xlen_t entries) {
  int sound = start[0] == 0 && start[models] == (int)entries;
  for (size_t t = 0; t < models; t++) sound &= start[t] <= start[t + 1];
  if (!sound) Rf_error("`start` must rise from 0 to the length of `sample`");
}

SEXP mk_r_predict_models(SEXP set, SEXP theta, SEXP start, SEXP sample, SEXP alpha, SEXP known,
                         SEXP threads) {
  predicting_models work = {.set = mk_arg_set(set), .control = mk_plain_control()};
  size_t n = mk_set_samples(work.set), count;
  work.known = (size_t)mk_arg_int(known, "known", 1, (int)n);
  work.models.theta = mk_arg_columns(theta, "theta", mk_set_kernels(work.set), &count);
  work.models.count = count;
  work.models.start = mk_arg_ints(start, "start", (R_xlen_t)count + 1, 0, INT_MAX);
  work.models.sample = mk_arg_positions(sample, "sample", work.known);
  work.models.alpha = mk_arg_doubles(alpha, "alpha", XLENGTH(sample));
  check_starts(work.models.start, count, XLENGTH(sample));
  int most = mk_threads_for(threads, work.set, n - work.known);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)(n - work.known), (int)count));
  work.out = REAL(out);
  mk_run(most, &work.control.team, predict_models, &work);
  UNPROTECT(1);
  return out;
}
