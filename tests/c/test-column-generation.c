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

int main(void) {
  RUN(test_who_goes_by_rounds);
  RUN(test_few_of_many_columns_get_weight);
  return REPORT();
}
