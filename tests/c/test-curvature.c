/* What a Newton step does to the alphas, and how far it goes, against plain linear algebra. */
#include "optimizer/curvature.h"

#include "base/memory.h"
#include "check.h"
#include "data.h"
#include "eliminate.h"
#include "optimizer/step-length.h"

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
  mk_machine machine;
} setting;

/* Gaussians of random points in the plane, and an SVM solved to the end at random weights. */
static setting *setting_new(double p) {
  setting *s = MK_NEW0(setting, 1);
  mk_kernel_spec spec[KERNELS];
  memset(spec, 0, sizeof spec);
  data_fill(2 * N, s->x);
  for (int m = 0; m < KERNELS; m++) {
    double width = 0.02 * pow(3.0, m);
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
  CHECK(mk_machine_new(&s->machine, &s->problem, &s->control, &s->solution) == MK_OK);
  for (int m = 0; m < KERNELS; m++) s->theta[m] = 0.5 + fabs(data_next());
  mk_norm_normalize(&s->problem.norm, KERNELS, s->theta);
  CHECK(mk_machine_begin(&s->machine, &(mk_start){.theta = s->theta}) == MK_OK);
  s->machine.target = 1e-12;
  s->machine.theta_goal = 1e-9;
  CHECK(mk_machine_solve(&s->machine) == MK_OK);
  return s;
}

static void setting_free(setting *s) {
  mk_machine_clear(&s->machine);
  mk_solution_clear(&s->solution);
  mk_set_free(s->set);
  mk_free(s);
}

/* Of K at these weights, between samples. */
static double mixed(const setting *s, const double *weights, int i, int j) {
  double sum = 0.0;
  for (int m = 0; m < KERNELS; m++) sum += weights[m] * s->k[m][i * N + j];
  return sum;
}

/* value := K_theta^-1 value over the free variables, those of the others as they are, such that
 * their sum becomes `sum`. */
static void solve_free(const setting *s, const double *theta, double sum, double *value) {
  const mk_svm *svm = &s->machine.svm[0];
  const int *samples = mk_gram_samples(s->machine.gram);
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

/* out := K at these weights times alpha, by candidate. */
static void respond(const setting *s, const double *weights, const double *alpha, double *out) {
  const int *samples = mk_gram_samples(s->machine.gram);
  for (int i = 0; i < N; i++) {
    out[i] = 0.0;
    for (int j = 0; j < N; j++) out[i] += mixed(s, weights, samples[i], samples[j]) * alpha[j];
  }
}

/* By how much alphas fall, to first order. */
static void plain_change(const setting *s, double *out) {
  const mk_svm *svm = &s->machine.svm[0];
  respond(s, s->step, svm->alpha, out);
  for (int k = 0; k < N; k++)
    if (!mk_svm_is_free(svm, (size_t)k)) out[k] = 0.0;
  solve_free(s, s->machine.theta, 0.0, out);
}

/* Alphas at theta + t step, the free variables being the same. */
static void plain_alpha(const setting *s, double t, double *alpha) {
  const mk_svm *svm = &s->machine.svm[0];
  double theta[KERNELS], bound[N], response[N], sum = 0.0;
  for (int m = 0; m < KERNELS; m++) theta[m] = s->machine.theta[m] + t * s->step[m];
  for (int k = 0; k < N; k++) {
    bound[k] = mk_svm_is_free(svm, (size_t)k) ? 0.0 : svm->alpha[k];
    sum -= bound[k];
  }
  respond(s, theta, bound, response);
  for (int k = 0; k < N; k++)
    alpha[k] = mk_svm_is_free(svm, (size_t)k) ? svm->linear[k] - response[k] : bound[k];
  solve_free(s, theta, sum, alpha);
}

static double plain_form(const setting *s, const double *weights, const double *alpha) {
  double response[N], sum = 0.0;
  respond(s, weights, alpha, response);
  for (int k = 0; k < N; k++) sum += alpha[k] * response[k];
  return sum;
}

/* Of the value there. */
static double plain_slope(const setting *s, double t) {
  double alpha[N];
  plain_alpha(s, t, alpha);
  return -0.5 * plain_form(s, s->step, alpha);
}

/* Of theta there: the largest form less their mean. */
static double plain_gap(const setting *s, double t) {
  double alpha[N], most = 0.0, mean = 0.0;
  plain_alpha(s, t, alpha);
  for (int m = 0; m < KERNELS; m++) {
    double one[KERNELS] = {0.0};
    one[m] = 1.0;
    double form = plain_form(s, one, alpha);
    most = fmax(most, form);
    mean += (s->machine.theta[m] + t * s->step[m]) * form;
  }
  return most - mean;
}

/* A step that ends where the quadratic model's slope is zero; 0: weights would be negative. */
static int choose_step(setting *s) {
  double sum = 0.0, change[N], response[N], second = 0.0;
  for (int m = 0; m < KERNELS; m++) sum += s->step[m] = data_next();
  for (int m = 0; m < KERNELS; m++) s->step[m] -= sum / KERNELS;
  plain_change(s, change);
  respond(s, s->step, s->machine.svm[0].alpha, response);
  for (int k = 0; k < N; k++) second += change[k] * response[k];
  double scale = -plain_slope(s, 0.0) / second, least = 1.0;
  for (int m = 0; m < KERNELS; m++) {
    s->step[m] *= scale;
    least = fmin(least, s->machine.theta[m] + s->step[m]);
  }
  return least > 0.0;
}

/* Where the slope is zero. */
static double plain_length(const setting *s) {
  double from = 0.0, to = 1.0;
  while (to < 16.0 && plain_slope(s, to) < 0.0) to *= 2.0;
  for (int k = 0; k < 60; k++) {
    double t = 0.5 * (from + to);
    if (plain_slope(s, t) < 0.0) from = t;
    if (from < t) to = t;
  }
  return from;
}

static void test_alphas_follow_theta(void) {
  setting *s = setting_new(1.0);
  double change[N], plain[N];
  CHECK(mk_svm_free_count(&s->machine.svm[0]) > KERNELS);
  CHECK(mk_curvature_find(&s->machine) == MK_OK);
  CHECK(mk_curvature_can_follow(&s->machine));
  for (int round = 0; round < 10; round++) {
    choose_step(s);
    plain_change(s, plain);
    CHECK(mk_curvature_follow(&s->machine, s->step, change) == MK_OK);
    double size = 0.0;
    for (int k = 0; k < N; k++) size = fmax(size, fabs(plain[k]));
    CHECK_NEAR(data_distance(N, change, plain), 0.0, 1e-6 * size);
  }
  setting_free(s);
}

/* A little before or behind, on the side where the gap is smaller. */
static void test_steps_end_where_the_value_is_least(void) {
  setting *s = setting_new(1.0);
  double point[KERNELS], length, shortest = 1.0;
  int seen = 0, sides = 0;
  CHECK(mk_curvature_find(&s->machine) == MK_OK);
  for (int round = 0; round < 1000; round++) {
    if (!choose_step(s)) continue;
    for (int m = 0; m < KERNELS; m++) point[m] = s->machine.theta[m] + s->step[m];
    double best = fmin(1.0, plain_length(s));
    CHECK(mk_step_length(&s->machine, point, &length) == MK_OK);
    CHECK_NEAR(length, best, 0.1);
    shortest = fmin(shortest, best);
    sides += (plain_gap(s, 0.95 * best) < plain_gap(s, 1.05 * best)) == (length <= 0.96 * best);
    seen++;
  }
  CHECK(seen > 50 && shortest < 0.75);
  CHECK(sides > 0.7 * seen);
  setting_free(s);
}

static void test_steps_of_other_norms_are_whole(void) {
  setting *s = setting_new(4.0 / 3.0);
  double point[KERNELS], length = 0.0;
  CHECK(mk_curvature_find(&s->machine) == MK_OK);
  for (int m = 0; m < KERNELS; m++) point[m] = 1.1 * s->machine.theta[m];
  CHECK(mk_step_length(&s->machine, point, &length) == MK_OK);
  CHECK(length == 1.0);
  setting_free(s);
}

int main(void) {
  RUN(test_alphas_follow_theta);
  RUN(test_steps_end_where_the_value_is_least);
  RUN(test_steps_of_other_norms_are_whole);
  return REPORT();
}
