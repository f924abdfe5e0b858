#include "glue.h"

#include "base/memory.h"
#include "base/threads.h"
#include "optimizer/certificate.h"
#include "optimizer/optimizers.h"
#include "optimizer/predict.h"

#include <math.h>
#include <string.h>

/* A number is p of the plain lp norm; else list(type, parameter, values). */
static mk_norm parse_norm(SEXP x, size_t kernels) {
  if (TYPEOF(x) != VECSXP) return mk_lp(mk_arg_number(x, "norm", 1.0, R_PosInf));
  int type = mk_arg_int(mk_list_get(x, "type", "norm"), "norm$type", 0, MK_NORMS - 1);
  double parameter =
      mk_arg_number(mk_list_get(x, "parameter", "norm"), "norm$parameter", 0.0, R_PosInf);
  SEXP values = mk_list_get(x, "values", "norm");
  R_xlen_t size = (R_xlen_t)kernels * (type == MK_NORM_QUADRATIC ? (R_xlen_t)kernels : 1);
  const double *given = values == R_NilValue ? NULL : mk_arg_doubles(values, "norm$values", size);
  double *memory = (double *)R_alloc(mk_norm_memory((mk_norm_type)type, kernels), sizeof *memory);
  mk_norm norm;
  if (mk_norm_make(&norm, (mk_norm_type)type, kernels, parameter, given, memory) != MK_OK)
    Rf_error("`norm` must have a parameter in its range, positive weights, and a symmetric "
             "positive definite matrix");
  return norm;
}

static mk_loss parse_loss(SEXP loss) {
  mk_loss out = {.type = (mk_loss_type)mk_arg_int(mk_list_get(loss, "type", "loss"), "loss$type", 0,
                                                  MK_LOSSES - 1)};
  out.parameter =
      mk_arg_number(mk_list_get(loss, "parameter", "loss"), "loss$parameter", 0.0, R_PosInf);
  out.no_offset = !mk_arg_flag(mk_list_get(loss, "offset", "loss"), "loss$offset");
  if (!mk_loss_is_valid(&out)) Rf_error("`loss` must have a parameter in its range");
  return out;
}

mk_problem mk_arg_problem(size_t samples, SEXP y, SEXP cost, SEXP loss) {
  mk_problem problem = {.n = samples, .loss = parse_loss(loss)};
  R_xlen_t n = (R_xlen_t)problem.n;
  if (!Rf_isReal(y) || XLENGTH(y) == 0 || XLENGTH(y) % n != 0)
    Rf_error("`y` must be a double matrix with %.0f rows", (double)n);
  R_xlen_t size = XLENGTH(y);
  problem.tasks = (size_t)(size / n);
  problem.linear = mk_arg_doubles(y, "y", size);
  problem.cost = mk_arg_doubles(cost, "cost", size);
  for (R_xlen_t i = 0; i < size; i++) {
    if (!mk_loss_allows(&problem.loss, problem.linear[i]))
      Rf_error("`y` must hold targets of the loss: 1 or -1 for classes, 1 for one class");
    if (problem.cost[i] < 0.0) Rf_error("`cost` must not be negative");
  }
  mk_problem_shape(&problem, (double *)R_alloc(3 * (size_t)size, sizeof(double)));
  return problem;
}

static mk_problem parse_problem(const mk_kernel_set *set, SEXP y, SEXP cost, SEXP loss, SEXP norm) {
  mk_problem problem = mk_arg_problem(mk_set_samples(set), y, cost, loss);
  problem.set = set;
  problem.norm = parse_norm(norm, mk_set_kernels(set));
  return problem;
}

const double *mk_arg_theta(SEXP theta, size_t kernels) {
  const double *value = mk_arg_doubles(theta, "theta", (R_xlen_t)kernels);
  for (size_t m = 0; m < kernels; m++)
    if (value[m] < 0.0) Rf_error("`theta` must not be negative");
  return value;
}

typedef struct news {
  SEXP function;
  double iteration, seconds, objective, gap;
} news;

static SEXP tell(void *data) {
  const news *n = data;
  SEXP iteration = PROTECT(Rf_ScalarReal(n->iteration));
  SEXP seconds = PROTECT(Rf_ScalarReal(n->seconds));
  SEXP objective = PROTECT(Rf_ScalarReal(n->objective)), gap = PROTECT(Rf_ScalarReal(n->gap));
  SEXP call = PROTECT(Rf_lang5(n->function, iteration, seconds, objective, gap));
  Rf_eval(call, R_GlobalEnv);
  UNPROTECT(5);
  return R_NilValue;
}

/* Where R wants to go on elsewhere, the next poll ends the work. */
static void report(void *data, double iteration, double seconds, double objective, double gap) {
  news n = {data, iteration, seconds, objective, gap};
  mk_call(tell, &n);
}

mk_control mk_arg_control(SEXP control, SEXP progress) {
  mk_control out = mk_plain_control();
  out.tol = mk_arg_number(mk_list_get(control, "tol", "control"), "tol", 1e-15, 1.0);
  out.max_time =
      mk_arg_number(mk_list_get(control, "max_time", "control"), "max_time", 0.0, R_PosInf);
  out.max_iter =
      mk_arg_number(mk_list_get(control, "max_iter", "control"), "max_iter", 0.0, R_PosInf);
  out.cache = (size_t)mk_arg_number(mk_list_get(control, "cache", "control"), "cache", 0.0, 9e18);
  if (out.cache == 0) out.cache = MK_DEFAULT_CACHE;
  out.single = mk_arg_flag(mk_list_get(control, "single", "control"), "single");
  out.candidate = mk_arg_flag(mk_list_get(control, "candidate", "control"), "candidate");
  out.exact = mk_arg_flag(mk_list_get(control, "exact", "control"), "exact");
  out.trace = mk_arg_flag(mk_list_get(control, "trace", "control"), "trace");
  if (progress != R_NilValue && !Rf_isFunction(progress))
    Rf_error("`progress` must be a function or NULL");
  if (progress != R_NilValue) {
    out.progress = report;
    out.data = progress;
  }
  return out;
}

mk_optimizer mk_arg_optimizer(SEXP control, const mk_norm *norm) {
  SEXP x = mk_list_get(control, "optimizer", "control");
  int optimizer = mk_arg_int(x, "optimizer", 0, MK_OPTIMIZERS - 1);
  if (!mk_optimizer_serves((mk_optimizer)optimizer, norm))
    Rf_error("`optimizer` does not serve this norm");
  return (mk_optimizer)optimizer;
}

static mk_start parse_start(SEXP start, const mk_problem *problem) {
  mk_start out = {.theta = NULL};
  if (start == R_NilValue) return out;
  size_t kernels = mk_set_kernels(problem->set);
  out.theta = mk_arg_theta(mk_list_get(start, "theta", "start"), kernels);
  out.alpha = mk_arg_doubles(mk_list_get(start, "alpha", "start"), "start$alpha",
                             (R_xlen_t)(problem->n * problem->tasks));
  return out;
}

/* ---- results ---- */

SEXP mk_wrap_doubles(const double *from, size_t count) {
  SEXP out = Rf_allocVector(REALSXP, (R_xlen_t)count);
  if (count > 0) memcpy(REAL(out), from, count * sizeof(double));
  return out;
}

SEXP mk_wrap_matrix(const double *from, size_t rows, size_t cols) {
  SEXP out = Rf_allocMatrix(REALSXP, (int)rows, (int)cols);
  memcpy(REAL(out), from, rows * cols * sizeof(double));
  return out;
}

/* Rows of theta, by columns; beyond what was traced: NA. */
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
  const char *names[] = {"iteration",       "time",   "objective", "gap", "active_kernels",
                         "support_vectors", "solves", "theta"};
  SEXP values[8];
  for (int k = 0; k < 7; k++) values[k] = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)h->count));
  for (size_t i = 0; i < h->count; i++) {
    const mk_line *l = &h->line[i];
    const double line[] = {l->iteration, l->seconds, l->objective, l->gap,
                           l->kernels,   l->support, l->solves};
    for (int k = 0; k < 7; k++) REAL(values[k])[i] = line[k];
  }
  values[7] = PROTECT(wrap_trace(h, kernels));
  SEXP out = mk_named_list(8, names, values);
  UNPROTECT(8);
  return out;
}

int mk_status_code(mk_status status) {
  return status == MK_OK ? 0 : status == MK_TIME_LIMIT ? 1 : status == MK_ITERATION_LIMIT ? 2 : 4;
}

static SEXP wrap_solution(const mk_problem *problem, const mk_solution *s, mk_status status) {
  const char *names[] = {"theta",   "alpha",  "offset",     "objective", "primal",
                         "gap",     "status", "iterations", "forms",     "decision",
                         "history", "memory", "solves"};
  size_t kernels = mk_set_kernels(problem->set), n = problem->n, tasks = problem->tasks;
  SEXP values[13];
  values[0] = PROTECT(mk_wrap_doubles(s->theta, kernels));
  values[1] = PROTECT(mk_wrap_matrix(s->alpha, n, tasks));
  values[2] = PROTECT(mk_wrap_doubles(s->offset, tasks));
  values[3] = PROTECT(Rf_ScalarReal(s->dual));
  values[4] = PROTECT(Rf_ScalarReal(s->primal));
  values[5] = PROTECT(Rf_ScalarReal(s->gap));
  values[6] = PROTECT(Rf_ScalarInteger(mk_status_code(status)));
  values[7] = PROTECT(Rf_ScalarReal(s->iterations));
  values[8] = PROTECT(mk_wrap_doubles(s->forms, kernels));
  values[9] = PROTECT(mk_wrap_matrix(s->decision, n, tasks));
  values[10] = PROTECT(wrap_history(&s->history, kernels));
  values[11] = PROTECT(Rf_ScalarReal((double)s->bytes));
  values[12] = PROTECT(Rf_ScalarReal(s->solves));
  SEXP out = mk_named_list(13, names, values);
  UNPROTECT(13);
  return out;
}

static void free_solution(SEXP pointer) {
  mk_solution *solution = R_ExternalPtrAddr(pointer);
  if (solution != NULL) mk_solution_clear(solution);
  mk_free(solution);
  R_ClearExternalPtr(pointer);
}

/* A solution that its finalizer frees whatever R does meanwhile. */
static mk_solution *own_solution(SEXP pointer, const mk_problem *problem) {
  R_RegisterCFinalizer(pointer, free_solution);
  mk_solution *solution = MK_NEW0(mk_solution, 1);
  if (solution == NULL) mk_fail(MK_NO_MEMORY);
  R_SetExternalPtrAddr(pointer, solution);
  mk_fail(mk_solution_new(solution, problem));
  return solution;
}

typedef struct fitting {
  const mk_problem *problem;
  mk_control control;
  mk_optimizer optimizer;
  mk_start from;
  mk_solution *solution;
} fitting;

static mk_status fit(void *data) {
  fitting *work = data;
  return mk_optimize(work->optimizer, work->problem, &work->control, &work->from, work->solution);
}

SEXP mk_r_fit(SEXP set, SEXP y, SEXP cost, SEXP loss, SEXP norm, SEXP control, SEXP start,
              SEXP progress) {
  mk_handle *handle = mk_arg_set(set);
  mk_problem problem = parse_problem(handle->set, y, cost, loss, norm);
  int threads = mk_threads_for(mk_list_get(control, "threads", "control"), handle->set, problem.n);
  fitting work = {.problem = &problem, .control = mk_arg_control(control, progress)};
  work.optimizer = mk_arg_optimizer(control, &problem.norm);
  work.from = parse_start(start, &problem);
  SEXP owner = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
  work.solution = own_solution(owner, &problem);
  mk_status status = mk_team_run(threads, &work.control.team, fit, &work);
  mk_fail(status);
  SEXP out = PROTECT(wrap_solution(&problem, work.solution, status));
  free_solution(owner);
  UNPROTECT(2);
  return out;
}

typedef struct certifying {
  const mk_problem *problem;
  const double *theta, *alpha;
  mk_control control;
  mk_certificate certificate;
} certifying;

static mk_status certify(void *data) {
  certifying *work = data;
  return mk_certify(work->problem, work->theta, work->alpha, &work->control, &work->certificate);
}

SEXP mk_r_gap(SEXP set, SEXP theta, SEXP alpha, SEXP y, SEXP cost, SEXP loss, SEXP norm,
              SEXP threads) {
  mk_handle *handle = mk_arg_set(set);
  mk_problem problem = parse_problem(handle->set, y, cost, loss, norm);
  size_t kernels = mk_set_kernels(handle->set);
  certifying work = {.problem = &problem, .control = mk_plain_control()};
  work.theta = mk_arg_theta(theta, kernels);
  work.alpha = mk_arg_doubles(alpha, "alpha", (R_xlen_t)(problem.n * problem.tasks));
  int most = mk_threads_for(threads, handle->set, problem.n);
  SEXP offset = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)problem.tasks));
  SEXP forms = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)kernels));
  SEXP decision = PROTECT(Rf_allocMatrix(REALSXP, (int)problem.n, (int)problem.tasks));
  work.certificate =
      (mk_certificate){.offset = REAL(offset), .forms = REAL(forms), .decision = REAL(decision)};
  mk_fail(mk_team_run(most, &work.control.team, certify, &work));
  const char *names[] = {"primal", "dual", "gap", "offset", "forms", "decision", "gain"};
  SEXP primal = PROTECT(Rf_ScalarReal(work.certificate.primal));
  SEXP dual = PROTECT(Rf_ScalarReal(work.certificate.dual)),
       gap = PROTECT(Rf_ScalarReal(work.certificate.gap)),
       gain = PROTECT(Rf_ScalarReal(work.certificate.gain));
  SEXP out = mk_named_list(7, names, (SEXP[]){primal, dual, gap, offset, forms, decision, gain});
  UNPROTECT(7);
  return out;
}

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
  mk_handle *handle = mk_arg_set(set);
  size_t n = mk_set_samples(handle->set);
  predicting work = {.set = handle->set, .control = mk_plain_control()};
  work.theta = mk_arg_theta(theta, mk_set_kernels(handle->set));
  work.alpha = mk_arg_doubles(alpha, "alpha", -1);
  size_t known = Rf_isMatrix(alpha) ? (size_t)Rf_nrows(alpha) : (size_t)XLENGTH(alpha);
  if (known == 0 || known > n) Rf_error("`alpha` must have between 1 and %.0f rows", (double)n);
  work.known = known;
  work.tasks = (size_t)XLENGTH(alpha) / known;
  int most = mk_threads_for(threads, handle->set, n - known);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)(n - known), (int)work.tasks));
  work.out = REAL(out);
  mk_fail(mk_team_run(most, &work.control.team, predict, &work));
  UNPROTECT(1);
  return out;
}
