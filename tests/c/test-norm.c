/* The norms of theta against their definitions. */
#include "both-sides.h"
#include "check.h"
#include "data.h"
#include "theta/norm.h"
#include "problem/quadratic.h"

#include <stdlib.h>
#include <string.h>

#define M 5
#define MOST 7

typedef struct norm_case {
  mk_norm_type type;
  double parameter;
  int values; /* 0: none, 1: weights, 2: matrix */
} norm_case;

static const norm_case cases[] = {
    {MK_NORM_LP, 1.0, 1},       {MK_NORM_LP, 4.0 / 3.0, 1},  {MK_NORM_LP, 2.0, 0},
    {MK_NORM_LP, 6.0, 1},       {MK_NORM_QUADRATIC, 0.0, 2}, {MK_NORM_BLOCK, 2.1, 0},
    {MK_NORM_BLOCK, 4.0, 0},    {MK_NORM_BLOCK, 50.0, 0},    {MK_NORM_BLOCK, INFINITY, 0},
    {MK_NORM_ELASTIC, 0.01, 0}, {MK_NORM_ELASTIC, 0.5, 0},   {MK_NORM_ELASTIC, 0.99, 0},
};
#define CASES (sizeof cases / sizeof *cases)

static double weights[M], matrix[M * M];

/* Weights in (0.5, 2.5); a matrix B'B + I/10 with entries of both signs, scaled unevenly. */
static void make_values(void) {
  double b[M * M];
  for (int m = 0; m < M; m++) weights[m] = 1.5 + data_next();
  data_fill(M * M, b);
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++) {
      double sum = i == j ? 0.1 : 0.0;
      for (int k = 0; k < M; k++) sum += b[k * M + i] * b[k * M + j];
      matrix[i * M + j] = sum * (1.0 + i) * (1.0 + j);
    }
}

static mk_norm make(const norm_case *c) {
  mk_norm norm;
  double *memory = malloc(mk_norm_memory(c->type, M) * sizeof *memory);
  const double *values = c->values == 1 ? weights : c->values == 2 ? matrix : NULL;
  CHECK(mk_norm_make(&norm, c->type, M, c->parameter, values, memory) == MK_OK);
  if (norm.work == NULL) free(memory);
  return norm;
}

static void positive(double *x) {
  for (int m = 0; m < M; m++) x[m] = 1.2 + data_next();
}

static double inner(const double *x, const double *y) {
  double sum = 0.0;
  for (int m = 0; m < M; m++) sum += x[m] * y[m];
  return sum;
}

/* With sign = 1 no theta on the sphere gives more than the dual term, with -1 none less; and no
 * theta pays less (more) for w than the regulariser. */
static void test_sides_bound_every_theta(void) {
  for (size_t k = 0; k < CASES; k++) {
    mk_norm norm = make(&cases[k]);
    double sign = mk_norm_rises(&norm) ? -1.0 : 1.0;
    for (int round = 0; round < 50; round++) {
      double s[M], theta[M], other[M], w[M];
      positive(s);
      positive(theta);
      positive(other);
      mk_norm_normalize(&norm, M, theta);
      mk_norm_normalize(&norm, M, other);
      double dual = dual_of(&norm, M, s), paid = 0.0;
      double size = regularizer_of(&norm, M, theta, s);
      CHECK(sign * inner(theta, s) <= sign * dual + 1e-12 * dual);
      for (int m = 0; m < M; m++) w[m] = theta[m] * theta[m] * s[m];
      for (int m = 0; m < M; m++) paid += w[m] / other[m];
      if (norm.type != MK_NORM_QUADRATIC) CHECK(sign * paid >= sign * size - 1e-12 * size);
      double primal, bound;
      CHECK(mk_sides(&norm, M, theta, s, &primal, &bound) == MK_OK);
      CHECK_NEAR(primal, size, 1e-11 * size);
      CHECK_NEAR(bound, dual, 1e-11 * dual);
    }
    free(norm.work);
  }
}

/* The analytic step with s frozen goes to the theta that attains the dual term. */
static void test_steps_lead_to_the_dual_term(void) {
  for (size_t k = 0; k < CASES; k++) {
    mk_norm norm = make(&cases[k]);
    double s[M], theta[M], next[M];
    positive(s);
    if (norm.p == 1.0 && norm.type != MK_NORM_BLOCK) s[2] = 4.0; /* one clearly the largest */
    mk_norm_start(&norm, M, theta);
    for (int round = 0; round < 4000; round++) {
      mk_norm_step(&norm, M, theta, s, next);
      memcpy(theta, next, sizeof theta);
    }
    double dual = dual_of(&norm, M, s);
    CHECK_NEAR(inner(theta, s), dual, 1e-9 * dual);
    CHECK_NEAR(mk_norm_gap(&norm, dual, regularizer_of(&norm, M, theta, s), inner(theta, s)), 0.0,
               1e-9 * dual);
    memcpy(next, theta, sizeof next);
    mk_norm_normalize(&norm, M, next);
    for (int m = 0; m < M; m++) CHECK_NEAR(next[m], theta[m], 1e-9 * (1.0 + theta[m]));
    free(norm.work);
  }
}

/* Newton with Z = 0 and full damping moves towards the same theta. */
static void test_newton_falls(void) {
  for (size_t k = 0; k < CASES; k++) {
    mk_norm norm = make(&cases[k]);
    double s[M], theta[M], next[M], z[M] = {0};
    mk_promise promise;
    positive(s);
    mk_norm_start(&norm, M, theta);
    mk_theta_model model = {.count = M, .rank = 1, .damping = 1.0, .theta = theta, .s = s, .z = z};
    double sign = mk_norm_rises(&norm) ? -1.0 : 1.0, before = sign * inner(theta, s);
    CHECK(mk_norm_newton(&norm, &model, next, &promise) == MK_OK);
    CHECK(promise.fall > 0.0);
    CHECK(sign * inner(next, s) > before);
    double half[M];
    mk_norm_between(&norm, M, theta, next, 0.5, half);
    CHECK(sign * inner(half, s) > before);
    CHECK(sign * inner(half, s) < sign * inner(next, s) + 1e-9);
    free(norm.work);
  }
}

/* theta is a function of its coordinates: slopes and bends against differences. */
static void test_coordinates(void) {
  for (size_t k = 0; k < CASES; k++) {
    mk_norm norm = make(&cases[k]);
    double sign = mk_norm_rises(&norm) ? -1.0 : 1.0, h = 1e-5;
    double theta[M], t[M], at[M], slope[M], bend[M], up[M], down[M], ignored[M], more[M], less[M];
    positive(theta);
    mk_norm_normalize(&norm, M, theta);
    mk_norm_coordinates(&norm, M, theta, t);
    mk_norm_unfold(&norm, M, t, at, slope, bend);
    for (int m = 0; m < M; m++) {
      more[m] = t[m] * (1.0 + h);
      less[m] = t[m] * (1.0 - h);
    }
    mk_norm_unfold(&norm, M, more, up, ignored, ignored);
    mk_norm_unfold(&norm, M, less, down, ignored, ignored);
    for (int m = 0; m < M; m++) {
      double step = t[m] * h, first = (up[m] - down[m]) / (2.0 * step);
      double second = (up[m] - 2.0 * at[m] + down[m]) / (step * step);
      CHECK_NEAR(at[m], theta[m], 1e-12 * theta[m]);
      CHECK_NEAR(sign * slope[m], first, 1e-7 * slope[m]);
      CHECK_NEAR(-sign * 2.0 * bend[m], second, 1e-4 * (bend[m] + slope[m] / t[m]));
    }
    free(norm.work);
  }
}

/* gamma is not negative, E(s + gamma) neither, and one of both is 0. */
static void check_gamma(const mk_norm *norm, size_t count, const double *s) {
  double gamma[MOST];
  mk_quadratic_gamma(norm, count, s, gamma);
  for (size_t i = 0; i < count; i++) {
    double slope = 0.0;
    for (size_t j = 0; j < count; j++) slope += norm->e[i * count + j] * (s[j] + gamma[j]);
    CHECK(gamma[i] >= 0.0);
    CHECK(slope >= -1e-12);
    CHECK_NEAR(slope * gamma[i], 0.0, 1e-11);
  }
}

static void test_quadratic_gamma(void) {
  for (int round = 0; round < 200; round++) {
    make_values();
    mk_norm norm = make(&cases[4]);
    double s[M];
    positive(s);
    check_gamma(&norm, M, s);
    free(norm.work);
  }
}

/* Exchanges of all wrong marks at once go round in a circle here; those of one end. */
static void test_quadratic_gamma_where_blocks_cycle(void) {
  static const double below[] = {-.704, .152,  .23,  -.921, .834,  -.076, .076,
                                 -.504, .366,  -.26, .016,  -.357, .52,   -.218,
                                 .963,  -.155, .036, -.915, .152,  -.698, -.787};
  static const double s[MOST] = {1.0, 1.1, 0.47, 0.61, 2.6, 1.1, 5.3};
  double e[MOST * MOST], *memory = malloc(mk_norm_memory(MK_NORM_QUADRATIC, MOST) * sizeof *memory);
  mk_norm norm;
  for (int i = 0, k = 0; i < MOST; i++) {
    e[i * MOST + i] = 1.0;
    for (int j = 0; j < i; j++) e[i * MOST + j] = e[j * MOST + i] = below[k++];
  }
  CHECK(mk_norm_make(&norm, MK_NORM_QUADRATIC, MOST, 0.0, e, memory) == MK_OK);
  check_gamma(&norm, MOST, s);
  free(norm.work);
}

static void test_names_of_the_same(void) {
  double memory[4 * M];
  mk_norm norm;
  CHECK(mk_norm_make(&norm, MK_NORM_BLOCK, M, 1.5, NULL, memory) == MK_OK);
  CHECK(mk_norm_is_plain(&norm));
  CHECK_NEAR(norm.p, 3.0, 1e-15);
  CHECK(mk_norm_make(&norm, MK_NORM_BLOCK, M, 2.0, NULL, memory) == MK_OK);
  CHECK(mk_norm_is_plain(&norm) && mk_norm_is_fixed(&norm));
  CHECK(mk_norm_make(&norm, MK_NORM_ELASTIC, M, 0.0, NULL, memory) == MK_OK);
  CHECK(mk_norm_is_plain(&norm) && mk_norm_is_sparse(&norm));
  CHECK(mk_norm_make(&norm, MK_NORM_ELASTIC, M, 1.0, NULL, memory) == MK_OK);
  CHECK(mk_norm_is_fixed(&norm));
  CHECK(mk_norm_make(&norm, MK_NORM_LP, M, INFINITY, weights, memory) == MK_OK);
  CHECK(mk_norm_is_plain(&norm));
}

static void test_bad_norms(void) {
  double memory[4 * M + 3 * M * M + 6 * M], wrong[M * M] = {0};
  mk_norm norm;
  static const double none[] = {-1.0, 0.5, NAN};
  for (int k = 0; k < 3; k++) {
    CHECK(mk_norm_make(&norm, MK_NORM_LP, M, none[k], NULL, memory) == MK_BAD_ARGUMENT);
    CHECK(mk_norm_make(&norm, MK_NORM_BLOCK, M, none[k], NULL, memory) == MK_BAD_ARGUMENT);
  }
  CHECK(mk_norm_make(&norm, MK_NORM_ELASTIC, M, 1.5, NULL, memory) == MK_BAD_ARGUMENT);
  CHECK(mk_norm_make(&norm, MK_NORM_ELASTIC, M, NAN, NULL, memory) == MK_BAD_ARGUMENT);
  CHECK(mk_norm_make(&norm, MK_NORM_LP, M, 2.0, wrong, memory) == MK_BAD_ARGUMENT);
  CHECK(mk_norm_make(&norm, MK_NORM_QUADRATIC, M, 0.0, wrong, memory) == MK_BAD_ARGUMENT);
  CHECK(mk_norm_make(&norm, MK_NORM_QUADRATIC, M, 0.0, NULL, memory) == MK_BAD_ARGUMENT);
  for (int i = 0; i < M * M; i++) wrong[i] = 1.0;
  wrong[0] = 0.5;
  CHECK(mk_norm_make(&norm, MK_NORM_QUADRATIC, M, 0.0, wrong, memory) == MK_BAD_ARGUMENT);
  CHECK(mk_norm_make(&norm, MK_NORMS, M, 2.0, NULL, memory) == MK_BAD_ARGUMENT);
}

/* Coordinates of 1 / theta are held off zero, as far as the tolerance bears. */
static void test_coordinates_off_zero(void) {
  norm_case last = {MK_NORM_BLOCK, INFINITY, 0};
  mk_norm norm = make(&last), plain = mk_lp(1.0);
  const double s[M] = {4.0, 1.0, 1e-9, 2.0, 0.0};
  double theta[M] = {2.0, 3.0, 1e12, 5.0, INFINITY};
  mk_norm_bound(&norm, M, NULL);
  CHECK(norm.least > 0.0 && norm.least <= 1e-3);
  mk_norm_normalize(&norm, M, theta);
  double whole = 0.0;
  for (int m = 0; m < M; m++) {
    CHECK(theta[m] <= (1.0 + 1e-9) / norm.least);
    whole += 1.0 / theta[m];
  }
  CHECK_NEAR(whole, 1.0, 1e-12);
  double most = 0.0, price = 0.0;
  for (int m = 0; m < M; m++) most = fmax(most, theta[m] * sqrt(s[m]));
  for (int m = 2; m < M; m += 2) {
    double w = theta[m] * sqrt(s[m]);
    price += norm.least * w * (most - w);
  }
  CHECK(price > 0.0);
  double least = norm.least;
  mk_norm_adapt(&norm, M, theta, s, 1.001 * price);
  CHECK(norm.least == least);
  mk_norm_adapt(&norm, M, theta, s, 0.3 * price);
  CHECK_NEAR(norm.least, 0.25 * least, 1e-12 * least);
  mk_norm_bound(&plain, M, NULL);
  CHECK(plain.least == 0.0);
  free(norm.work);
}

/* Shares below a twentieth of the largest go, and what is left has norm 1 again: of 0.6, 0.38,
 * 0.02, 0 and 0 the first two, in proportion. In coordinates, where matrices have scales. Norms
 * that spread weight keep all of it. */
static void test_small_weights_are_pruned(void) {
  const double share[M] = {0.6, 0.38, 0.02, 0.0, 0.0};
  const norm_case one = {MK_NORM_LP, 1.0, 1};
  double theta[M], t[M], ignored[M];
  mk_norm plain = mk_lp(1.0), scaled = make(&one), smooth = mk_lp(2.0);
  for (int k = 0; k < 2; k++) {
    const mk_norm *norm = k == 0 ? &plain : &scaled;
    mk_norm_unfold(norm, M, share, theta, ignored, ignored);
    double ratio = theta[0] / theta[1];
    mk_norm_prune(norm, M, 0.05, theta);
    for (int m = 2; m < M; m++) CHECK(theta[m] == 0.0);
    CHECK_NEAR(theta[0] / theta[1], ratio, 1e-14 * ratio);
    mk_norm_coordinates(norm, M, theta, t);
    CHECK_NEAR(t[0] + t[1], 1.0, 1e-14);
  }
  memcpy(theta, share, sizeof theta);
  mk_norm_prune(&smooth, M, 0.05, theta);
  CHECK(memcmp(theta, share, sizeof theta) == 0);
  free(scaled.work);
}

int main(void) {
  make_values();
  RUN(test_sides_bound_every_theta);
  RUN(test_steps_lead_to_the_dual_term);
  RUN(test_newton_falls);
  RUN(test_coordinates);
  RUN(test_coordinates_off_zero);
  RUN(test_quadratic_gamma);
  RUN(test_quadratic_gamma_where_blocks_cycle);
  RUN(test_names_of_the_same);
  RUN(test_bad_norms);
  RUN(test_small_weights_are_pruned);
  return REPORT();
}
