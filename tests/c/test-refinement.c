/* SVMs over more columns than a row uses: rows are approximate, and exact responses correct the
 * solution. Products with the columns check it. */
#include "base/memory.h"
#include "check.h"
#include "data.h"
#include "optimizer/fit-state.h"

/* smallest sizes at which rows use only some columns (8 per sample, or 4e9 operations for all
 * rows) */
#define ROWS 800
#define COLS 6600
#define TASKS 2

/* Returns the largest error of an SVM's gradient, linear - K alpha, for the sum K of all kernels. */
static double gradient_error(const mk_svm *svm, const int *samples, const double *x) {
  double gradient[ROWS];
  for (int i = 0; i < ROWS; i++) gradient[i] = svm->linear[i];
  for (size_t m = 0; m < COLS; m++) {
    double along = 0.0;
    for (int k = 0; k < ROWS; k++) along += svm->alpha[k] * x[m * ROWS + (size_t)samples[k]];
    for (int k = 0; k < ROWS; k++) gradient[k] -= along * x[m * ROWS + (size_t)samples[k]];
  }
  return data_distance(ROWS, gradient, svm->gradient);
}

static void test_a_model_of_the_rows_leads_to_exact_svms(void) {
  double *x = MK_NEW(double, ROWS *COLS), y[TASKS * ROWS], cost[TASKS * ROWS], shape[3 * TASKS * ROWS];
  static int feature[COLS];
  mk_kernel_spec *spec = MK_NEW0(mk_kernel_spec, COLS);
  data_fill(ROWS * COLS, x);
  for (int i = 0; i < TASKS * ROWS; i++) {
    y[i] = x[i] + 0.3 * data_next() > 0.0 ? 1.0 : -1.0;
    cost[i] = 1.0;
  }
  for (int m = 0; m < COLS; m++) {
    feature[m] = m;
    spec[m] = (mk_kernel_spec){.type = MK_LINEAR, .features = &feature[m], .feature_count = 1};
  }
  const mk_view view = {.rows = ROWS, .cols = COLS, .x = x};
  mk_kernel_set *set = NULL;
  mk_control control = {.tol = 1e-6,
                        .max_time = INFINITY,
                        .max_iter = INFINITY,
                        .cache = MK_DEFAULT_CACHE,
                        .start = mk_seconds()};
  CHECK(mk_set_new(&set, ROWS, &view, 1, spec, COLS, NULL) == MK_OK);
  mk_problem problem = {.set = set,
                        .n = ROWS,
                        .tasks = TASKS,
                        .norm = mk_lp(INFINITY),
                        .linear = y,
                        .cost = cost};
  mk_problem_shape(&problem, shape);
  mk_solution solution;
  mk_fit_state fit;
  CHECK(mk_solution_new(&solution, &problem) == MK_OK);
  CHECK(mk_fit_new(&fit, &problem, &control, &solution) == MK_OK);
  CHECK(mk_fit_begin(&fit, &(mk_start){.theta = NULL}) == MK_OK);
  CHECK(mk_gram_count(fit.gram) == ROWS && mk_gram_is_approximate(fit.gram));
  for (double goal = 1e-2; goal > 1e-6; goal *= 1e-3) {
    double target = goal * fit.upper;
    CHECK(mk_fit_solve(&fit, target) == MK_OK);
    CHECK(fit.svm_gap <= target);
    for (int t = 0; t < TASKS; t++)
      CHECK_NEAR(gradient_error(&fit.svm[t], mk_gram_samples(fit.gram), x), 0.0, 1e-8);
  }
  CHECK(mk_gram_is_approximate(fit.gram));
  mk_fit_clear(&fit);
  mk_solution_clear(&solution);
  mk_set_free(set);
  mk_free(spec);
  mk_free(x);
}

int main(void) {
  RUN(test_a_model_of_the_rows_leads_to_exact_svms);
  return REPORT();
}
