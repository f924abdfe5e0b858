/* Entry points for matching pursuit: the path, values along it, and the norms of its parts.
 * Called by R/gomp-path.R, R/gomp-values.R and R/sequential-steps.R. MATHEMATICS.md, section 5. */
#include "exact/expansion.h"
#include "rglue/arguments.h"
#include "rglue/call.h"
#include "rglue/kernels.h"
#include "rglue/problem.h"
#include "rglue/results.h"
#include "rls/gomp.h"
#include "rls/path.h"

#include <string.h>

/* ---- the path ---- */

/* Parses the roots of weights: NULL, one column for all tasks, or one per task. */
static void parse_roots(SEXP roots, mk_gomp_problem *problem) {
  size_t columns;
  if (Rf_isNull(roots)) return;
  problem->root = mk_arg_columns(roots, "roots", problem->n, &columns);
  if (columns != 1 && columns != problem->tasks)
    Rf_error("`roots` must have one column, or one for each of `y`");
  problem->own_roots = columns > 1;
  for (size_t i = 0; i < columns * problem->n; i++)
    if (!(problem->root[i] >= 0.0) || !R_FINITE(problem->root[i]))
      Rf_error("`roots` must not be negative");
}

/* Parses the kernels that each step may choose from: NULL, or list(candidates, drawn), where drawn
 * has a column of kernel numbers for each step. */
static void parse_candidates(SEXP candidates, mk_gomp_problem *problem) {
  if (Rf_isNull(candidates)) return;
  SEXP drawn = mk_list_get(candidates, "drawn", "candidates");
  size_t kernels = mk_set_kernels(problem->set);
  size_t count = (size_t)mk_list_number(candidates, "count", "candidates", 1.0, INT_MAX);
  int *index = (int *)R_alloc((size_t)XLENGTH(drawn) + 1, sizeof *index);
  const int *given = mk_arg_ints(drawn, "drawn", -1, 1, (int)kernels);
  for (R_xlen_t k = 0; k < XLENGTH(drawn); k++) index[k] = given[k] - 1;
  problem->drawn = index;
  problem->candidates = count;
  problem->drawn_per_step = (size_t)XLENGTH(drawn) / problem->max_kernels;
  if (problem->drawn_per_step * problem->max_kernels != (size_t)XLENGTH(drawn))
    Rf_error("`drawn` must have a column for each step");
}

static mk_gomp_problem parse_problem(const mk_kernel_set *set, SEXP rows, SEXP y, SEXP roots,
                                     SEXP lambda, SEXP max_kernels, SEXP epsilon, SEXP candidates) {
  mk_gomp_problem problem = {.set = set};
  problem.sample = mk_arg_positions(rows, "rows", mk_set_samples(set));
  problem.n = (size_t)XLENGTH(rows);
  if (problem.n == 0) Rf_error("`rows` must not be empty");
  problem.y = mk_arg_columns(y, "y", problem.n, &problem.tasks);
  parse_roots(roots, &problem);
  problem.lambda = mk_arg_number(lambda, "lambda", 1e-300, 1e300);
  problem.max_kernels = (size_t)mk_arg_int(max_kernels, "max_kernels", 1, INT_MAX);
  problem.epsilon = mk_arg_number(epsilon, "epsilon", 0.0, R_PosInf);
  if (problem.max_kernels > mk_set_kernels(set)) problem.max_kernels = mk_set_kernels(set);
  parse_candidates(candidates, &problem);
  return problem;
}

static void clear_path(void *path) {
  mk_gomp_path_clear(path);
}

static SEXP wrap_alpha(const mk_gomp_problem *problem, const mk_gomp_path *path) {
  size_t values = problem->n * problem->tasks;
  SEXP out = Rf_allocMatrix(REALSXP, (int)problem->n, (int)(problem->tasks * path->steps));
  for (size_t s = 0; s < path->steps; s++)
    memcpy(REAL(out) + s * values, path->alpha[s], values * sizeof(double));
  return out;
}

static SEXP wrap_path(const mk_gomp_problem *problem, const mk_gomp_path *path, mk_status status) {
  SEXP kernel = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)path->steps));
  for (size_t s = 0; s < path->steps; s++) INTEGER(kernel)[s] = path->kernel[s] + 1;
  SEXP alpha = PROTECT(wrap_alpha(problem, path));
  SEXP out = mk_wrap((const mk_item[]){MK_VALUE("kernel", kernel),
                                       MK_VECTOR("improvement", path->improvement, path->steps),
                                       MK_VECTOR("seconds", path->seconds, path->steps),
                                       MK_VALUE("alpha", alpha),
                                       MK_TYPED("status", mk_status_code(status), INTSXP),
                                       MK_TYPED("bad", (double)path->bad + 1.0, INTSXP),
                                       MK_NUMBER("memory", (double)path->bytes),
                                       MK_NUMBER("kept", (double)path->kept),
                                       {NULL}});
  UNPROTECT(2);
  return out;
}

typedef struct pursuing {
  const mk_gomp_problem *problem;
  mk_control control;
  mk_gomp_path *path;
} pursuing;

static mk_status pursue(void *data) {
  pursuing *work = data;
  MK_TRY(mk_gomp_path_new(work->path, work->problem));
  return mk_gomp(work->problem, &work->control, work->path);
}

SEXP mk_r_gomp(SEXP set, SEXP rows, SEXP y, SEXP roots, SEXP lambda, SEXP max_kernels, SEXP epsilon,
               SEXP candidates, SEXP control, SEXP progress) {
  mk_gomp_problem problem =
      parse_problem(mk_arg_set(set), rows, y, roots, lambda, max_kernels, epsilon, candidates);
  int threads = mk_threads_for(mk_list_get(control, "threads", "control"), problem.set, problem.n);
  pursuing work = {.problem = &problem, .control = mk_arg_control(control, progress)};
  SEXP owner = PROTECT(mk_own(sizeof(mk_gomp_path), clear_path, R_NilValue, R_NilValue));
  work.path = mk_owned(owner);
  mk_status status = mk_run(threads, &work.control.team, pursue, &work);
  SEXP out = PROTECT(wrap_path(&problem, work.path, mk_end_of(&work.control, status)));
  mk_release(owner);
  UNPROTECT(2);
  return out;
}

/* ---- values along it ---- */

typedef struct evaluating {
  mk_path_values values;
  mk_control control;
} evaluating;

static mk_status evaluate(void *data) {
  evaluating *work = data;
  return mk_path_evaluate(&work->values, &work->control);
}

/* Parses the numbers of kernels in the blocks' sums. */
static const size_t *parse_last(SEXP last, size_t kernels) {
  const int *given = mk_arg_ints(last, "last", -1, 1, (int)kernels);
  size_t *out = (size_t *)R_alloc((size_t)XLENGTH(last) + 1, sizeof *out);
  for (R_xlen_t b = 0; b < XLENGTH(last); b++) out[b] = (size_t)given[b];
  return out;
}

SEXP mk_r_path_values(SEXP set, SEXP kernels, SEXP last, SEXP alpha, SEXP from, SEXP rows,
                      SEXP known, SEXP threads) {
  evaluating work = {.values = {.set = mk_arg_set(set)}, .control = mk_plain_control()};
  mk_path_values *v = &work.values;
  size_t n = mk_set_samples(v->set);
  v->kernel = mk_arg_positions(kernels, "kernels", mk_set_kernels(v->set));
  v->count = (size_t)XLENGTH(kernels);
  v->last = parse_last(last, v->count);
  v->blocks = (size_t)XLENGTH(last);
  v->from = mk_arg_positions(from, "from", n);
  v->from_count = (size_t)XLENGTH(from);
  v->row = mk_arg_positions(rows, "rows", n);
  v->row_count = (size_t)XLENGTH(rows);
  v->known = (size_t)mk_arg_int(known, "known", 1, (int)n);
  v->alpha = mk_arg_doubles(alpha, "alpha", -1);
  size_t columns = v->from_count > 0 ? (size_t)XLENGTH(alpha) / v->from_count : 0;
  if (v->blocks == 0 || columns == 0 || columns % v->blocks != 0 ||
      columns * v->from_count != (size_t)XLENGTH(alpha))
    Rf_error("`alpha` must have %.0f rows and columns for each of `last`", (double)v->from_count);
  v->tasks = columns / v->blocks;
  int most = mk_threads_for(threads, v->set, v->row_count);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)v->row_count, (int)columns));
  v->out = REAL(out);
  mk_run(most, &work.control.team, evaluate, &work);
  UNPROTECT(1);
  return out;
}

/* ---- norms of the kernels' parts ---- */

typedef struct measuring {
  mk_expansion expansion;
  mk_control control;
} measuring;

static mk_status find_gap(void *data) {
  measuring *work = data;
  return mk_expand(&work->expansion, &work->control);
}

/* Lists the rows of alpha that are not 0 in all columns, and copies these rows by columns. */
static double *pack_support(const double *alpha, size_t n, size_t columns, int *sample,
                            size_t *support) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t t = 0; t < columns; t++)
      if (alpha[t * n + i] != 0.0) {
        sample[count++] = (int)i;
        break;
      }
  double *packed = (double *)R_alloc(count * columns + 1, sizeof *packed);
  for (size_t t = 0; t < columns; t++)
    for (size_t k = 0; k < count; k++) packed[t * count + k] = alpha[t * n + (size_t)sample[k]];
  *support = count;
  return packed;
}

/* Returns alpha'K_m alpha, summed over the columns of alpha, for the wanted kernels and 0 for
 * others; with `slack` in a second column the bounds of the rounding errors. */
SEXP mk_r_forms(SEXP set, SEXP alpha, SEXP wanted, SEXP slack, SEXP threads) {
  measuring work = {.expansion = {.set = mk_arg_set(set)}, .control = mk_plain_control()};
  mk_expansion *e = &work.expansion;
  size_t n = mk_set_samples(e->set), kernels = mk_set_kernels(e->set);
  const double *given = mk_arg_columns(alpha, "alpha", n, &e->tasks);
  e->wanted = mk_arg_ints(wanted, "wanted", (R_xlen_t)kernels, 0, 1);
  int *sample = (int *)R_alloc(n, sizeof *sample), most = mk_threads_for(threads, e->set, n);
  e->sample = sample;
  e->alpha = pack_support(given, n, e->tasks, sample, &e->support);
  e->count = e->support;
  int bounded = mk_arg_flag(slack, "slack");
  SEXP forms = PROTECT(bounded ? Rf_allocMatrix(REALSXP, (int)kernels, 2)
                               : Rf_allocVector(REALSXP, (R_xlen_t)kernels));
  e->forms = REAL(forms);
  e->form_slack = bounded ? e->forms + kernels : NULL;
  mk_run(most, &work.control.team, find_gap, &work);
  for (size_t m = 0; m < kernels; m++)
    if (!e->wanted[m]) e->forms[m] = 0.0;
  UNPROTECT(1);
  return forms;
}
