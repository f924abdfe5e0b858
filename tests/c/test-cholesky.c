/* The factor, its solves, products for such systems and the ends of a spectrum, against their
 * definitions. */
#include "base/cholesky.h"
#include "base/memory.h"
#include "base/product.h"
#include "check.h"
#include "data.h"
#include "matrix/spectrum.h"
#include "team.h"

#include <float.h>
#include <string.h>

/* exp(-|i - j|/20) + [i = j]: positive definite, no structure in the tiles. */
static double *sample_matrix(size_t n) {
  double *a = MK_NEW(double, n *n);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      a[i * n + j] = exp(-fabs((double)i - (double)j) / 20.0) + (i == j);
  return a;
}

/* the largest of (a + I/2) x - b */
static double residual(const double *a, size_t n, const double *x, const double *b) {
  double worst = 0.0;
  for (size_t i = 0; i < n; i++) {
    double sum = 0.5 * x[i] - b[i];
    for (size_t j = 0; j < n; j++) sum += a[i * n + j] * x[j];
    worst = worse(worst, fabs(sum));
  }
  return worst;
}

static const size_t sizes[] = {1, 2, 5, 15, 16, 33, 63, 64, 65, 97, 129, 300};
#define SIZES (sizeof sizes / sizeof *sizes)

static void test_solves_undo_the_matrix(void) {
  for (size_t k = 0; k < SIZES; k++)
    for (int threads = 1; threads <= 2; threads++) {
      size_t n = sizes[k];
      double *a = sample_matrix(n), *l = sample_matrix(n), worst = 0.0;
      double *x = MK_NEW(double, n), *b = MK_NEW(double, n);
      data_fill(n, b);
      memcpy(x, b, n * sizeof *x);
      CHECK(mk_cholesky(l, n, 0.5, threads > 1 ? team : NULL) == MK_OK);
      mk_solve_lower(l, n, x);
      mk_solve_upper(l, n, x);
      CHECK(residual(a, n, x, b) <= 1e-12);
      for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) worst = worse(worst, fabs(l[i * n + j] - a[i * n + j]));
      CHECK(worst == 0.0); /* the upper triangle is left alone */
      mk_free(a);
      mk_free(l);
      mk_free(x);
      mk_free(b);
    }
}

/* Room for a matrix and rows below it; the lower triangle of `a` is in its place. */
static mk_row packed(const double *a, size_t n, size_t below, int single) {
  mk_row l = {mk_alloc(mk_factor_at(n, n + below), mk_row_size(single)), single};
  for (size_t i = 0; i < n; i++) mk_row_store(mk_row_from(l, mk_factor_at(n, i)), a + i * n, i + 1);
  return l;
}

/* Rows below the matrix become themselves times L^-T, in either precision. */
static void check_rows_below(size_t n, size_t below, int single, double within) {
  double *a = sample_matrix(n), *b = MK_NEW(double, n *below), *x = MK_NEW(double, n);
  mk_row l = packed(a, n, below, single);
  data_fill(n * below, b);
  for (size_t r = 0; r < below; r++)
    mk_row_store(mk_row_from(l, mk_factor_at(n, n + r)), b + r * n, n);
  mk_control limits = {.max_time = INFINITY, .team = team, .start = mk_seconds()};
  CHECK(mk_factor(l, n, n + below, 0.5, &limits) == MK_OK);
  for (size_t r = 0; r < below; r++) {
    memcpy(x, b + r * n, n * sizeof *x);
    double worst = 0.0;
    mk_factor_lower(l, n, x);
    mk_row row = mk_row_from(l, mk_factor_at(n, n + r));
    for (size_t j = 0; j < n; j++) worst = worse(worst, fabs(x[j] - mk_row_at(row, j)));
    mk_factor_upper(l, n, x);
    CHECK(worst <= within);
    CHECK(residual(a, n, x, b + r * n) <= within);
  }
  mk_free(a);
  mk_free(b);
  mk_free(x);
  mk_free(l.at);
}

static void test_rows_below_the_matrix(void) {
  for (size_t k = 0; k < SIZES; k++)
    for (size_t below = 1; below < 80; below += 13) {
      check_rows_below(sizes[k], below, 0, 1e-12);
      check_rows_below(sizes[k], below, 1, 1e-4);
    }
}

/* Rows do not overlap, and take about half of n x n values. */
static void test_rows_in_their_places(void) {
  CHECK(mk_factor_at(0, 0) == 0);
  for (size_t n = 1; n < 400; n += 7) {
    for (size_t i = 0; i < n; i++) CHECK(mk_factor_at(n, i + 1) - mk_factor_at(n, i) > i);
    CHECK(mk_factor_at(n, n + 3) - mk_factor_at(n, n) == 3 * n);
    double values = (double)mk_factor_at(n, n), most = mk_factor_most(values);
    CHECK(values <= 0.5 * (double)(n * (n + 64)));
    CHECK(most <= (double)n + 1e-9 && most > (double)n - 10.0);
  }
}

static void test_indefinite_matrices_are_refused(void) {
  double a[] = {1.0, 0.0, 2.0, 1.0}; /* lower triangle of [1 2; 2 1] */
  CHECK(mk_cholesky(a, 2, 0.0, NULL) == MK_STALLED);
  double b[] = {1.0, 0.0, NAN, 1.0};
  CHECK(mk_cholesky(b, 2, 0.0, NULL) == MK_STALLED);
}

/* A matrix whose factor is full of products that floats hold as denormal numbers only. */
static void test_faint_values(void) {
  size_t n = 200;
  volatile double tiny = DBL_MIN;
  double *a = MK_NEW(double, n *n);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) a[i * n + j] = i == j ? 1.0 : 1e-21;
  mk_row l = packed(a, n, 0, 1), last = mk_row_from(l, mk_factor_at(n, n - 1));
  mk_control limits = {.max_time = INFINITY, .team = team, .start = mk_seconds()};
  CHECK(mk_factor(l, n, n, 0.0, &limits) == MK_OK);
  CHECK_NEAR(mk_row_at(last, n - 1), 1.0, 1e-6);
  CHECK(mk_row_at(last, 0) < 1e-20);
  mk_free(a);
  CHECK(0.5 * tiny > 0.0); /* the caller's own are not taken for zero afterwards */
  mk_free(l.at);
}

static int interrupt(void *data) {
  return ++*(int *)data > 1;
}

/* Between panels, so that small systems don't ask at all. */
static void test_limits_end_a_factor(void) {
  int asked = 0;
  mk_control late = {.max_time = 0.0, .team = team, .start = mk_seconds() - 1.0};
  mk_control stopped = {.max_time = INFINITY, .team = team, .start = mk_seconds()};
  stopped.poll = interrupt;
  stopped.data = &asked;
  const size_t sizes[] = {60, 200};
  for (int k = 0; k < 2; k++) {
    size_t n = sizes[k];
    double *a = sample_matrix(n);
    mk_row l = packed(a, n, 0, 0);
    CHECK(mk_cholesky_within(a, n, 0.5, &late) == (k == 0 ? MK_OK : MK_TIME_LIMIT));
    CHECK(mk_factor(l, n, n, 0.5, &stopped) == (k == 0 ? MK_OK : MK_INTERRUPTED));
    CHECK(asked == 2 * k);
    mk_free(a);
    mk_free(l.at);
  }
}

static void test_spectrum_ends(void) {
  mk_control control = {.max_time = INFINITY, .team = team, .start = mk_seconds()};
  double least, most;
  double pair[] = {1.0, 2.0, 2.0, 1.0};
  CHECK(mk_extreme_eigenvalues(pair, 2, &control, &least, &most) == MK_OK);
  CHECK_NEAR(least, -1.0, 1e-12);
  CHECK_NEAR(most, 3.0, 1e-12);
  const size_t sizes[] = {50, 1200};
  for (int k = 0; k < 2; k++) { /* one small negative eigenvalue in a sea of ones */
    size_t n = sizes[k];
    double *a = MK_NEW0(double, n *n), square = 0.0, *u = MK_NEW(double, n);
    data_fill(n, u);
    for (size_t i = 0; i < n; i++) square += u[i] * u[i];
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) a[i * n + j] = (i == j) - 1.01 * u[i] * u[j] / square;
    CHECK(mk_extreme_eigenvalues(a, n, &control, &least, &most) == MK_OK);
    CHECK_NEAR(least, -0.01, 1e-9);
    CHECK_NEAR(most, 1.0, 1e-9);
    mk_free(a);
    mk_free(u);
  }
}

static void test_products_follow_the_definition(void) {
  size_t sizes[][2] = {{1, 1}, {5, 300}, {16, 256}, {37, 70}, {50, 513}};
  for (size_t k = 0; k < 5; k++) {
    size_t n = sizes[k][0], count = sizes[k][1];
    double *z = MK_NEW(double, n *count), *divisor = MK_NEW(double, count);
    double *work = MK_NEW(double, mk_product_work(n)), *c = MK_NEW(double, n *n);
    double *again = MK_NEW(double, n *n);
    data_fill(n * count, z);
    for (size_t m = 0; m < count; m++) divisor[m] = 1.5 + data_next();
    for (size_t i = 0; i < n * n; i++) c[i] = again[i] = 1.0; /* is added to */
    mk_product_add(n, count, z, divisor, work, NULL, c);
    mk_product_add(n, count, z, divisor, work, team, again);
    CHECK(memcmp(c, again, n * n * sizeof *c) == 0);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j <= i; j++) {
        double sum = 1.0;
        for (size_t m = 0; m < count; m++) sum += z[i * count + m] * z[j * count + m] / divisor[m];
        CHECK_NEAR(c[i * n + j], sum, 1e-11);
      }
    mk_free(z);
    mk_free(divisor);
    mk_free(work);
    mk_free(c);
    mk_free(again);
  }
}

int main(void) {
  RUN_TEAM(2, test_solves_undo_the_matrix);
  RUN(test_rows_in_their_places);
  RUN_TEAM(2, test_rows_below_the_matrix);
  RUN_TEAM(2, test_indefinite_matrices_are_refused);
  RUN_TEAM(2, test_products_follow_the_definition);
  RUN_TEAM(2, test_faint_values);
  RUN_TEAM(2, test_spectrum_ends);
  RUN_TEAM(2, test_limits_end_a_factor);
  return REPORT();
}
