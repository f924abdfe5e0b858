/* Sparse weights of thousands of columns: fits meet the tolerance, and the weights of unused
 * columns are exactly 0. */
#include "base/memory.h"
#include "check.h"
#include "data.h"
#include "optimizer/column-generation.h"
#include "optimizer/optimizers.h"

/* Kernels on columns of random numbers, `each` on a column of its own, and labels that depend on
 * the first `terms` columns. */
typedef struct wide_problem {
  mk_problem problem;
  mk_control control;
  mk_view view;
  mk_kernel_set *set;
  mk_kernel_spec *spec;
  int *feature;
  double *x, *y, *cost, *shape;
} wide_problem;

static void wide_new(wide_problem *w, size_t rows, size_t kernels, size_t each, mk_kernel_spec kind,
                     size_t terms, double p) {
  size_t cols = kernels / each;
  w->x = MK_NEW(double, rows *cols);
  w->y = MK_NEW0(double, rows);
  w->cost = MK_NEW(double, rows);
  w->shape = MK_NEW(double, 3 * rows);
  w->feature = MK_NEW(int, kernels);
  w->spec = MK_NEW(mk_kernel_spec, kernels);
  data_fill(rows * cols, w->x);
  for (size_t i = 0; i < rows; i++) {
    for (size_t k = 0; k < terms; k++) w->y[i] += w->x[k * rows + i];
    w->y[i] = w->y[i] > 0.0 ? 1.0 : -1.0;
    w->cost[i] = 1.0;
  }
  for (size_t m = 0; m < kernels; m++) {
    w->feature[m] = (int)(m / each);
    w->spec[m] = kind;
    w->spec[m].width += (double)(m % each);
    w->spec[m].features = &w->feature[m];
    w->spec[m].feature_count = 1;
  }
  w->view = (mk_view){.rows = rows, .cols = cols, .x = w->x};
  w->set = NULL;
  CHECK(mk_set_new(&w->set, rows, &w->view, 1, w->spec, kernels, NULL) == MK_OK);
  w->control = (mk_control){.tol = 1e-6,
                            .max_time = INFINITY,
                            .max_iter = INFINITY,
                            .cache = MK_DEFAULT_CACHE,
                            .working_set = 1,
                            .start = mk_seconds()};
  w->problem = (mk_problem){
      .set = w->set, .n = rows, .tasks = 1, .norm = mk_lp(p), .linear = w->y, .cost = w->cost};
  mk_problem_shape(&w->problem, w->shape);
}

static void wide_clear(wide_problem *w) {
  mk_set_free(w->set);
  mk_free(w->x);
  mk_free(w->y);
  mk_free(w->cost);
  mk_free(w->shape);
  mk_free(w->feature);
  mk_free(w->spec);
}

static void test_few_of_many_columns_get_weight(void) {
  enum { ROWS = 50, COLS = 2200 };
  wide_problem w;
  wide_new(&w, ROWS, COLS, 1, (mk_kernel_spec){.type = MK_LINEAR}, 3, 1.0);
  mk_solution s;
  CHECK(mk_solution_new(&s, &w.problem) == MK_OK);
  CHECK(mk_optimize(MK_INTERLEAVED, &w.problem, &w.control, NULL, &s) == MK_OK);
  CHECK(s.gap <= 1e-6);
  double weight = 0.0, form = 0.0;
  size_t chosen = 0, loose = 0;
  for (int m = 0; m < COLS; m++) form = fmax(form, s.forms[m]);
  for (int m = 0; m < COLS; m++) {
    weight += s.theta[m];
    chosen += s.theta[m] != 0.0;
    loose += s.theta[m] > 1e-3 && s.forms[m] < 0.99 * form; /* weight goes to the largest forms */
  }
  CHECK_NEAR(weight, 1.0, 1e-12);
  CHECK(chosen > 0 && chosen <= ROWS);
  CHECK(loose == 0);
  CHECK(s.history.line[s.history.count - 1].kernels == (double)chosen);
  mk_solution_clear(&s);
  wide_clear(&w);
}

static int generates(size_t kernels, size_t each, double p) {
  wide_problem w;
  wide_new(&w, 20, kernels, each, (mk_kernel_spec){.type = MK_GAUSSIAN, .width = 1.0}, 1, p);
  int does = mk_generates_columns(&w.problem);
  wide_clear(&w);
  return does;
}

/* Rounds pay where kernels are many and their features, too. */
static void test_who_goes_by_rounds(void) {
  CHECK(generates(300, 1, 1.0));
  CHECK(!generates(300, 1, 2.0));
  CHECK(!generates(150, 1, 1.0));
  CHECK(!generates(5, 1, 1.0));
  CHECK(!generates(300, 30, 1.0));
}

static mk_status renewed_fit(const mk_problem *problem, const mk_control *control,
                             const mk_start *start, mk_solution *solution) {
  mk_solution_clear(solution);
  CHECK(mk_solution_new(solution, problem) == MK_OK);
  return mk_optimize(MK_INTERLEAVED, problem, control, start, solution);
}

/* Hundreds of Gaussians on few samples: kernels join by their forms, which pairs of support vectors
 * give. The optimum is that of all at once, which Newton's method finds; a start may know it. */
static void test_few_of_many_gaussians_get_weight(void) {
  wide_problem w;
  wide_new(&w, 40, 260, 1, (mk_kernel_spec){.type = MK_GAUSSIAN, .width = 0.5}, 2, 1.0);
  CHECK(mk_generates_columns(&w.problem));
  mk_solution s, all, again;
  CHECK(mk_solution_new(&s, &w.problem) == MK_OK);
  CHECK(mk_solution_new(&all, &w.problem) == MK_OK);
  CHECK(mk_solution_new(&again, &w.problem) == MK_OK);
  CHECK(mk_optimize(MK_INTERLEAVED, &w.problem, &w.control, NULL, &s) == MK_OK);
  CHECK(mk_optimize(MK_NEWTON, &w.problem, &w.control, NULL, &all) == MK_OK);
  CHECK(s.gap <= 1e-6 && all.gap <= 1e-6);
  CHECK_NEAR(s.dual, all.dual, 1e-6 * all.primal);
  mk_start known = {.theta = s.theta, .alpha = s.alpha};
  CHECK(mk_optimize(MK_INTERLEAVED, &w.problem, &w.control, &known, &again) == MK_OK);
  CHECK_NEAR(again.dual, all.dual, 1e-6 * all.primal);
  w.control.max_iter = 1.0; /* one move from there stays near */
  CHECK(renewed_fit(&w.problem, &w.control, &known, &again) == MK_ITERATION_LIMIT);
  CHECK(again.gap < 0.1);
  w.control.max_iter = INFINITY;
  w.control.tol = 1e-15; /* rounding is the limit: rounds end once kernels outside do not matter */
  CHECK(renewed_fit(&w.problem, &w.control, NULL, &again) == MK_STALLED);
  CHECK(again.gap < 1e-12 && again.rounding > w.control.tol);
  CHECK(again.solves < 4.0 * s.solves);
  mk_solution_clear(&s);
  mk_solution_clear(&all);
  mk_solution_clear(&again);
  wide_clear(&w);
}

/* Under p = 1.02 the optimum gives weight to all kernels. All but one have 0.79 of the largest form
 * and hardly any weight, so that they may leave; together they matter. More of them than join at a
 * time would leave and join for ever if kernels left in rounds without progress, too. */
static void test_kernels_that_leave_and_join_do_so_finitely_often(void) {
  enum { ROWS = 10, KERNELS = 260 };
  double largest[ROWS * ROWS] = {0.0}, other[ROWS * ROWS] = {0.0};
  double y[ROWS], cost[ROWS], shape[3 * ROWS];
  mk_kernel_spec spec[KERNELS];
  mk_kernel_set *set = NULL;
  for (int i = 0; i < ROWS; i++) {
    y[i] = i % 2 == 0 ? 1.0 : -1.0;
    cost[i] = 10.0;
    largest[i * ROWS + i] = 1.0;
    other[i * ROWS + i] = 0.79;
  }
  for (int m = 0; m < KERNELS; m++)
    spec[m] = (mk_kernel_spec){
        .type = MK_PRECOMPUTED, .view = -1, .matrix = m == 0 ? largest : other};
  CHECK(mk_set_new(&set, ROWS, NULL, 0, spec, KERNELS, NULL) == MK_OK);
  mk_control control = {.tol = 1e-6,
                        .max_time = INFINITY,
                        .max_iter = 200.0,
                        .cache = MK_DEFAULT_CACHE,
                        .start = mk_seconds()};
  mk_problem problem = {
      .set = set, .n = ROWS, .tasks = 1, .norm = mk_lp(1.02), .linear = y, .cost = cost};
  mk_problem_shape(&problem, shape);
  mk_solution s;
  CHECK(mk_solution_new(&s, &problem) == MK_OK);
  CHECK(mk_column_generation(&problem, &control, &(mk_start){.theta = NULL}, &s) == MK_OK);
  CHECK(s.gap <= 1e-6);
  mk_solution_clear(&s);
  mk_set_free(set);
}

int main(void) {
  RUN(test_few_of_many_gaussians_get_weight);
  RUN(test_who_goes_by_rounds);
  RUN(test_few_of_many_columns_get_weight);
  RUN(test_kernels_that_leave_and_join_do_so_finitely_often);
  return REPORT();
}
