/* Sparse weights of thousands of columns: the fit meets its tolerance, and columns without weight
 * have none at all. */
#include "base/memory.h"
#include "check.h"
#include "data.h"
#include "optimizer/column-generation.h"
#include "optimizer/optimizers.h"

#define ROWS 50
#define COLS 2200

static void test_few_of_many_columns_get_weight(void) {
  double *x = MK_NEW(double, ROWS *COLS), y[ROWS], cost[ROWS], shape[3 * ROWS];
  int *feature = MK_NEW(int, COLS);
  mk_kernel_spec *spec = MK_NEW0(mk_kernel_spec, COLS);
  data_fill(ROWS * COLS, x);
  for (int i = 0; i < ROWS; i++) {
    y[i] = x[i] + x[ROWS + i] + x[2 * ROWS + i] > 0.0 ? 1.0 : -1.0;
    cost[i] = 1.0;
  }
  for (int m = 0; m < COLS; m++) {
    feature[m] = m;
    spec[m] =
        (mk_kernel_spec){.type = MK_LINEAR, .view = 0, .features = &feature[m], .feature_count = 1};
  }
  const mk_view view = {.rows = ROWS, .cols = COLS, .x = x};
  mk_kernel_set *set = NULL;
  mk_solution s;
  mk_control control = {.tol = 1e-6,
                        .max_time = INFINITY,
                        .max_iter = INFINITY,
                        .cache = MK_DEFAULT_CACHE,
                        .working_set = 1,
                        .start = mk_seconds()};
  CHECK(mk_set_new(&set, ROWS, &view, 1, spec, COLS, NULL) == MK_OK);
  mk_problem problem = {
      .set = set, .n = ROWS, .tasks = 1, .norm = mk_lp(1.0), .linear = y, .cost = cost};
  mk_problem_shape(&problem, shape);
  CHECK(mk_solution_new(&s, &problem) == MK_OK);
  CHECK(mk_optimize(MK_INTERLEAVED, &problem, &control, NULL, &s) == MK_OK);
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
  mk_set_free(set);
  mk_free(spec);
  mk_free(feature);
  mk_free(x);
}

/* Gaussians, `each` of them on a feature of its own. */
static int generates(size_t kernels, size_t each, double p) {
  enum { FEW = 20 };
  size_t cols = kernels / each;
  double *x = MK_NEW(double, FEW *cols);
  int *feature = MK_NEW(int, kernels);
  mk_kernel_spec *spec = MK_NEW0(mk_kernel_spec, kernels);
  data_fill(FEW * cols, x);
  for (size_t m = 0; m < kernels; m++) {
    feature[m] = (int)(m / each);
    spec[m] = (mk_kernel_spec){.type = MK_GAUSSIAN,
                               .width = 1.0 + (double)(m % each),
                               .features = &feature[m],
                               .feature_count = 1};
  }
  const mk_view view = {.rows = FEW, .cols = cols, .x = x};
  mk_problem problem = {.n = FEW, .norm = mk_lp(p)};
  mk_kernel_set *set = NULL;
  CHECK(mk_set_new(&set, FEW, &view, 1, spec, kernels, NULL) == MK_OK);
  problem.set = set;
  int does = mk_generates_columns(&problem);
  mk_set_free(set);
  mk_free(x);
  mk_free(feature);
  mk_free(spec);
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
  enum { FEW = 40, MANY = 260 };
  double *x = MK_NEW(double, FEW *MANY), y[FEW], cost[FEW], shape[3 * FEW];
  static int feature[MANY];
  mk_kernel_spec *spec = MK_NEW0(mk_kernel_spec, MANY);
  data_fill(FEW * MANY, x);
  for (int i = 0; i < FEW; i++) {
    y[i] = x[i] + x[FEW + i] > 0.0 ? 1.0 : -1.0;
    cost[i] = 1.0;
  }
  for (int m = 0; m < MANY; m++) {
    feature[m] = m;
    spec[m] = (mk_kernel_spec){
        .type = MK_GAUSSIAN, .width = 0.5, .features = &feature[m], .feature_count = 1};
  }
  const mk_view view = {.rows = FEW, .cols = MANY, .x = x};
  mk_kernel_set *set = NULL;
  mk_control control = {.tol = 1e-6,
                        .max_time = INFINITY,
                        .max_iter = INFINITY,
                        .cache = MK_DEFAULT_CACHE,
                        .working_set = 1,
                        .start = mk_seconds()};
  CHECK(mk_set_new(&set, FEW, &view, 1, spec, MANY, NULL) == MK_OK);
  mk_problem problem = {
      .set = set, .n = FEW, .tasks = 1, .norm = mk_lp(1.0), .linear = y, .cost = cost};
  mk_problem_shape(&problem, shape);
  CHECK(mk_generates_columns(&problem));
  mk_solution s, all, again;
  CHECK(mk_solution_new(&s, &problem) == MK_OK);
  CHECK(mk_solution_new(&all, &problem) == MK_OK);
  CHECK(mk_solution_new(&again, &problem) == MK_OK);
  CHECK(mk_optimize(MK_INTERLEAVED, &problem, &control, NULL, &s) == MK_OK);
  CHECK(mk_optimize(MK_NEWTON, &problem, &control, NULL, &all) == MK_OK);
  CHECK(s.gap <= 1e-6 && all.gap <= 1e-6);
  CHECK_NEAR(s.dual, all.dual, 1e-6 * all.primal);
  mk_start known = {.theta = s.theta, .alpha = s.alpha};
  CHECK(mk_optimize(MK_INTERLEAVED, &problem, &control, &known, &again) == MK_OK);
  CHECK_NEAR(again.dual, all.dual, 1e-6 * all.primal);
  control.max_iter = 1.0; /* one move from there stays near */
  CHECK(renewed_fit(&problem, &control, &known, &again) == MK_ITERATION_LIMIT);
  CHECK(again.gap < 0.1);
  control.max_iter = INFINITY;
  control.tol = 1e-15; /* rounding is the limit: rounds end once kernels outside do not matter */
  CHECK(renewed_fit(&problem, &control, NULL, &again) == MK_STALLED);
  CHECK(again.gap < 1e-12 && again.rounding > control.tol);
  CHECK(again.solves < 4.0 * s.solves);
  mk_solution_clear(&s);
  mk_solution_clear(&all);
  mk_solution_clear(&again);
  mk_set_free(set);
  mk_free(spec);
  mk_free(x);
}

int main(void) {
  RUN(test_few_of_many_gaussians_get_weight);
  RUN(test_who_goes_by_rounds);
  RUN(test_few_of_many_columns_get_weight);
  return REPORT();
}
