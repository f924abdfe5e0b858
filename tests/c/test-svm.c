/* The dual of one SVM over explicit matrices: the solution must satisfy the optimality
 * conditions. */
#include "base/memory.h"
#include "check.h"
#include "matrix.h"
#include "svm/offset.h"
#include "svm/proximal.h"
#include "svm/sdca.h"
#include "svm/smo.h"
#include "svm/solve.h"
#include "svm/state.h"

#include <float.h>
#include <stdlib.h>

static mk_row matrix_row(void *data, size_t i, mk_status *status) {
  matrix *a = data;
  if (a->fail_after == 0) {
    *status = MK_CALLBACK;
    return (mk_row){NULL, 0};
  }
  a->fail_after--;
  return (mk_row){a->k + i * a->padded, 0};
}

static mk_row float_row(void *data, size_t i, mk_status *status) {
  (void)status;
  matrix *a = data;
  return (mk_row){(float *)a->k + i * a->padded, 1};
}

static size_t most;   /* above 0: proximal steps alone, of at most so many variables */
static int left_shut; /* the first variables, whose boxes are closed */

/* All alphas are 0. */
static void start(mk_svm *svm, size_t n, const double *y, double c) {
  CHECK(mk_svm_init(svm, n, &(mk_loss){MK_LOSS_HINGE}) == MK_OK);
  svm->n = n;
  for (size_t i = 0; i < n; i++) {
    svm->alpha[i] = 0.0;
    svm->linear[i] = svm->gradient[i] = y[i];
    svm->upper[i] = y[i] > 0 ? c : 0.0;
    svm->lower[i] = y[i] > 0 ? 0.0 : -c;
    if (i < (size_t)left_shut) svm->lower[i] = svm->upper[i] = 0.0;
  }
  mk_svm_reset_bounds(svm);
}

static mk_status solve(mk_svm *svm, matrix *a, const double *y, double c, double target,
                       const mk_control *control) {
  mk_status status;
  double *diagonal = MK_NEW0(double, a->padded);
  for (size_t i = 0; i < a->n; i++) diagonal[i] = a->k[i * a->padded + i];
  start(svm, a->n, y, c);
  mk_buffer system = {.at = NULL};
  mk_svm_task task = {
      svm, {.row = matrix_row, .data = a, .unit = 1e-14}, diagonal, control, &system, NULL};
  if (most > 0) {
    mk_svm_measure(svm);
    status = mk_svm_proximal(&task, 2.0, target, most);
  } else {
    status = mk_svm_solve(&task, target);
  }
  mk_buffer_free(&system);
  mk_free(diagonal);
  return status;
}

static mk_control plain_control(void) {
  return (mk_control){
      .tol = 1e-3, .max_time = INFINITY, .max_iter = INFINITY, .start = mk_seconds()};
}

/* Feasible, gap as claimed from K itself, complementary. */
static void check_optimal(const mk_svm *svm, const matrix *a, const double *y, double c,
                          double gap) {
  double sum = 0.0, linear = 0.0, quadratic = 0.0, loss = 0.0, worst = 0.0;
  int outside = 0;
  for (size_t i = 0; i < a->n; i++) {
    double f = 0.0, margin = svm->alpha[i] * y[i];
    outside += !(margin >= 0.0 && margin <= c);
    for (size_t j = 0; j < a->n; j++) f += a->k[i * a->padded + j] * svm->alpha[j];
    sum += svm->alpha[i];
    linear += y[i] * svm->alpha[i];
    quadratic += svm->alpha[i] * f;
    if (i >= (size_t)left_shut) loss += c * fmax(0.0, 1.0 - y[i] * (f + svm->offset));
    worst = worse(worst, fabs(svm->gradient[i] - (y[i] - f)));
  }
  CHECK(outside == 0);
  CHECK_NEAR(worst, 0.0, 1e-9 * (1.0 + c));
  double size = 1.0 + fabs(linear);
  CHECK_NEAR(sum, 0.0, 1e-10 * (1.0 + c));
  CHECK(loss + quadratic - linear <= gap + 1e-9 * size);
  CHECK_NEAR(svm->loss, loss, 1e-9 * size);
}

static void test_two_points_by_hand(void) {
  /* K = I: the dual 2a - a^2 has its top at a = 1, or at the bound below */
  double y[2] = {1.0, -1.0}, bound[] = {0.25, 10.0};
  for (int k = 0; k < 2; k++) {
    matrix a = {2, mk_padded(2), NULL, -1};
    a.k = MK_NEW0(double, 2 * a.padded);
    a.k[0] = a.k[a.padded + 1] = 1.0;
    mk_control control = plain_control();
    mk_svm svm;
    CHECK(solve(&svm, &a, y, bound[k], 1e-12, &control) == MK_OK);
    CHECK_NEAR(svm.alpha[0], fmin(1.0, bound[k]), 1e-9);
    CHECK_NEAR(svm.alpha[1], -svm.alpha[0], 1e-15);
    CHECK_NEAR(svm.offset, 0.0, 1e-9);
    mk_svm_clear(&svm);
    mk_free(a.k);
  }
}

static void test_random_problems_are_solved(void) {
  const double costs[] = {0.1, 1.0, 100.0}, widths[] = {0.01, 0.5, 50.0};
  for (int k = 0; k < 9; k++) {
    size_t n = 40 + 7 * (size_t)k;
    double c = costs[k % 3], *y = MK_NEW(double, n);
    matrix a = gaussian_matrix(n, widths[k / 3]);
    for (size_t i = 0; i < n; i++)
      y[i] = data_next() > 0.2 ? 1.0 : -1.0; /* pure noise: the hard case */
    mk_control control = plain_control();
    mk_svm svm;
    double target = 1e-7 * c * (double)n;
    CHECK(solve(&svm, &a, y, c, target, &control) == MK_OK);
    check_optimal(&svm, &a, y, c, target);
    mk_svm_clear(&svm);
    mk_free(a.k);
    mk_free(y);
  }
}

/* Smooth kernels, noise and large C: hundreds of bounds are met on the way. */
static void test_noise_at_large_c(void) {
  size_t n = 400;
  double *y = MK_NEW(double, n);
  matrix a = gaussian_matrix(n, 1.0);
  for (size_t i = 0; i < n; i++) y[i] = data_next() > 0.5 ? 1.0 : -1.0;
  for (int k = 0; k < 3; k++) {
    double c = pow(10.0, 2 + k), target = 1e-6 * c * (double)n;
    mk_control control = plain_control();
    mk_svm svm;
    CHECK(solve(&svm, &a, y, c, target, &control) == MK_OK);
    check_optimal(&svm, &a, y, c, target);
    mk_svm_clear(&svm);
  }
  mk_free(a.k);
  mk_free(y);
}

/* k_ij of points i and j, a number of each */
static double degenerate(int kind, size_t i, size_t j) {
  double u = (double)(i / 2), v = (double)(j / 2);
  switch (kind) {
  case 0:
    return 0.0;
  case 1:
    return 1.0;
  case 2:
    return (u - 7.0) * (v - 7.0); /* rank 1, pairs of duplicates */
  case 3:
    return i == j ? 1e-9 : 0.0; /* all at their bounds */
  case 4:
    return exp(-1e-6 * pow(u - v, 2)); /* nearly constant */
  default:
    return exp(-0.1 * (pow(u, 2) + pow(v, 2))) * exp(0.2 * u * v); /* duplicates */
  }
}

static void test_degenerate_kernels(void) {
  const size_t sizes[] = {2, 7, 30};
  double y[30];
  for (size_t i = 0; i < 30; i++) y[i] = i % 2 || i % 5 == 0 ? 1.0 : -1.0;
  for (int k = 0; k < 36; k++) {
    size_t n = sizes[k % 3];
    double c = k < 18 ? 1.0 : 1e4, target = 1e-6 * c * (double)n;
    matrix a = {n, mk_padded(n), NULL, -1};
    a.k = MK_NEW0(double, n *a.padded);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) a.k[i * a.padded + j] = degenerate(k / 3 % 6, i, j);
    y[0] = n == 2 ? -1.0 : 1.0;
    mk_control control = plain_control();
    for (left_shut = 0; left_shut < 5; left_shut += 4) {
      mk_svm svm;
      mk_status status = solve(&svm, &a, y, c, target, &control);
      CHECK(status == MK_OK || status == MK_STALLED);
      check_optimal(&svm, &a, y, c, status == MK_OK ? target : svm.gap);
      mk_svm_clear(&svm);
    }
    left_shut = 0;
    mk_free(a.k);
  }
}

/* Every sample twice, and floats of the diagonal that differ from it by rounding: with the
 * curvature of the diagonal, which is 0, whole alphas would go to and fro between equal samples. */
static void test_floats_of_equal_samples(void) {
  size_t n = 300;
  double c = 100.0, y[300];
  matrix a = {n, mk_padded(n), NULL, -1}, half = gaussian_matrix(n / 2, 1.0);
  float *k = MK_NEW0(float, n *a.padded);
  double *diagonal = MK_NEW0(double, a.padded);
  a.k = (double *)k;
  for (size_t i = 0; i < n; i++) {
    y[i] = i / 2 % 3 || i / 2 % 5 == 0 ? 1.0 : -1.0;
    diagonal[i] = 1.0;
    for (size_t j = 0; j < n; j++) {
      double value = half.k[i / 2 * half.padded + j / 2];
      k[i * a.padded + j] = i == j ? 1.0f + FLT_EPSILON : (float)value;
    }
  }
  mk_control control = plain_control();
  mk_buffer system = {.at = NULL};
  mk_svm svm;
  start(&svm, n, y, c);
  mk_svm_task task = {&svm,     {.row = float_row, .data = &a, .single = 1, .unit = FLT_EPSILON},
                      diagonal, &control,
                      &system,  NULL};
  double violation;
  CHECK(mk_smo_run(&task, 1e-3, 1e6, &violation) == MK_OK);
  CHECK(violation <= 1e-3);
  mk_svm_clear(&svm);
  mk_buffer_free(&system);
  mk_free(diagonal);
  mk_free(k);
  mk_free(half.k);
}

static void test_too_large_systems_leave_alpha_alone(void) {
  size_t n = 50;
  double y[50];
  for (size_t i = 0; i < n; i++) y[i] = i % 3 ? 1.0 : -1.0;
  matrix a = gaussian_matrix(n, 1.0);
  mk_control control = plain_control();
  mk_svm svm;
  most = 5;
  CHECK(solve(&svm, &a, y, 1e3, 1e-3, &control) == MK_OK);
  CHECK(svm.gap > 1e-3);
  check_optimal(&svm, &a, y, 1e3, svm.gap);
  for (size_t i = 0; i < n; i++) CHECK(svm.alpha[i] == 0.0);
  mk_svm_clear(&svm);
  mk_free(a.k);
}

/* K + delta I = (4 -2; -2 8). Newton's first point, (10, 6) / 28, has its first variable above the
 * box; the answer has it at the bound C = 0.35, and the second at (1 + 2 C) / 8. */
static void test_points_outside_the_box_are_no_answers(void) {
  double k[2 * MK_LANES] = {0}, y[2] = {1.0, 1.0}, c = 0.35, first_delta = 0.03;
  matrix a = {2, mk_padded(2), k, -1};
  double diagonal[MK_LANES] = {1.0, 5.0};
  mk_control control = plain_control();
  mk_buffer system = {.at = NULL};
  mk_svm svm;
  k[0] = 1.0;
  k[1] = k[a.padded] = -2.0;
  k[a.padded + 1] = 5.0;
  start(&svm, 2, y, c);
  svm.kind.no_offset = 1;
  mk_svm_task task = {&svm, {matrix_row, &a, 0, 1e-14}, diagonal, &control, &system, NULL};
  CHECK(mk_svm_proximal(&task, 3.0 * c / first_delta, 1e3, 2) == MK_OK);
  CHECK_NEAR(svm.alpha[0], c, 1e-14);
  CHECK_NEAR(svm.alpha[1], (1.0 + 2.0 * c) / 8.0, 1e-14);
  mk_svm_clear(&svm);
  mk_buffer_free(&system);
}

typedef struct rough {
  mk_svm *svm;
  matrix a;
} rough;

/* Every row that is read costs the gradient digits. */
static mk_row rough_row(void *data, size_t i, mk_status *status) {
  rough *r = data;
  for (size_t j = 0; j < r->a.n; j++) r->svm->gradient[j] += 1e-6 * data_next();
  return matrix_row(&r->a, i, status);
}

/* Neither the gap nor the violation falls as far as asked. */
static void test_solves_without_progress_end(void) {
  enum { N = 60 };
  double y[N], diagonal[N + MK_LANES] = {0};
  for (int i = 0; i < N; i++) {
    y[i] = i % 2 ? 1.0 : -1.0;
    diagonal[i] = 1.0;
  }
  mk_svm svm;
  rough r = {&svm, gaussian_matrix(N, 0.5)};
  mk_control control = plain_control();
  mk_buffer system = {.at = NULL};
  start(&svm, N, y, 10.0);
  mk_svm_task task = {&svm, {rough_row, &r, 0, 1e-14}, diagonal, &control, &system, NULL};
  CHECK(mk_svm_solve(&task, 1e-9) == MK_STALLED);
  mk_svm_clear(&svm);
  mk_buffer_free(&system);
  mk_free(r.a.k);
}

static int stop_now(void *data) {
  return *(int *)data;
}

/* A sum that is off goes to a free variable with room for it; where none has, all that have some
 * share it, and none leaves its box. Sums that are 0 leave alphas alone. */
static void test_sums_are_restored(void) {
  const double y[4] = {1.0, 1.0, -1.0, -1.0};
  const double given[3][4] = {
      {1.0, 0.5, -1.0, -0.375}, /* the second takes it */
      {1.0, 0.0, -0.25, -0.25}, /* 0.5 too much: the first and both others */
      {1.0, 0.0, -1.0, 0.0}};
  /* there 1 + 0.75 + 0.75 can go down: a fifth of what each has */
  const double wanted[3][4] = {
      {1.0, 0.375, -1.0, -0.375}, {0.8, 0.0, -0.4, -0.4}, {1.0, 0.0, -1.0, 0.0}};
  for (int k = 0; k < 3; k++)
    for (int turned = 0; turned < 2; turned++) {
      double sign = turned ? -1.0 : 1.0, own[4];
      mk_svm svm;
      for (int i = 0; i < 4; i++) own[i] = sign * y[i];
      start(&svm, 4, own, 1.0);
      for (int i = 0; i < 4; i++) svm.alpha[i] = sign * given[k][i];
      mk_svm_reset_bounds(&svm);
      mk_svm_restore_sum(&svm);
      for (int i = 0; i < 4; i++) CHECK_NEAR(svm.alpha[i], sign * wanted[k][i], 1e-15);
      mk_svm_clear(&svm);
    }
}

/* Coordinate ascent by an order: every alpha is where its gradient vanishes or at the end of its
 * box that the gradient points to. */
static void test_ascent_by_an_order_ends_at_the_best(void) {
  enum { N = 60 };
  double y[N], violation;
  int order[N], shuffle[N];
  for (int i = 0; i < N; i++) {
    y[i] = i % 3 ? 1.0 : -1.0;
    order[i] = 37 * i % N; /* each once */
    shuffle[i] = (23 * i + 5) % N;
  }
  matrix a = gaussian_matrix(N, 0.5);
  double *diagonal = MK_NEW0(double, a.padded);
  for (size_t i = 0; i < N; i++) diagonal[i] = a.k[i * a.padded + i];
  mk_control control = plain_control();
  control.order = order;
  control.shuffle = shuffle;
  control.order_length = N;
  for (int round = 0; round < 3; round++) {
    double c = round == 0 ? 0.1 : round == 1 ? 1.0 : 10.0;
    mk_svm svm;
    start(&svm, N, y, c);
    svm.kind.no_offset = 1;
    mk_svm_task task = {&svm, {matrix_row, &a, 0, 1e-14}, diagonal, &control, NULL, NULL};
    CHECK(mk_sdca_serves(&task));
    CHECK(mk_sdca_run(&task, 1e-6, INFINITY, &violation) == MK_OK);
    CHECK(violation <= 1e-6 && svm.steps > 0.0);
    int outside = 0, wrong = 0, bound = 0;
    double far = 0.0;
    for (size_t i = 0; i < N; i++) {
      double g = y[i], at = svm.alpha[i];
      for (size_t j = 0; j < N; j++) g -= a.k[i * a.padded + j] * svm.alpha[j];
      far = fmax(far, fabs(g - svm.gradient[i]));
      outside += at < svm.lower[i] || at > svm.upper[i];
      wrong += (g > 2e-6 && at < svm.upper[i]) || (g < -2e-6 && at > svm.lower[i]);
      bound += fabs(at) == c;
    }
    CHECK(outside == 0 && wrong == 0);
    CHECK(round > 0 || bound > 0);
    CHECK_NEAR(far, 0.0, 1e-12 * N * c);
    mk_svm_clear(&svm);
  }
  mk_free(diagonal);
  mk_free(a.k);
}

static int count_looks(void *data) {
  (*(int *)data)++;
  return 0;
}

/* Steps look at the limits, but not at every one. */
static void test_long_runs_look_at_the_limits(void) {
  size_t n = 200;
  double *y = MK_NEW(double, n), *diagonal = MK_NEW0(double, mk_padded(n)), violation;
  for (size_t i = 0; i < n; i++) y[i] = i % 2 ? 1.0 : -1.0;
  matrix a = gaussian_matrix(n, 1.0);
  for (size_t i = 0; i < n; i++) diagonal[i] = a.k[i * a.padded + i];
  for (int alone = 0; alone < 2; alone++) {
    mk_control control = plain_control();
    mk_svm svm;
    int looks = 0;
    control.poll = count_looks;
    control.data = &looks;
    start(&svm, n, y, 1e4);
    svm.kind.no_offset = alone;
    mk_svm_task task = {&svm, {matrix_row, &a, 0, 1e-14}, diagonal, &control, NULL, NULL};
    CHECK(mk_smo_run(&task, 0.0, 4.0 * MK_POLL_STEPS, &violation) == MK_OK);
    CHECK(svm.steps == 4.0 * MK_POLL_STEPS);
    CHECK(looks == 4);
    mk_svm_clear(&svm);
  }
  mk_free(a.k);
  mk_free(diagonal);
  mk_free(y);
}

static void test_failures_and_interrupts_come_back(void) {
  size_t n = 60;
  double *y = MK_NEW(double, n);
  for (size_t i = 0; i < n; i++) y[i] = i % 2 ? 1.0 : -1.0;
  matrix a = gaussian_matrix(n, 1.0);
  mk_control control = plain_control();
  mk_svm svm;
  a.fail_after = 5;
  CHECK(solve(&svm, &a, y, 10.0, 1e-9, &control) == MK_CALLBACK);
  mk_svm_clear(&svm);
  int stop = 1;
  a.fail_after = -1;
  control.poll = stop_now;
  control.data = &stop;
  mk_status status = solve(&svm, &a, y, 1e4, 0.0, &control);
  CHECK(status == MK_INTERRUPTED);
  mk_svm_clear(&svm);
  mk_free(a.k);
  mk_free(y);
}

static double loss_at(size_t n, const double *g, const double *lower, const double *upper,
                      double b) {
  double loss = 0.0;
  for (size_t i = 0; i < n; i++) loss += g[i] > b ? upper[i] * (g[i] - b) : lower[i] * (g[i] - b);
  return loss;
}

#define MOST_LOSSES 300

static void test_offset_is_the_best_one(void) {
  double g[MOST_LOSSES], lower[MOST_LOSSES], upper[MOST_LOSSES], b;
  int order[MOST_LOSSES];
  for (int round = 0; round < 90; round++) {
    size_t n = round < 50 ? 2 + (size_t)round % 30 : 7 * (size_t)(round - 48);
    for (size_t i = 0; i < n; i++) {
      g[i] = floor(4.0 * data_next()) / 2.0; /* with ties */
      if (round % 3 == 0) g[i] = data_next();
      if (round % 7 == 0) g[i] = (double)(i / 3); /* sorted already */
      upper[i] = i % 2 ? 0.5 + fabs(data_next()) : 0.0;
      lower[i] = i % 2 || i % 5 == 0 ? 0.0 : -0.5 - fabs(data_next());
    }
    double loss = mk_best_offset(n, g, lower, upper, order, &b);
    CHECK_NEAR(loss, loss_at(n, g, lower, upper, b), 1e-12);
    for (size_t i = 0; i < n; i++) /* the optimum is at a breakpoint */
      CHECK(loss <= loss_at(n, g, lower, upper, g[i]) + 1e-12);
  }
}

/* Between the breakpoints of least loss that count for something; infinite where one side of the
 * optimum has none. */
static double middle_of_best(size_t n, const double *g, const double *lower, const double *upper) {
  double least = INFINITY, low = INFINITY, high = -INFINITY, below = 0.0, above = 0.0;
  for (size_t i = 0; i < n; i++) {
    least = fmin(least, loss_at(n, g, lower, upper, g[i]));
    below -= lower[i];
    above += upper[i];
  }
  for (size_t i = 0; i < n; i++) {
    if (upper[i] == lower[i] || loss_at(n, g, lower, upper, g[i]) > least + 1e-9) continue;
    low = fmin(low, g[i]);
    high = fmax(high, g[i]);
  }
  return below > 0.0 && above > 0.0 ? 0.5 * (low + high) : INFINITY;
}

/* A tenth of anything adds up to nothing round. */
static void test_offset_is_the_middle_of_the_best(void) {
  double g[MOST_LOSSES], lower[MOST_LOSSES], upper[MOST_LOSSES], b;
  int order[MOST_LOSSES];
  for (size_t n = 4; n <= MOST_LOSSES; n += 2) {
    for (size_t i = 0; i < n; i++) {
      g[i] = (double)(i * 7919 % n); /* 0 .. n - 1 */
      upper[i] = i < n / 2 ? 0.1 : 0.0;
      lower[i] = i < n / 2 ? 0.0 : -0.1;
    }
    mk_best_offset(n, g, lower, upper, order, &b);
    CHECK_NEAR(b, (double)n / 2.0 - 0.5, 1e-12);
    for (size_t i = 0; i < n; i++) { /* the two in the middle count for nothing */
      if (g[i] != (double)(n / 2) && g[i] != (double)(n / 2 - 1)) continue;
      upper[i] = lower[i] = 0.0;
    }
    double loss = mk_best_offset(n, g, lower, upper, order, &b);
    CHECK_NEAR(loss, loss_at(n, g, lower, upper, b), 1e-12);
    double middle = middle_of_best(n, g, lower, upper);
    if (isfinite(middle)) CHECK_NEAR(b, middle, 1e-12);
  }
}

int main(void) {
  for (most = 0; most <= 1000; most += 1000) {
    RUN(test_two_points_by_hand);
    RUN(test_random_problems_are_solved);
    RUN(test_noise_at_large_c);
    RUN(test_degenerate_kernels);
    RUN(test_floats_of_equal_samples);
    RUN(test_failures_and_interrupts_come_back);
  }
  RUN(test_points_outside_the_box_are_no_answers);
  RUN(test_solves_without_progress_end);
  RUN(test_sums_are_restored);
  RUN(test_ascent_by_an_order_ends_at_the_best);
  RUN(test_long_runs_look_at_the_limits);
  RUN(test_too_large_systems_leave_alpha_alone);
  RUN(test_offset_is_the_best_one);
  RUN(test_offset_is_the_middle_of_the_best);
  return REPORT();
}
