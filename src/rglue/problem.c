/* Parses problems, settings and callbacks of fits. Called by the entry points of rglue/.
 * MATHEMATICS.md, sections 1 and 2. */
#include "problem.h"

#include "rglue/arguments.h"
#include "rglue/call.h"
#include "theta/norm.h"

#include <string.h>

/* Parses a number (p of the plain lp norm), or list(type, parameter, values). */
mk_norm mk_arg_norm(SEXP x, size_t kernels) {
  if (TYPEOF(x) != VECSXP) return mk_lp(mk_arg_number(x, "norm", 1.0, R_PosInf));
  int type = (int)mk_list_number(x, "type", "norm", 0.0, MK_NORMS - 1);
  double parameter = mk_list_number(x, "parameter", "norm", 0.0, R_PosInf);
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

/* Parses the tables of a loss of pieces: list(y, start, at, slope, open). */
static const mk_pieces *parse_pieces(SEXP x) {
  mk_pieces *out = (mk_pieces *)R_alloc(1, sizeof *out);
  SEXP y = mk_list_get(x, "y", "pieces"), at = mk_list_get(x, "at", "pieces");
  out->y = mk_arg_doubles(y, "pieces$y", -1);
  out->at = mk_arg_doubles(at, "pieces$at", -1);
  size_t tables = out->tables = (size_t)XLENGTH(y);
  if (tables == 0 || XLENGTH(at) > INT_MAX) Rf_error("`pieces` must have tables");
  out->start = mk_arg_ints(mk_list_get(x, "start", "pieces"), "pieces$start", (R_xlen_t)tables + 1,
                           0, (int)XLENGTH(at));
  out->slope = mk_arg_doubles(mk_list_get(x, "slope", "pieces"), "pieces$slope", XLENGTH(at));
  out->open =
      mk_arg_ints(mk_list_get(x, "open", "pieces"), "pieces$open", 2 * (R_xlen_t)tables, 0, 1);
  double *value = (double *)R_alloc((size_t)XLENGTH(at), sizeof *value);
  out->value = value;
  for (size_t k = 0; k < tables; k++) {
    int from = out->start[k], to = out->start[k + 1];
    int sound = to - from >= 2 && (k == 0 || out->y[k - 1] < out->y[k]);
    for (int j = from + 1; sound && j < to; j++)
      sound = out->at[j - 1] < out->at[j] && out->slope[j - 1] <= out->slope[j];
    if (!sound) Rf_error("`pieces` must have two knots or more for each y; all must rise");
    mk_piece_table table = {(size_t)(to - from), out->at + from, out->slope + from, value + from,
                            out->open + 2 * k};
    mk_pieces_integrate(&table, value + from);
    if (mk_piece_bound(&table, 0) > 0.0 || mk_piece_bound(&table, 1) < 0.0)
      Rf_error("`pieces` must have slopes of 0");
  }
  return out;
}

static mk_loss parse_loss(SEXP loss) {
  mk_loss out = {.type = (mk_loss_type)mk_list_number(loss, "type", "loss", 0.0, MK_LOSSES - 1),
                 .parameter = mk_list_number(loss, "parameter", "loss", 0.0, R_PosInf),
                 .no_offset = !mk_list_flag(loss, "offset", "loss")};
  if (out.type == MK_LOSS_PIECES) out.pieces = parse_pieces(mk_list_get(loss, "pieces", "loss"));
  if (!mk_loss_is_valid(&out)) Rf_error("`loss` must have a parameter in its range");
  return out;
}

static const double *parse_cost(SEXP cost, R_xlen_t size) {
  const double *out = mk_arg_doubles(cost, "cost", size);
  for (R_xlen_t i = 0; i < size; i++)
    if (out[i] < 0.0) Rf_error("`cost` must not be negative");
  return out;
}

/* Parses the costs, or list(below, above) with one for either side of y. */
static void parse_costs(SEXP cost, R_xlen_t size, mk_problem *problem) {
  if (TYPEOF(cost) != VECSXP) {
    problem->cost = parse_cost(cost, size);
    return;
  }
  if (problem->loss.type != MK_LOSS_EPSILON)
    Rf_error("`cost` must not differ between the sides of y for this loss");
  problem->cost = parse_cost(mk_list_get(cost, "below", "cost"), size);
  problem->cost_above = parse_cost(mk_list_get(cost, "above", "cost"), size);
}

/* The joint loss needs one class for each sample, and has no offset. */
static void check_classes(const mk_problem *problem) {
  if (!problem->loss.no_offset) Rf_error("`loss` must not have an offset if it is joint");
  if (problem->tasks < 2) Rf_error("`y` must have a column for each of several classes");
  for (size_t i = 0; i < problem->n; i++) {
    double sum = 0.0;
    for (size_t t = 0; t < problem->tasks; t++) sum += problem->linear[t * problem->n + i];
    if (sum != 1.0) Rf_error("`y` must be 1 in one column of each row and 0 in the others");
  }
}

mk_problem mk_arg_problem(size_t samples, SEXP y, SEXP cost, SEXP loss) {
  mk_problem problem = {.n = samples, .loss = parse_loss(loss)};
  problem.linear = mk_arg_columns(y, "y", samples, &problem.tasks);
  R_xlen_t size = XLENGTH(y);
  if (mk_loss_is_joint(&problem.loss)) check_classes(&problem);
  parse_costs(cost, size, &problem);
  for (R_xlen_t i = 0; i < size; i++)
    if (!mk_loss_allows(&problem.loss, problem.linear[i]))
      Rf_error("`y` must hold targets of the loss: 1 or -1 for classes, 1 for one class, 1 or 0 "
               "for the joint loss");
  mk_problem_shape(&problem, (double *)R_alloc(3 * (size_t)size, sizeof(double)));
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
  double iteration, seconds, objective, gap, rows;
} news;

static SEXP call_progress(void *data) {
  const news *n = data;
  SEXP iteration = PROTECT(Rf_ScalarReal(n->iteration));
  SEXP seconds = PROTECT(Rf_ScalarReal(n->seconds));
  SEXP objective = PROTECT(Rf_ScalarReal(n->objective)), gap = PROTECT(Rf_ScalarReal(n->gap));
  SEXP rows = PROTECT(Rf_ScalarReal(n->rows));
  SEXP call = PROTECT(Rf_lang6(n->function, iteration, seconds, objective, gap, rows));
  Rf_eval(call, R_GlobalEnv);
  UNPROTECT(6);
  return R_NilValue;
}

/* Reports progress. If R jumps there, the next poll ends the work. */
static void report_progress(void *data, double iteration, double seconds, double objective,
                            double gap, double rows) {
  mk_caller *caller = data;
  news n = {caller->progress, iteration, seconds, objective, gap, rows};
  mk_call_stoppable(caller, call_progress, &n);
}

static mk_caller *new_caller(mk_control *control) {
  mk_caller *caller = (mk_caller *)R_alloc(1, sizeof *caller);
  *caller = (mk_caller){R_NilValue, R_NilValue, R_NilValue, 0};
  control->data = caller;
  return caller;
}

/* Sets the progress function, an R function of iteration, seconds, objective, gap and rows, or
 * NULL. */
void mk_arg_progress(SEXP progress, mk_control *control) {
  mk_caller *caller = control->data != NULL ? control->data : new_caller(control);
  if (progress == R_NilValue) return;
  if (!Rf_isFunction(progress)) Rf_error("`progress` must be a function or NULL");
  control->progress = report_progress;
  caller->progress = progress;
}

typedef struct part {
  SEXP function;
  double share;
} part;

static SEXP tell_part(void *data) {
  const part *p = data;
  SEXP share = PROTECT(Rf_ScalarReal(p->share)), call = PROTECT(Rf_lang2(p->function, share));
  Rf_eval(call, R_GlobalEnv);
  UNPROTECT(2);
  return R_NilValue;
}

static void report_share(void *data, double share) {
  mk_caller *caller = data;
  mk_call_stoppable(caller, tell_part, &(part){caller->progress, share});
}

void mk_arg_share(SEXP function, mk_control *control) {
  if (function == R_NilValue) return;
  if (!Rf_isFunction(function)) Rf_error("`share` must be a function or NULL");
  new_caller(control)->progress = function;
  control->share = report_share;
}

typedef struct kept {
  SEXP function;
  const double *state;
  size_t count;
} kept;

static SEXP keep_state(void *data) {
  const kept *k = data;
  SEXP state = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)k->count));
  memcpy(REAL(state), k->state, k->count * sizeof(double));
  SEXP call = PROTECT(Rf_lang2(k->function, state));
  Rf_eval(call, R_GlobalEnv);
  UNPROTECT(2);
  return R_NilValue;
}

static void save_state(void *data, const double *state, size_t count) {
  mk_caller *caller = data;
  mk_call_stoppable(caller, keep_state, &(kept){caller->save, state, count});
}

static void arg_save(SEXP function, mk_control *control) {
  if (function == R_NilValue) return;
  if (!Rf_isFunction(function)) Rf_error("`save` must be a function or NULL");
  ((mk_caller *)control->data)->save = function;
  control->save = save_state;
}

static void arg_stopping(SEXP stopping, mk_control *control) {
  mk_caller *caller = new_caller(control);
  if (stopping == R_NilValue) return;
  if (!Rf_isFunction(stopping)) Rf_error("`stopping` must be a function or NULL");
  caller->stopping = stopping;
  control->ended = &caller->ended;
}

mk_status mk_end_of(const mk_control *control, mk_status status) {
  int ended = control->ended != NULL && *control->ended;
  return ended && status == MK_TIME_LIMIT ? MK_INTERRUPTED : status;
}

mk_control mk_arg_control(SEXP control, SEXP progress) {
  mk_control out = mk_plain_control();
  out.tol = mk_list_number(control, "tol", "control", 1e-15, 1.0);
  out.max_time = mk_list_number(control, "max_time", "control", 0.0, R_PosInf);
  out.max_iter = mk_list_number(control, "max_iter", "control", 0.0, R_PosInf);
  out.cache = mk_size(mk_list_number(control, "cache", "control", 0.0, 9e18));
  if (out.cache == 0) out.cache = MK_DEFAULT_CACHE;
  out.single = mk_list_flag(control, "single", "control");
  out.working_set = mk_list_flag(control, "candidate", "control");
  out.exact = mk_list_flag(control, "exact", "control");
  out.trace = mk_list_flag(control, "trace", "control");
  const double *level =
      mk_arg_doubles(mk_list_get(control, "level", "control"), "control$level", 2);
  for (int k = 0; k < 2; k++) {
    if (level[k] < 0.0 || level[k] >= 1.0) Rf_error("`control$level` must lie in [0, 1)");
    out.level[k] = level[k];
  }
  arg_stopping(mk_list_get(control, "stopping", "control"), &out);
  arg_save(mk_list_get(control, "save", "control"), &out);
  mk_arg_progress(progress, &out);
  return out;
}

mk_optimizer mk_arg_optimizer(SEXP control, const mk_norm *norm) {
  mk_optimizer optimizer =
      (mk_optimizer)mk_list_number(control, "optimizer", "control", 0.0, MK_OPTIMIZERS - 1);
  if (!mk_optimizer_serves(optimizer, norm)) Rf_error("`optimizer` does not support this norm");
  return optimizer;
}
