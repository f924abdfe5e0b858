/* Fits on which alternating optimisers make slow progress, and every way of storing rows. */
#include "base/memory.h"
#include "check.h"
#include "data.h"
#include "optimizer/optimizers.h"
#include "team.h"

#define FEATURES 12

typedef struct problem_data {
  double *x, *y, *lower, *upper;
  mk_kernel_set *set;
} problem_data;

/* Two classes that overlap; one linear kernel per feature, or Gaussians on all. */
static problem_data make(size_t n, double C, int rank_one, int coarse) {
  problem_data d = {MK_NEW(double, n *FEATURES), MK_NEW(double, n), MK_NEW0(double, n),
                    MK_NEW0(double, n), NULL};
  static const int feature[FEATURES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  mk_kernel_spec specs[FEATURES] = {{0}};
  data_fill(n * FEATURES, d.x);
  for (size_t i = 0; coarse && i < n * FEATURES; i++) d.x[i] = d.x[i] > 0.0 ? 1.0 : -1.0;
  for (size_t i = 0; i < n; i++) {
    d.y[i] = d.x[i] + 0.5 * d.x[n + i] + 0.7 * data_next() > 0.0 ? 1.0 : -1.0;
    *(d.y[i] > 0.0 ? &d.upper[i] : &d.lower[i]) = d.y[i] * C;
  }
  for (int m = 0; m < FEATURES; m++) {
    specs[m].type = rank_one ? MK_LINEAR : MK_GAUSSIAN;
    specs[m].width = 0.5 * pow(2.0, m);
    specs[m].features = rank_one ? &feature[m] : NULL;
    specs[m].feature_count = rank_one ? 1 : 0;
  }
  mk_view view = {.rows = n, .cols = FEATURES, .x = d.x};
  CHECK(mk_set_new(&d.set, n, &view, 1, specs, FEATURES, NULL) == MK_OK);
  return d;
}

static void clear(problem_data *d) {
  mk_set_free(d->set);
  mk_free(d->x);
  mk_free(d->y);
  mk_free(d->lower);
  mk_free(d->upper);
}

static double fit(const problem_data *d, size_t n, double p, mk_control control) {
  mk_problem problem = {.set = d->set,
                        .n = n,
                        .tasks = 1,
                        .norm = mk_lp(p),
                        .linear = d->y,
                        .lower = d->lower,
                        .upper = d->upper};
  mk_solution solution;
  double sum = 0.0, dual = NAN;
  control.max_time = control.max_iter = INFINITY;
  control.start = mk_seconds();
  CHECK(mk_solution_new(&solution, &problem) == MK_OK);
  CHECK(mk_optimize(MK_INTERLEAVED, &problem, &control, NULL, &solution) == MK_OK);
  CHECK(solution.gap <= control.tol);
  CHECK(solution.gap >= -1e-12);
  for (size_t i = 0; i < n; i++) {
    sum += solution.alpha[i];
    CHECK(solution.alpha[i] >= d->lower[i] && solution.alpha[i] <= d->upper[i]);
  }
  CHECK_NEAR(sum, 0.0, 1e-8 * (double)n);
  dual = solution.dual;
  mk_solution_clear(&solution);
  return dual;
}

/* K_theta is singular, alpha and the forms of idle kernels are not unique. */
static void test_rank_one_kernels(void) {
  const double norms[] = {1.0, 1.01, 4.0 / 3.0, 2.0, INFINITY}, costs[] = {0.1, 1.0, 1000.0};
  for (int coarse = 0; coarse < 2; coarse++)
    for (int c = 0; c < 3; c++) {
      problem_data d = make(60, costs[c], 1, coarse);
      mk_control control = {.tol = 1e-6, .cache = 1 << 24, .working_set = 1};
      for (int k = 0; k < 5; k++) fit(&d, 60, norms[k], control);
      clear(&d);
    }
}

/* Rows of all samples kept, of candidates only, none; one set or growing; one thread or two. */
static void test_every_way_of_keeping_rows(void) {
  const size_t n = 1300, budgets[] = {(size_t)1 << 27, (size_t)36 << 20, (size_t)1 << 16};
  problem_data d = make(n, 1.0, 0, 0);
  mk_control control = {.tol = 1e-6, .cache = budgets[0]};
  double whole = fit(&d, n, 2.0, control);
  for (int k = 0; k < 3; k++)
    for (int threads = 1; threads <= 2; threads++) {
      mk_control other = {
          .tol = 1e-6, .cache = budgets[k], .team = threads > 1 ? team : NULL, .working_set = 1};
      CHECK_NEAR(fit(&d, n, 2.0, other), whole, 2e-6 * whole);
      other.tol = 1e-5;
      other.single = 1;
      CHECK_NEAR(fit(&d, n, 2.0, other), whole, 2e-5 * whole);
    }
  clear(&d);
}

int main(void) {
  RUN_TEAM(2, test_rank_one_kernels);
  RUN_TEAM(2, test_every_way_of_keeping_rows);
  return REPORT();
}
