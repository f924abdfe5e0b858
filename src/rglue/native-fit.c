/* Fits for other packages, in C, on rows that they provide; see native.h. MATHEMATICS.md, sections
 * 1 and 2. */
#include "native-fit.h"

#include "../../inst/include/manykernels.h"
#include "base/pool.h"
#include "exact/predict.h"
#include "kernel/set.h"
#include "optimizer/optimizers.h"
#include "rglue/arguments.h"
#include "rglue/call.h"
#include "rglue/results.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define FIRST_ABI 2 /* first ABI version of problems */

_Static_assert((int)MANYKERNELS_HINGE == (int)MK_LOSS_HINGE &&
                   (int)MANYKERNELS_SQUARED_HINGE == (int)MK_LOSS_SQUARED_HINGE &&
                   (int)MANYKERNELS_LOGISTIC == (int)MK_LOSS_LOGISTIC &&
                   (int)MANYKERNELS_SQUARED == (int)MK_LOSS_SQUARED &&
                   (int)MANYKERNELS_EPSILON_INSENSITIVE == (int)MK_LOSS_EPSILON &&
                   (int)MANYKERNELS_HUBER == (int)MK_LOSS_HUBER &&
                   (int)MANYKERNELS_ONE_CLASS == (int)MK_LOSS_ONE_CLASS,
               "the header has the core's numbers of losses");

/* ---- providers ---- */

typedef struct asking {
  const manykernels_provider *provider;
  const int *rows, *cols;
  size_t row_count, col_count;
  double *out;
  int failed;
} asking;

static SEXP ask_provider(void *data) {
  asking *a = data;
  a->failed =
      a->provider->rows(a->provider->data, a->rows, a->row_count, a->cols, a->col_count, a->out);
  return R_NilValue;
}

/* Calls a provider; if that may call R, a jump of R is caught. */
static int call_provider(void *data, const int *rows, size_t row_count, const int *cols,
                         size_t col_count, double *out) {
  asking a = {data, rows, cols, row_count, col_count, out, 1};
  if (a.provider->thread_safe)
    ask_provider(&a);
  else if (!mk_call(ask_provider, &a))
    return 1;
  return a.failed != 0;
}

/* ---- checks ---- */

static void check_size(size_t size, const char *name) {
  if (size < 1 || size > INT_MAX)
    Rf_error("`%s` must lie in [1, %d], not %.0f", name, INT_MAX, (double)size);
}

/* Checks a range; NaN is in none. */
static void check_range(double value, const char *name, double least, double most) {
  if (!(value >= least && value <= most))
    Rf_error("`%s` must lie in [%g, %g], not %g", name, least, most, value);
}

static void check_present(const void *pointer, const char *name) {
  if (pointer == NULL) Rf_error("`%s` must not be NULL", name);
}

static void check_providers(const manykernels_problem *ask) {
  check_present(ask, "problem");
  if (ask->abi < FIRST_ABI) Rf_error("`problem` must have `abi` = MANYKERNELS_ABI");
  if (ask->abi > MANYKERNELS_ABI)
    Rf_error("update manykernels: the problem was built for interface %d, this version has %d",
             ask->abi, MANYKERNELS_ABI);
  check_size(ask->samples, "samples");
  check_size(ask->kernels, "kernels");
  check_present(ask->provider, "provider");
  for (size_t m = 0; m < ask->kernels; m++)
    if (ask->provider[m].rows == NULL) Rf_error("`provider[%.0f]` must have `rows`", (double)m);
  if (ask->threads < 0) Rf_error("`threads` must not be negative");
}

static void check_solution(const manykernels_solution *solution) {
  check_present(solution, "solution");
  check_present(solution->theta, "theta");
  check_present(solution->alpha, "alpha");
}

static void check_problem(const manykernels_problem *ask, const mk_loss *loss) {
  check_range((double)ask->loss, "loss", 0.0, MK_LOSS_ONE_CLASS);
  if (!mk_loss_is_valid(loss)) Rf_error("`parameter` must be in its loss's range");
  check_range(ask->p, "p", 1.0, INFINITY);
  check_range(ask->tol, "tol", 0.0, 1.0);
  check_range(ask->max_time, "max_time", 0.0, INFINITY);
  check_present(ask->y, "y");
  check_present(ask->cost, "cost");
  for (size_t i = 0; i < ask->samples; i++) {
    if (!mk_loss_allows(loss, ask->y[i]))
      Rf_error("`y[%.0f]` is %g, which is no target of the loss", (double)i, ask->y[i]);
    if (!(ask->cost[i] >= 0.0 && ask->cost[i] < INFINITY))
      Rf_error("`cost[%.0f]` must be finite and not negative, not %g", (double)i, ask->cost[i]);
  }
}

/* ---- the work ---- */

/* Memory of one call, which R frees even after a jump. */
typedef struct native_work {
  const manykernels_problem *ask;
  size_t samples; /* with the new ones */
  mk_pool pool;
  mk_kernel_set *set;
  mk_problem problem;
  mk_solution solution;
  mk_control control;
  const manykernels_solution *from;
  double *out;
} native_work;

static void clear_work(void *data) {
  native_work *work = data;
  mk_solution_clear(&work->solution);
  mk_set_free(work->set);
  mk_pool_free(&work->pool);
}

static mk_status make_set(native_work *work) {
  const manykernels_problem *ask = work->ask;
  mk_kernel_spec *spec = MK_TAKE0(&work->pool, mk_kernel_spec, ask->kernels);
  MK_TRY(mk_pool_status(&work->pool));
  for (size_t m = 0; m < ask->kernels; m++)
    spec[m] = (mk_kernel_spec){.type = MK_FUNCTION,
                               .view = -1,
                               .function = call_provider,
                               .function_data = (void *)&ask->provider[m],
                               .thread_safe = ask->provider[m].thread_safe != 0};
  return mk_set_new(&work->set, work->samples, NULL, 0, spec, ask->kernels, work->control.team);
}

static mk_status fit_rows(void *data) {
  native_work *work = data;
  mk_problem *problem = &work->problem;
  MK_TRY(make_set(work));
  problem->set = work->set;
  double *shape = mk_pool_alloc(&work->pool, problem->n, 3 * sizeof *shape);
  MK_TRY(mk_pool_status(&work->pool));
  mk_problem_shape(problem, shape);
  MK_TRY(mk_solution_new(&work->solution, problem));
  return mk_optimize(MK_AUTO, problem, &work->control, NULL, &work->solution);
}

static mk_status predict(void *data) {
  native_work *work = data;
  MK_TRY(make_set(work));
  return mk_predict(work->set, work->from->theta, work->from->alpha, work->ask->samples, 1,
                    &work->control, work->out);
}

/* Runs `body` on the description `given` and returns the results in memory that R owns. */
static SEXP run(mk_work body, const native_work *given, mk_status *status) {
  SEXP owner = PROTECT(mk_own(sizeof *given, clear_work, R_NilValue, R_NilValue));
  native_work *work = mk_owned(owner);
  *work = *given;
  *status = mk_run(mk_threads(given->ask->threads), &work->control.team, body, work);
  UNPROTECT(1);
  return owner;
}

void mk_native_fit(const manykernels_problem *ask, manykernels_solution *out) {
  check_providers(ask);
  mk_loss loss = {.type = (mk_loss_type)ask->loss,
                  .parameter = ask->parameter,
                  .no_offset = ask->loss == MANYKERNELS_ONE_CLASS};
  check_problem(ask, &loss);
  check_solution(out);
  native_work given = {.ask = ask, .samples = ask->samples, .control = mk_plain_control()};
  given.problem = (mk_problem){.n = ask->samples,
                               .tasks = 1,
                               .norm = mk_lp(ask->p),
                               .linear = ask->y,
                               .loss = loss,
                               .cost = ask->cost};
  given.control.single = 1;
  given.control.cache = ask->cache > 0 ? ask->cache : MK_DEFAULT_CACHE;
  if (ask->tol > 0.0) given.control.tol = ask->tol;
  if (ask->max_time > 0.0) given.control.max_time = ask->max_time;
  mk_status status;
  SEXP owner = PROTECT(run(fit_rows, &given, &status));
  const mk_solution *solution = &((native_work *)mk_owned(owner))->solution;
  memcpy(out->theta, solution->theta, ask->kernels * sizeof *out->theta);
  memcpy(out->alpha, solution->alpha, ask->samples * sizeof *out->alpha);
  out->offset = solution->offset[0];
  out->objective = solution->dual;
  out->primal = solution->primal;
  out->gap = solution->gap;
  out->converged = status == MK_OK;
  mk_release(owner);
  UNPROTECT(1);
}

void mk_native_predict(const manykernels_problem *ask, const manykernels_solution *from,
                       size_t count, double *out) {
  check_providers(ask);
  check_solution(from);
  if (count == 0) return;
  check_present(out, "out");
  check_size(ask->samples + count, "samples");
  for (size_t m = 0; m < ask->kernels; m++) check_range(from->theta[m], "theta", 0.0, DBL_MAX);
  for (size_t i = 0; i < ask->samples; i++) check_range(from->alpha[i], "alpha", -DBL_MAX, DBL_MAX);
  native_work given = {.ask = ask,
                       .samples = ask->samples + count,
                       .control = mk_plain_control(),
                       .from = from,
                       .out = out};
  mk_status status;
  SEXP owner = PROTECT(run(predict, &given, &status));
  for (size_t i = 0; i < count; i++) out[i] += from->offset;
  mk_release(owner);
  UNPROTECT(1);
}
