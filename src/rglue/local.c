/* Entry points for locally linear SVMs: fits, certificates and decision values. Called by
 * R/locally-linear.R and R/locally-linear-methods.R. MATHEMATICS.md, section 6. */
#include "rglue/arguments.h"
#include "rglue/call.h"
#include "rglue/keep.h"
#include "rglue/kernels.h"
#include "rglue/problem.h"
#include "rglue/results.h"
#include "rglue/sequential.h"
#include "sequential/anchor-sums.h"
#include "sequential/certify.h"
#include "sequential/local-model.h"

#include <math.h>
#include <string.h>

/* ---- arguments ---- */

/* Parses list(map, gamma, componentwise), vectors of one length, into R's memory. */
static mk_anchor_map *parse_maps(SEXP maps, size_t *count) {
  SEXP map = mk_list_get(maps, "map", "maps");
  *count = (size_t)XLENGTH(map);
  R_xlen_t length = XLENGTH(map);
  const int *kind = mk_arg_ints(map, "maps$map", -1, 1, MK_LOCAL_MAPS);
  const double *gamma = mk_arg_doubles(mk_list_get(maps, "gamma", "maps"), "maps$gamma", length);
  const int *each =
      mk_arg_ints(mk_list_get(maps, "componentwise", "maps"), "maps$componentwise", length, 0, 1);
  mk_anchor_map *out = (mk_anchor_map *)R_alloc(*count + 1, sizeof *out);
  for (size_t k = 0; k < *count; k++) {
    if (!(gamma[k] > 0.0)) Rf_error("`maps$gamma` must be positive");
    out[k] = (mk_anchor_map){(mk_local_map)kind[k], gamma[k], each[k]};
  }
  return out;
}

/* Memory that R owns during a call. */
typedef struct owned {
  mk_anchors anchors;
  mk_sequential_solution solution;
} owned;

static void clear_owned(void *data) {
  owned *o = data;
  mk_anchors_clear(&o->anchors);
  mk_sequential_clear(&o->solution);
}

static SEXP new_owner(void) {
  return mk_own(sizeof(owned), clear_owned, R_NilValue, R_NilValue);
}

/* Makes a problem with one task on these samples. */
static mk_problem parse_problem(size_t n, SEXP y, SEXP cost, SEXP loss) {
  mk_problem problem = mk_arg_problem(n, y, cost, loss);
  problem.norm = mk_lp(1.0);
  if (problem.tasks != 1) Rf_error("`y` must have one column");
  return problem;
}

/* The view, and the anchors by columns; NULL: its rows. */
typedef struct given {
  mk_view view;
  const double *point;
  size_t count, maps;
  const mk_anchor_map *map;
  int threads;
} given;

static given parse_given(SEXP owner, SEXP view, SEXP anchors, SEXP maps, SEXP threads) {
  given out = {.point = NULL};
  mk_arg_view(owner, view, &out.view);
  if (out.view.rows == 0) Rf_error("`view` must have rows");
  out.count = out.view.rows;
  if (anchors != R_NilValue) {
    if (!Rf_isReal(anchors) || !Rf_isMatrix(anchors) ||
        (size_t)Rf_ncols(anchors) != out.view.cols || Rf_nrows(anchors) == 0)
      Rf_error("`anchors` must be a double matrix with %.0f columns", (double)out.view.cols);
    out.point = mk_arg_doubles(mk_keep(owner, anchors), "anchors", -1);
    out.count = (size_t)Rf_nrows(anchors);
  }
  out.map = parse_maps(maps, &out.maps);
  if (out.maps == 0) Rf_error("`maps` must not be empty");
  double work = (double)out.view.rows * (double)out.view.cols * (double)(out.count * out.maps);
  out.threads = mk_threads_worth(mk_arg_threads(threads), work);
  return out;
}

static mk_status open_anchors(const given *given, mk_team *team, mk_anchors *anchors) {
  return mk_anchors_new(anchors, &given->view, given->point, given->count, given->map, given->maps,
                        team);
}

/* ---- the fit ---- */

typedef struct fitting {
  const given *given;
  mk_problem problem;
  mk_sequential_settings settings;
  mk_control control;
  owned *own;
  double *coefficients; /* in R's memory, allocated once their number is known */
} fitting;

static mk_status fit_anchors(void *data) {
  fitting *work = data;
  MK_TRY(open_anchors(work->given, work->control.team, &work->own->anchors));
  mk_stream stream = mk_anchors_stream(&work->own->anchors);
  return mk_sequential(&stream, &work->problem, &work->settings, &work->control,
                       &work->own->solution);
}

/* Computes the model's vectors, even after a time limit, since predictions need them. */
static mk_status weigh(void *data) {
  fitting *work = data;
  const mk_sequential_solution *s = &work->own->solution;
  size_t cols = work->given->view.cols;
  mk_control patient = mk_patient(&work->control);
  MK_TRY(mk_anchors_vectors(&work->own->anchors, s->selected, s->count, s->fit.alpha, &patient,
                            work->coefficients));
  for (size_t k = 0; k < s->count; k++)
    for (size_t j = 0; j < cols; j++) work->coefficients[k * cols + j] *= s->fit.theta[k];
  return MK_OK;
}

/* Returns the fit, or NULL if there was no time to evaluate one kernel. */
static SEXP wrap_fit(fitting *work, mk_status status) {
  const mk_sequential_solution *s = &work->own->solution;
  const mk_anchors *anchors = &work->own->anchors;
  if (s->count == 0) return R_NilValue;
  size_t cols = work->given->view.cols, bytes = cols * sizeof(double);
  SEXP points = PROTECT(Rf_allocMatrix(REALSXP, (int)cols, (int)s->count));
  SEXP coefficients = PROTECT(Rf_allocMatrix(REALSXP, (int)cols, (int)s->count));
  for (size_t k = 0; k < s->count; k++)
    memcpy(REAL(points) + k * cols, anchors->point + s->selected[k] / anchors->maps * cols, bytes);
  work->coefficients = REAL(coefficients);
  mk_run(work->given->threads, &work->control.team, weigh, work);
  SEXP solution = PROTECT(mk_wrap_sequential(&work->problem, s, status));
  SEXP out = mk_wrap((const mk_item[]){MK_VALUE("solution", solution),
                                       MK_VALUE("anchors", points),
                                       MK_VALUE("coefficients", coefficients),
                                       {NULL}});
  UNPROTECT(3);
  return out;
}

/* Parses two permutations from 1, one after the other, into those from 0; NULL for NULL. */
static const int *parse_order(SEXP order, size_t n) {
  if (order == R_NilValue) return NULL;
  const int *out = mk_arg_positions(order, "order", n);
  char *seen = R_alloc(n, 2);
  memset(seen, 0, 2 * n);
  int sound = (size_t)XLENGTH(order) == 2 * n;
  for (size_t k = 0; sound && k < 2 * n; k++) seen[(k < n ? 0 : n) + (size_t)out[k]] = 1;
  if (!sound || memchr(seen, 0, 2 * n) != NULL)
    Rf_error("`order` must have the numbers from 1 to %.0f twice", (double)n);
  return out;
}

SEXP mk_r_local_fit(SEXP view, SEXP anchors, SEXP maps, SEXP y, SEXP cost, SEXP loss, SEXP control,
                    SEXP order, SEXP progress) {
  SEXP owner = PROTECT(new_owner());
  given given = parse_given(owner, view, anchors, maps, mk_list_get(control, "threads", "control"));
  fitting work = {.given = &given, .control = mk_arg_control(control, progress)};
  work.control.order = parse_order(order, given.view.rows);
  work.control.order_length = given.view.rows;
  if (work.control.order != NULL) work.control.shuffle = work.control.order + given.view.rows;
  work.problem = parse_problem(given.view.rows, y, cost, loss);
  work.settings.optimizer = mk_arg_optimizer(control, &work.problem.norm);
  work.own = mk_owned(owner);
  mk_status status = mk_run(given.threads, &work.control.team, fit_anchors, &work);
  SEXP out = PROTECT(wrap_fit(&work, mk_end_of(&work.control, status)));
  mk_release(owner);
  UNPROTECT(2);
  return out;
}

/* ---- the certificate ---- */

typedef struct certifying {
  const given *given;
  mk_problem problem;
  mk_control control;
  owned *own;
  mk_weighted weighted;
} certifying;

static mk_status certify_anchors(void *data) {
  certifying *work = data;
  MK_TRY(open_anchors(work->given, work->control.team, &work->own->anchors));
  mk_stream stream = mk_anchors_stream(&work->own->anchors);
  return mk_sequential_certify(&stream, &work->problem, &work->weighted, &work->control,
                               &work->own->solution);
}

static size_t *parse_selected(SEXP selected, size_t size) {
  const double *given = mk_arg_doubles(selected, "selected", -1);
  size_t *out = (size_t *)R_alloc((size_t)XLENGTH(selected) + 1, sizeof *out);
  for (R_xlen_t k = 0; k < XLENGTH(selected); k++) {
    if (!(given[k] >= 1.0) || given[k] > (double)size || given[k] != floor(given[k]) ||
        (k > 0 && given[k] <= given[k - 1]))
      Rf_error("`selected` must be rising kernel numbers up to %.0f", (double)size);
    out[k] = (size_t)given[k] - 1;
  }
  return out;
}

SEXP mk_r_local_gap(SEXP view, SEXP anchors, SEXP maps, SEXP selected, SEXP theta, SEXP alpha,
                    SEXP y, SEXP cost, SEXP loss, SEXP threads) {
  SEXP owner = PROTECT(new_owner());
  given given = parse_given(owner, view, anchors, maps, threads);
  size_t n = given.view.rows;
  certifying work = {
      .given = &given, .control = mk_plain_control(), .problem = parse_problem(n, y, cost, loss)};
  work.weighted.kernel = parse_selected(selected, given.count * given.maps);
  size_t count = work.weighted.count = (size_t)XLENGTH(selected);
  if (count == 0) Rf_error("`selected` must not be empty");
  work.weighted.theta = mk_arg_theta(theta, count);
  work.weighted.alpha = mk_arg_doubles(alpha, "alpha", (R_xlen_t)n);
  work.own = mk_owned(owner);
  mk_run(given.threads, &work.control.team, certify_anchors, &work);
  const mk_solution *fit = &work.own->solution.fit;
  SEXP out = PROTECT(mk_wrap((const mk_item[]){MK_NUMBER("primal", fit->primal),
                                               MK_NUMBER("dual", fit->dual),
                                               MK_NUMBER("gap", fit->gap),
                                               MK_VECTOR("offset", fit->offset, 1),
                                               {NULL}}));
  mk_release(owner);
  UNPROTECT(2);
  return out;
}

/* ---- decisions ---- */

typedef struct deciding {
  mk_local_model model;
  mk_view view;
  mk_control control;
  double *out;
} deciding;

static mk_status decide(void *data) {
  deciding *work = data;
  int dense = work->view.x != NULL; /* R has checked its values */
  mk_status status = dense ? MK_OK : mk_view_prepare(&work->view, work->control.team);
  if (status == MK_OK)
    status = mk_local_decide(&work->model, &work->view, &work->control, work->out);
  mk_view_clear(&work->view);
  return status;
}

/* Returns decision values. `anchors` and `coefficients` are features x number of active anchors. */
SEXP mk_r_local_decide(SEXP view, SEXP anchors, SEXP coefficients, SEXP maps, SEXP offset,
                       SEXP threads) {
  deciding work = {.control = mk_plain_control()};
  SEXP keeper = PROTECT(mk_keeper());
  mk_arg_view(keeper, view, &work.view);
  work.model.map = parse_maps(maps, &work.model.count);
  work.model.cols = work.view.cols;
  R_xlen_t size = (R_xlen_t)work.model.count * (R_xlen_t)work.model.cols;
  work.model.anchor = mk_arg_doubles(anchors, "anchors", size);
  work.model.coefficient = mk_arg_doubles(coefficients, "coefficients", size);
  work.model.offset = mk_arg_number(offset, "offset", -INFINITY, INFINITY);
  double cost = (double)work.view.rows * (double)(size + 1);
  int most = mk_threads_worth(mk_arg_threads(threads), 4.0 * cost);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)work.view.rows));
  work.out = REAL(out);
  if (work.view.rows > 0) mk_run(most, &work.control.team, decide, &work);
  UNPROTECT(2);
  return out;
}
