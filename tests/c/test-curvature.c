/* Theta's Hessian over the free support vectors, against plain linear algebra. */
#include "optimizer/curvature.h"

#include "base/memory.h"
#include "check.h"
#include "data.h"
#include "eliminate.h"
#include "theta/norm.h"
#include "svm/state.h"

#include <string.h>

#define N 60
#define KERNELS 6

typedef struct setting {
  double x[2 * N], k[KERNELS][N * N];
  double y[N], lower[N], upper[N];
  double theta[KERNELS], step[KERNELS];
  mk_kernel_set *set;
  mk_control control;
  mk_problem problem;
  mk_solution solution;
  mk_fit_state fit;
} setting;

/* Gaussians of random points in the plane, of so many different widths, and an SVM solved to the
 * end at random weights. */
static setting *setting_new(double p, int different) {
  setting *s = MK_NEW0(setting, 1);
  mk_kernel_spec spec[KERNELS];
  memset(spec, 0, sizeof spec);
  data_fill(2 * N, s->x);
  for (int m = 0; m < KERNELS; m++) {
    double width = 0.02 * pow(3.0, m % different);
    spec[m] = (mk_kernel_spec){.type = MK_GAUSSIAN, .view = 0, .width = width};
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        s->k[m][i * N + j] =
            exp(-(pow(s->x[i] - s->x[j], 2) + pow(s->x[N + i] - s->x[N + j], 2)) / width);
  }
  for (int i = 0; i < N; i++) {
    s->y[i] = s->x[i] + 0.7 * data_next() > 0.0 ? 1.0 : -1.0;
    s->upper[i] = s->y[i] > 0.0 ? 3.0 : 0.0;
    s->lower[i] = s->upper[i] - 3.0;
  }
  const mk_view view = {.rows = N, .cols = 2, .x = s->x};
  CHECK(mk_set_new(&s->set, N, &view, 1, spec, KERNELS, NULL) == MK_OK);
  s->control = (mk_control){.tol = 1e-9,
                            .max_time = INFINITY,
                            .max_iter = INFINITY,
                            .cache = MK_DEFAULT_CACHE,
                            .start = mk_seconds()};
  s->problem = (mk_problem){.set = s->set,
                            .n = N,
                            .tasks = 1,
                            .norm = mk_lp(p),
                            .linear = s->y,
                            .lower = s->lower,
                            .upper = s->upper};
  CHECK(mk_solution_new(&s->solution, &s->problem) == MK_OK);
  CHECK(mk_fit_new(&s->fit, &s->problem, &s->control, &s->solution) == MK_OK);
  for (int m = 0; m < KERNELS; m++) s->theta[m] = 0.5 + fabs(data_next());
  mk_norm_normalize(&s->problem.norm, KERNELS, s->theta);
  CHECK(mk_fit_begin(&s->fit, &(mk_start){.theta = s->theta}) == MK_OK);
  CHECK(mk_fit_solve(&s->fit, 1e-12) == MK_OK);
  return s;
}

static void setting_free(setting *s) {
  mk_fit_clear(&s->fit);
  mk_solution_clear(&s->solution);
  mk_set_free(s->set);
  mk_free(s);
}

/* The value of K at these weights between two samples. */
static double mixed(const setting *s, const double *weights, int i, int j) {
  double sum = 0.0;
  for (int m = 0; m < KERNELS; m++) sum += weights[m] * s->k[m][i * N + j];
  return sum;
}

/* value := K_theta^-1 value over the free variables, those of the others as they are, such that
 * their sum becomes `sum`. */
static void solve_free(const setting *s, const double *theta, double sum, double *value) {
  const mk_svm *svm = &s->fit.svm[0];
  const int *samples = mk_gram_samples(s->fit.gram);
  int at[N], count = 0;
  for (int k = 0; k < N; k++)
    if (mk_svm_is_free(svm, (size_t)k)) at[count++] = k;
  double a[(N + 1) * (N + 1)], x[N + 1];
  int size = count + 1;
  for (int r = 0; r < count; r++) {
    for (int c = 0; c < count; c++)
      a[r * size + c] = mixed(s, theta, samples[at[r]], samples[at[c]]);
    a[r * size + count] = a[count * size + r] = 1.0;
    x[r] = value[at[r]];
  }
  a[count * size + count] = 0.0;
  x[count] = sum;
  eliminate(a, (size_t)size, 0.0, x);
  for (int r = 0; r < count; r++) value[at[r]] = x[r];
}

/* out := K at these weights times alpha, by position in the working set. */
static void respond(const setting *s, const double *weights, const double *alpha, double *out) {
  const int *samples = mk_gram_samples(s->fit.gram);
  for (int i = 0; i < N; i++) {
    out[i] = 0.0;
    for (int j = 0; j < N; j++) out[i] += mixed(s, weights, samples[i], samples[j]) * alpha[j];
  }
}

/* The fall of alphas, to first order. */
static void plain_change(const setting *s, double *out) {
  const mk_svm *svm = &s->fit.svm[0];
  respond(s, s->step, svm->alpha, out);
  for (int k = 0; k < N; k++)
    if (!mk_svm_is_free(svm, (size_t)k)) out[k] = 0.0;
  solve_free(s, s->fit.theta, 0.0, out);
}

static void choose_step(setting *s) {
  for (int m = 0; m < KERNELS; m++) s->step[m] = data_next();
}

/* The second derivative in theta times a step: (K_m alpha)_F' Pi U step. */
static void check_hessian(double p, int different) {
  setting *s = setting_new(p, different);
  const mk_svm *svm = &s->fit.svm[0];
  double change[N], response[N], one[KERNELS];
  CHECK(mk_svm_free_count(svm) > KERNELS);
  double *z;
  size_t rank;
  CHECK(mk_curvature(&s->fit, &z, &rank) == MK_OK);
  if (different <= KERNELS / 2) CHECK(rank <= (size_t)different); /* rows that depend are dropped */
  for (int round = 0; round < 10; round++) {
    choose_step(s);
    plain_change(s, change);
    for (int m = 0; m < KERNELS; m++) {
      double expected = 0.0, found = 0.0;
      for (int k = 0; k < KERNELS; k++) one[k] = k == m;
      respond(s, one, svm->alpha, response);
      for (int k = 0; k < N; k++)
        if (mk_svm_is_free(svm, (size_t)k)) expected += response[k] * change[k];
      for (size_t r = 0; r < rank; r++) {
        const double *row = z + r * KERNELS;
        double along = 0.0;
        for (int k = 0; k < KERNELS; k++) along += row[k] * s->step[k];
        found += row[m] * along;
      }
      CHECK_NEAR(found, expected, 1e-6 * (1.0 + fabs(expected)));
    }
  }
  mk_free(z);
  setting_free(s);
}

static void test_the_hessian_by_definition(void) {
  check_hessian(1.0, KERNELS);
  check_hessian(4.0 / 3.0, KERNELS);
  check_hessian(4.0 / 3.0, 2);
}

/* ---- a sample of many free variables ---- */

#define MANY 1500

/* The Hessian's diagonal. */
static void diagonal_of(mk_fit_state *fit, double *out) {
  double *z;
  size_t rank;
  CHECK(mk_curvature(fit, &z, &rank) == MK_OK);
  memset(out, 0, KERNELS * sizeof *out);
  for (size_t r = 0; r < rank; r++)
    for (size_t m = 0; m < KERNELS; m++) out[m] += z[r * KERNELS + m] * z[r * KERNELS + m];
  mk_free(z);
}

/* Responses of all kernels are smooth, so that a sample of their values says nearly what all do, if
 * it is spread over all: samples are in order here. */
static void test_a_sample_has_most_of_the_hessian(void) {
  double *x = MK_NEW(double, 6 * MANY), *y = x + 2 * MANY, *box = y + MANY;
  double theta[KERNELS], some[KERNELS], all[KERNELS];
  mk_kernel_spec spec[KERNELS];
  mk_kernel_set *set;
  mk_solution solution;
  mk_fit_state fit;
  const mk_loss loss = {.type = MK_LOSS_SQUARED};
  memset(spec, 0, sizeof spec);
  data_fill(2 * MANY, x);
  for (int m = 0; m < KERNELS; m++) {
    spec[m] = (mk_kernel_spec){.type = MK_GAUSSIAN, .view = 0, .width = 0.2 * pow(2.0, m)};
    theta[m] = pow(1.0 / KERNELS, 0.75);
  }
  for (int i = 0; i < MANY; i++) {
    x[i] = 2.0 * i / MANY - 1.0;
    y[i] = sin(3.0 * x[i]) + 0.3 * data_next();
    mk_loss_shape(&loss, y[i], 1e3, &box[i], &box[MANY + i], &box[2 * MANY + i]);
  }
  const mk_view view = {.rows = MANY, .cols = 2, .x = x};
  CHECK(mk_set_new(&set, MANY, &view, 1, spec, KERNELS, NULL) == MK_OK);
  mk_control control = {.tol = 1e-3,
                        .max_time = INFINITY,
                        .max_iter = INFINITY,
                        .cache = MK_DEFAULT_CACHE,
                        .start = mk_seconds()};
  mk_problem problem = {.set = set,
                        .n = MANY,
                        .tasks = 1,
                        .loss = loss,
                        .norm = mk_lp(4.0 / 3.0),
                        .linear = y,
                        .lower = box,
                        .upper = box + MANY,
                        .ridge = box + 2 * MANY};
  CHECK(mk_solution_new(&solution, &problem) == MK_OK);
  CHECK(mk_fit_new(&fit, &problem, &control, &solution) == MK_OK);
  CHECK(mk_fit_begin(&fit, &(mk_start){.theta = theta}) == MK_OK);
  CHECK(mk_fit_solve(&fit, 1e-2) == MK_OK);
  CHECK(mk_curvature_is_sampled(&fit));
  CHECK(mk_curvature_variables(&fit, 0) < MANY);
  diagonal_of(&fit, some);
  fit.step.doublings = 1;
  CHECK(!mk_curvature_is_sampled(&fit));
  CHECK(mk_curvature_variables(&fit, 0) == MANY);
  diagonal_of(&fit, all);
  for (int m = 0; m < KERNELS; m++) CHECK(some[m] > 0.8 * all[m] && some[m] < 1.01 * all[m]);
  mk_fit_clear(&fit);
  mk_solution_clear(&solution);
  mk_set_free(set);
  mk_free(x);
}

int main(void) {
  RUN(test_the_hessian_by_definition);
  RUN(test_a_sample_has_most_of_the_hessian);
  return REPORT();
}
