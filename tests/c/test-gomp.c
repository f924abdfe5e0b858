/* Paths of a group matching pursuit against the plain definition: matrices by the exact code,
 * systems by Gaussian elimination. */
#include "base/memory.h"
#include "check.h"
#include "data.h"
#include "eliminate.h"
#include "kernel/features.h"
#include "kernels.h"
#include "rls/gomp.h"
#include "rls/path.h"
#include "team.h"

#include <math.h>
#include <string.h>

#define STEPS 6
#define TASKS 2
#define LAMBDA 0.02

static int every[SAMPLES], some[40];

static mk_gomp_problem problem_of(const mk_kernel_set *set, const double *y, int whole) {
  for (int i = 0; i < SAMPLES; i++) every[i] = i;
  for (int i = 0; i < 40; i++) some[i] = (7 * i + 3) % SAMPLES;
  return (mk_gomp_problem){.set = set,
                           .sample = whole ? every : some,
                           .n = whole ? SAMPLES : 40,
                           .y = y,
                           .tasks = TASKS,
                           .lambda = LAMBDA,
                           .max_kernels = STEPS};
}

static mk_control control_of(size_t cache) {
  return (mk_control){.max_time = INFINITY,
                      .max_iter = INFINITY,
                      .cache = cache,
                      .team = team,
                      .start = mk_seconds()};
}

/* ---- the definition ---- */

static void multiply(const double *a, size_t n, const double *x, double *out) {
  for (size_t i = 0; i < n; i++) {
    out[i] = 0.0;
    for (size_t j = 0; j < n; j++) out[i] += a[i * n + j] * x[j];
  }
}

/* Kernel m between the samples of the problem. */
static double *plain_matrix(const fixture *fx, const mk_gomp_problem *p, size_t m) {
  double *all = MK_NEW(double, SAMPLES *SAMPLES), *out = MK_NEW(double, p->n * p->n);
  exact_matrix(fx, m, all);
  for (size_t i = 0; i < p->n; i++)
    for (size_t j = 0; j < p->n; j++)
      out[i * p->n + j] = all[p->sample[i] * SAMPLES + p->sample[j]];
  mk_free(all);
  return out;
}

/* The root of sample i's weight in task t. */
static double root_of(const mk_gomp_problem *p, size_t t, size_t i) {
  return p->root == NULL ? 1.0 : p->root[p->own_roots ? t * p->n + i : i];
}

/* D K D of task t. */
static double *weighted(const double *k, const mk_gomp_problem *p, size_t t) {
  double *out = MK_NEW(double, p->n * p->n);
  for (size_t i = 0; i < p->n; i++)
    for (size_t j = 0; j < p->n; j++)
      out[i * p->n + j] = root_of(p, t, i) * k[i * p->n + j] * root_of(p, t, j);
  return out;
}

/* I_m for the residual r, which has the roots in it. */
static double plain_improvement(const double *k, const mk_gomp_problem *p, const double *r) {
  double sum = 0.0, *z = MK_NEW(double, p->n), *product = MK_NEW(double, p->n);
  for (size_t t = 0; t < p->tasks; t++) {
    double *own = weighted(k, p, t);
    memcpy(z, r + t * p->n, p->n * sizeof *z);
    eliminate(own, p->n, mk_gomp_delta(p), z);
    multiply(own, p->n, z, product);
    for (size_t i = 0; i < p->n; i++) sum += product[i] * r[t * p->n + i];
    mk_free(own);
  }
  mk_free(z);
  mk_free(product);
  return sum;
}

/* A of task t for the sum of kernels: the largest distance from it. r becomes the residual. */
static double refit_distance(const double *sum, const mk_gomp_problem *p, size_t t,
                             const double *alpha, double *r) {
  double worst = 0.0, *own = weighted(sum, p, t);
  for (size_t i = 0; i < p->n; i++) r[i] = root_of(p, t, i) * p->y[t * p->n + i];
  eliminate(own, p->n, mk_gomp_delta(p), r);
  for (size_t i = 0; i < p->n; i++) {
    worst = worse(worst, fabs(root_of(p, t, i) * r[i] - alpha[t * p->n + i]));
    r[i] *= mk_gomp_delta(p);
  }
  mk_free(own);
  return worst;
}

/* Every step of the path is the one that the definition takes, and every refit its refit. */
static void check_path(const fixture *fx, const mk_gomp_problem *p, const mk_gomp_path *path) {
  size_t n = p->n, kernels = mk_set_kernels(fx->set);
  double *r = MK_NEW(double, n *TASKS), *sum = MK_NEW0(double, n *n), **k;
  double square = 0.0; /* improvements are differences from it */
  char taken[KERNELS] = {0};
  k = MK_NEW(double *, kernels);
  for (size_t m = 0; m < kernels; m++) k[m] = plain_matrix(fx, p, m);
  for (size_t i = 0; i < n * TASKS; i++) r[i] = root_of(p, i / n, i % n) * p->y[i];
  for (size_t i = 0; i < n * TASKS; i++) square += r[i] * r[i];
  for (size_t s = 0; s < path->steps; s++) {
    size_t chosen = (size_t)path->kernel[s];
    double own = plain_improvement(k[chosen], p, r), worst = 0.0;
    CHECK_NEAR(path->improvement[s], own, 1e-10 * own + 1e-14 * square);
    for (size_t m = 0; m < kernels; m++)
      if (!taken[m]) CHECK(plain_improvement(k[m], p, r) <= own * (1.0 + 1e-9));
    taken[chosen] = 1;
    for (size_t i = 0; i < n * n; i++) sum[i] += k[chosen][i];
    for (size_t t = 0; t < TASKS; t++)
      worst = worse(worst, refit_distance(sum, p, t, path->alpha[s], r + t * n));
    CHECK_NEAR(worst, 0.0, 1e-10);
  }
  for (size_t m = 0; m < kernels; m++) mk_free(k[m]);
  mk_free(k);
  mk_free(r);
  mk_free(sum);
}

/* ---- paths ---- */

/* columns: of weights. */
static void check_pursuit(int whole, size_t columns) {
  fixture *fx = fixture_new();
  double y[SAMPLES * TASKS], root[SAMPLES * TASKS];
  data_fill(SAMPLES * TASKS, y);
  mk_gomp_problem p = problem_of(fx->set, y, whole);
  for (size_t i = 0; i < SAMPLES * TASKS; i++) root[i] = sqrt((double)(i % 7)); /* some are 0 */
  if (columns > 0) p.root = root;
  p.own_roots = columns > 1;
  mk_gomp_path path, poor;
  mk_control rich = control_of(MK_DEFAULT_CACHE), little = control_of(1);
  CHECK(mk_gomp_path_new(&path, &p) == MK_OK && mk_gomp_path_new(&poor, &p) == MK_OK);
  CHECK(mk_gomp(&p, &rich, &path) == MK_OK);
  CHECK(path.steps == STEPS && path.kept == KERNELS && path.bytes > 0 && path.bad == -1);
  check_path(fx, &p, &path);
  CHECK(mk_gomp(&p, &little, &poor) == MK_OK); /* nothing is kept: the same path */
  CHECK(poor.steps == STEPS && poor.kept == 0);
  for (size_t s = 0; s < STEPS; s++) {
    CHECK(poor.kernel[s] == path.kernel[s]);
    CHECK(data_distance(p.n * TASKS, poor.alpha[s], path.alpha[s]) <= 1e-12);
  }
  mk_gomp_path_clear(&path);
  mk_gomp_path_clear(&poor);
  fixture_free(fx);
}

static void test_paths_are_those_of_the_definition(void) {
  check_pursuit(1, 0);
}

static void test_some_samples_take_part(void) {
  check_pursuit(0, 0);
}

static void test_samples_with_weights(void) {
  check_pursuit(1, 1);
  check_pursuit(0, 1);
  check_pursuit(1, TASKS);
  check_pursuit(0, TASKS);
}

/* F_b by blocks of steps against sums of matrices, at samples that carry coefficients and others.
 */
static void test_values_along_a_path(void) {
  fixture *fx = fixture_new();
  const int kernel[5] = {8, 2, 10, 0, 11};
  const size_t last[3] = {1, 3, 5};
  double alpha[40 * TASKS * 3], all[SAMPLES * SAMPLES], *sum = MK_NEW(double, SAMPLES *SAMPLES);
  double *out = MK_NEW(double, SAMPLES *TASKS * 3);
  data_fill(40 * TASKS * 3, alpha);
  problem_of(fx->set, alpha, 0);
  mk_path_values v = {.set = fx->set, .known = SAMPLES, .kernel = kernel, .count = 5};
  v.last = last;
  v.blocks = 3;
  v.tasks = TASKS;
  v.from = some;
  v.from_count = 40;
  v.alpha = alpha;
  v.row = every;
  v.row_count = SAMPLES;
  v.out = out;
  mk_control control = control_of(0);
  CHECK(mk_path_evaluate(&v, &control) == MK_OK);
  double worst = 0.0;
  for (size_t b = 0; b < 3; b++) {
    memset(sum, 0, SAMPLES * SAMPLES * sizeof *sum);
    for (size_t k = 0; k < last[b]; k++) {
      exact_matrix(fx, (size_t)kernel[k], all);
      for (size_t i = 0; i < SAMPLES * SAMPLES; i++) sum[i] += all[i];
    }
    for (size_t t = 0; t < TASKS; t++)
      for (size_t i = 0; i < SAMPLES; i++) {
        double value = 0.0;
        for (size_t j = 0; j < 40; j++)
          value += sum[i * SAMPLES + (size_t)some[j]] * alpha[(b * TASKS + t) * 40 + j];
        worst = worse(worst, fabs(value - out[(b * TASKS + t) * SAMPLES + i]));
      }
  }
  CHECK_NEAR(worst, 0.0, 1e-11);
  fx->broken = 1;
  CHECK(mk_path_evaluate(&v, &control) == MK_CALLBACK);
  mk_free(sum);
  mk_free(out);
  fixture_free(fx);
}

/* The columns of a linear kernel give its values. */
static void test_columns_of_linear_kernels(void) {
  fixture *fx = fixture_new();
  const size_t linear[3] = {0, 6, 8};
  double all[SAMPLES * SAMPLES], column[SAMPLES];
  for (int k = 0; k < 3; k++) {
    exact_matrix(fx, linear[k], all);
    for (size_t j = 0; j < mk_linear_width(fx->set, linear[k]); j++) {
      mk_linear_column(fx->set, linear[k], j, SAMPLES, column);
      for (int i = 0; i < SAMPLES * SAMPLES; i++)
        all[i] -= column[i / SAMPLES] * column[i % SAMPLES];
    }
    double worst = 0.0;
    for (int i = 0; i < SAMPLES * SAMPLES; i++) worst = worse(worst, fabs(all[i]));
    CHECK_NEAR(worst, 0.0, 1e-12);
  }
  CHECK(mk_linear_width(fx->set, 2) == 0);
  fixture_free(fx);
}

/* ---- ends ---- */

static void test_ends(void) {
  fixture *fx = fixture_new();
  double y[SAMPLES * TASKS];
  data_fill(SAMPLES * TASKS, y);
  mk_gomp_problem p = problem_of(fx->set, y, 1);
  mk_gomp_path path;
  mk_control control = control_of(MK_DEFAULT_CACHE), late = control;
  late.max_time = 0.0;
  CHECK(mk_gomp_path_new(&path, &p) == MK_OK);
  CHECK(mk_gomp(&p, &late, &path) == MK_TIME_LIMIT && path.steps == 0);
  fx->broken = 1;
  CHECK(mk_gomp(&p, &control, &path) == MK_CALLBACK && path.steps == 0);
  fx->broken = 0;
  p.epsilon = 1e9; /* no improvement is as large */
  CHECK(mk_gomp(&p, &control, &path) == MK_OK && path.steps == 0);
  p.epsilon = 0.0;
  memset(y, 0, sizeof y); /* nothing to explain */
  CHECK(mk_gomp(&p, &control, &path) == MK_OK && path.steps == 0);
  mk_gomp_path_clear(&path);
  fixture_free(fx);
}

/* A matrix with a negative eigenvalue beyond delta has no factor: it is named. */
static void test_indefinite_kernels_are_named(void) {
  fixture *fx = fixture_new();
  double y[SAMPLES * TASKS];
  data_fill(SAMPLES * TASKS, y);
  for (int i = 0; i < SAMPLES; i++) fx->matrix[i + i * SAMPLES] -= 50.0;
  mk_gomp_problem p = problem_of(fx->set, y, 1);
  mk_gomp_path path;
  mk_control control = control_of(MK_DEFAULT_CACHE);
  CHECK(mk_gomp_path_new(&path, &p) == MK_OK);
  CHECK(mk_gomp(&p, &control, &path) == MK_STALLED && path.bad == 10 && path.steps == 0);
  mk_gomp_path_clear(&path);
  fixture_free(fx);
}

int main(void) {
  for (int threads = 1; threads <= 2; threads++) {
    RUN_TEAM(threads, test_paths_are_those_of_the_definition);
    RUN_TEAM(threads, test_some_samples_take_part);
    RUN_TEAM(threads, test_samples_with_weights);
    RUN_TEAM(threads, test_values_along_a_path);
    RUN_TEAM(threads, test_ends);
    RUN_TEAM(threads, test_indefinite_kernels_are_named);
  }
  RUN_TEAM(1, test_columns_of_linear_kernels);
  return REPORT();
}
