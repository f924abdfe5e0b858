/* Analytic and Newton steps on the lp ball, and compressed factors, against their definitions. */
#include "both-sides.h"
#include "check.h"
#include "data.h"
#include "theta/compress.h"
#include "theta/lp.h"
#include "theta/newton.h"

#include <string.h>

#define M 7

static const double norms[] = {1.0, 32.0 / 31.0, 8.0 / 7.0, 4.0 / 3.0, 2.0, 4.0, 16.0, INFINITY};
#define NORMS (sizeof norms / sizeof *norms)

static double p_norm(const double *x, double p) {
  double sum = 0.0, most = 0.0;
  for (int m = 0; m < M; m++) {
    sum += pow(fabs(x[m]), p);
    most = fmax(most, fabs(x[m]));
  }
  return isinf(p) ? most : pow(sum, 1.0 / p);
}

static void positive(double *x) {
  for (int m = 0; m < M; m++) x[m] = 1.5 + data_next();
}

static void test_start_and_steps_are_on_the_sphere(void) {
  double theta[M], s[M], next[M];
  for (size_t k = 0; k < NORMS; k++) {
    mk_lp_start(M, norms[k], theta);
    CHECK_NEAR(p_norm(theta, norms[k]), 1.0, 1e-14);
    positive(s);
    s[2] = 0.0;
    s[3] = -1e-18; /* a rounding error */
    mk_lp_step(M, norms[k], theta, s, next);
    CHECK_NEAR(p_norm(next, norms[k]), 1.0, 1e-14);
    for (int m = 0; m < M; m++) CHECK(next[m] >= 0.0);
    for (int m = 0; m < M; m++) theta[m] = 0.01;
    theta[1] = 5e300;
    mk_lp_normalize(M, norms[k], theta);
    CHECK_NEAR(theta[1], 1.0, 1e-14);
  }
}

static void test_step_is_that_of_proposition_2(void) {
  /* p = 1: theta_m proportional to |w_m| = theta_m sqrt(s_m); here 1 : 2 : 3 */
  double theta[M] = {0.5, 0.25, 0.25}, s[M] = {4.0, 64.0, 144.0}, next[M];
  mk_lp_step(3, 1.0, theta, s, next);
  CHECK_NEAR(next[0], 1.0 / 6.0, 1e-15);
  CHECK_NEAR(next[1], 2.0 / 6.0, 1e-15);
  CHECK_NEAR(next[2], 3.0 / 6.0, 1e-15);
  /* p = 3: |w|^(1/2), so w^2 = 1, 16 gives 1 : 2 before scaling by the 3-norm */
  double even[M] = {1.0, 1.0}, forms[M] = {1.0, 16.0};
  mk_lp_step(2, 3.0, even, forms, next);
  CHECK_NEAR(next[0], 1.0 / cbrt(9.0), 1e-15);
  CHECK_NEAR(next[1], 2.0 / cbrt(9.0), 1e-15);
  mk_lp_step(3, INFINITY, theta, s, next);
  CHECK(next[0] == 1.0 && next[1] == 1.0 && next[2] == 1.0);
}

static void test_dual_norm_is_the_support_function(void) {
  double s[M], theta[M];
  for (size_t k = 0; k < NORMS; k++) {
    double p = norms[k];
    positive(s);
    double dual = mk_lp_dual_norm(M, p, s);
    double best = 0.0;
    for (int trial = 0; trial < 200; trial++) { /* Hoelder: never more */
      positive(theta);
      mk_lp_normalize(M, p, theta);
      double product = 0.0;
      for (int m = 0; m < M; m++) product += theta[m] * s[m];
      best = fmax(best, product);
    }
    CHECK(best <= dual * (1.0 + 1e-14));
    if (p > 1.0 && !isinf(p)) { /* and just that at theta proportional to s^(1/(p-1)) */
      double most = 0.0, product = 0.0;
      for (int m = 0; m < M; m++) most = fmax(most, s[m]);
      for (int m = 0; m < M; m++) theta[m] = pow(s[m] / most, 1.0 / (p - 1.0));
      mk_lp_normalize(M, p, theta);
      for (int m = 0; m < M; m++) product += theta[m] * s[m];
      CHECK_NEAR(product, dual, 1e-12 * dual);
    }
  }
}

static void test_a_fixed_point_closes_the_gap(void) {
  /* where theta is its own step, theta's regulariser equals the dual norm */
  double theta[M], s[M], next[M];
  for (size_t k = 0; k < NORMS; k++) {
    double p = norms[k];
    if (p == 1.0 || isinf(p)) continue;
    positive(theta);
    mk_lp_normalize(M, p, theta);
    for (int m = 0; m < M; m++) s[m] = pow(theta[m], p - 1.0);
    mk_lp_step(M, p, theta, s, next);
    CHECK(data_distance(M, theta, next) <= 1e-13);
    double dual = mk_lp_dual_norm(M, p, s);
    mk_norm norm = mk_lp(p);
    CHECK_NEAR(regularizer_of(&norm, M, theta, s), dual, 1e-12 * dual);
  }
}

static void test_newton_without_curvature_is_the_linear_optimum(void) {
  double theta[M], s[M], next[M], z[M] = {0};
  for (size_t k = 0; k < NORMS; k++) {
    double p = norms[k];
    if (p == 1.0 || isinf(p)) continue;
    mk_lp_start(M, p, theta);
    positive(s);
    mk_theta_model model = {.count = M, .rank = 1, .p = p, .theta = theta, .s = s, .z = z};
    mk_promise promise;
    if (mk_theta_newton(&model, next, &promise) != MK_OK)
      continue; /* it may say that it could not; it must not be wrong */
    double product = 0.0, dual = mk_lp_dual_norm(M, p, s);
    for (int m = 0; m < M; m++) {
      CHECK(next[m] >= 0.0);
      product += next[m] * s[m];
    }
    CHECK(p_norm(next, p) <= 1.0 + 1e-8);
    CHECK(product >= dual * (1.0 - 1e-4));
  }
}

static void test_compressed_columns_have_the_same_products(void) {
  enum { ROWS = 40, RANK = 6, COLUMNS = 90 };
  static double left[ROWS * RANK], right[RANK * COLUMNS], z[ROWS * COLUMNS], kept[ROWS * COLUMNS];
  size_t rows = ROWS;
  data_fill(ROWS * RANK, left);
  data_fill(RANK * COLUMNS, right);
  for (int m = 0; m < COLUMNS; m++) /* of very different sizes */
    for (int r = 0; r < RANK; r++) right[r * COLUMNS + m] *= m == 7 ? 0.0 : pow(10.0, m % 9 - 4);
  for (int i = 0; i < ROWS; i++)
    for (int m = 0; m < COLUMNS; m++)
      for (int r = 0; r < RANK; r++)
        z[i * COLUMNS + m] += left[i * RANK + r] * right[r * COLUMNS + m];
  memcpy(kept, z, sizeof z);
  CHECK(mk_theta_compress(z, &rows, COLUMNS) == MK_OK);
  CHECK(rows == RANK);
  for (int a = 0; a < COLUMNS; a++)
    for (int b = 0; b < COLUMNS; b++) {
      double product = 0.0, truth = 0.0, size = 0.0, other = 0.0;
      for (size_t i = 0; i < rows; i++) product += z[i * COLUMNS + a] * z[i * COLUMNS + b];
      for (int i = 0; i < ROWS; i++) {
        truth += kept[i * COLUMNS + a] * kept[i * COLUMNS + b];
        size += kept[i * COLUMNS + a] * kept[i * COLUMNS + a];
        other += kept[i * COLUMNS + b] * kept[i * COLUMNS + b];
      }
      CHECK_NEAR(product, truth, 1e-10 * sqrt(size * other));
    }
  rows = 5; /* of full rank: as it was */
  memcpy(z, kept, sizeof z);
  CHECK(mk_theta_compress(z, &rows, COLUMNS) == MK_OK && rows == 5);
  CHECK(memcmp(z, kept, sizeof z) == 0);
}

/* Optimality of the Newton point: no feasible direction lowers the model. */
static double model_value(const mk_theta_model *model, const double *t) {
  double value = 0.0;
  for (size_t m = 0; m < model->count; m++) {
    double way = t[m] - model->theta[m];
    value += 0.5 * way * (model->damping * model->s[m] / model->theta[m] * way - model->s[m]);
  }
  for (size_t r = 0; r < model->rank; r++) {
    double sum = 0.0;
    for (size_t m = 0; m < model->count; m++)
      sum += model->z[r * model->count + m] * (t[m] - model->theta[m]);
    value += 0.5 * sum * sum;
  }
  return value;
}

static void test_newton_point_minimises_the_model(void) {
  enum { RANK = 12 };
  double theta[M], s[M], next[M], other[M], z[RANK * M];
  for (size_t k = 0; k < NORMS; k++)
    for (size_t rank = 3; rank <= RANK; rank += 9)
      for (int damped = 0; damped < 2; damped++) {
        double p = norms[k], fall;
        mk_promise promise;
        if (isinf(p)) continue;
        mk_lp_start(M, p, theta);
        positive(s);
        data_fill(RANK * M, z);
        mk_theta_model model = {.count = M,
                                .rank = rank,
                                .p = p,
                                .theta = theta,
                                .s = s,
                                .z = z,
                                .damping = damped * .5};
        CHECK(mk_theta_newton(&model, next, &promise) == MK_OK);
        CHECK(promise.length >= 1.0);
        fall = promise.fall;
        CHECK_NEAR(p_norm(next, p), 1.0, 1e-12);
        CHECK_NEAR(model_value(&model, next), -fall, 1e-9);
        for (int trial = 0; trial < 50; trial++) { /* p = 1: on the simplex; else as near */
          for (int m = 0; m < M; m++) other[m] = fmax(0.0, next[m] + 0.01 * data_next());
          mk_lp_normalize(M, p, other);
          CHECK(model_value(&model, other) >= -fall - 1e-9);
        }
      }
}

/* s_1 = a/(theta_1 + b)^2 against s_2 = c: the minimum is at theta_1 = sqrt(a/c) - b. */
static void test_a_secular_form_is_followed_beyond_the_model(void) {
  double b = 1e-3, c = 0.5, best = 0.05, a = c * (best + b) * (best + b);
  for (double first = 0.02; first < best; first += 0.01) {
    double theta[] = {first, 1.0 - first}, next[2], x = first + b;
    double s[] = {a / (x * x), c}, z[] = {sqrt(a / (x * x * x)), 0.0};
    mk_theta_model model = {.count = 2, .rank = 1, .p = 1.0, .theta = theta, .s = s, .z = z};
    mk_promise promise;
    CHECK(mk_theta_newton(&model, next, &promise) == MK_OK);
    CHECK(next[0] < best);
    CHECK_NEAR(first + promise.length * (next[0] - first), best, 0.02 * (next[0] - first));
  }
}

int main(void) {
  RUN(test_start_and_steps_are_on_the_sphere);
  RUN(test_step_is_that_of_proposition_2);
  RUN(test_dual_norm_is_the_support_function);
  RUN(test_a_fixed_point_closes_the_gap);
  RUN(test_newton_without_curvature_is_the_linear_optimum);
  RUN(test_compressed_columns_have_the_same_products);
  RUN(test_newton_point_minimises_the_model);
  RUN(test_a_secular_form_is_followed_beyond_the_model);
  return REPORT();
}
