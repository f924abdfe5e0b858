/* Products of wide matrices, by BLAS and by tiles, against plain loops; distances and products that
 * a set keeps of all pairs, against the plain definition of kernels. */
#include "kernel/constants.h"
#include "base/crossprod.h"
#include "base/memory.h"
#include "base/product.h"
#include "check.h"
#include "data.h"
#include "kernel/structure.h"
#include "kernel/set.h"
#include "team.h"
#include "kernel/geometry.h"
#include "kernel/samples.h"
#include "rows/mixture.h"
#include "rows/base-block.h"

#include <sys/wait.h>
#include <unistd.h>

static const mk_blas paths[] = {MK_BLAS_NEVER, MK_BLAS_ALWAYS, MK_BLAS_MEASURED};
#define PATHS 3

static void test_products_agree_on_every_path(void) {
  const size_t sizes[][2] = {{0, 5}, {5, 0}, {1, 1}, {1, 700}, {7, 3}, {33, 257}, {64, 1024}};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (size_t p = 0; p < PATHS; p++) {
      size_t n = sizes[k][0], count = sizes[k][1];
      double *z = MK_NEW(double, n *count + 1), *c = MK_NEW(double, n *n + 1);
      double *work = MK_NEW(double, mk_product_work(n)), worst = 0.0;
      data_fill(n * count, z);
      for (size_t i = 0; i < n * n + 1; i++) c[i] = 2.0; /* is added to; nothing beyond it is */
      mk_crossprod_add(paths[p], n, count, z, work, team, c);
      for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
          double sum = 2.0;
          for (size_t m = 0; m < count; m++) sum += z[i * count + m] * z[j * count + m];
          worst = worse(worst, fabs(sum - c[i * n + j]));
        }
      CHECK_NEAR(worst, 0.0, 1e-11);
      CHECK(c[n * n] == 2.0);
      mk_free(z);
      mk_free(c);
      mk_free(work);
    }
}

static void test_the_choice_is_made_once_and_not_for_children(void) {
  CHECK(mk_blas_serves(MK_BLAS_ALWAYS, 1.0, NULL));
  CHECK(!mk_blas_serves(MK_BLAS_NEVER, 1e12, NULL));
  CHECK(!mk_blas_serves(MK_BLAS_MEASURED, 1.0, NULL)); /* too small to measure for */
  int first = mk_blas_serves(MK_BLAS_MEASURED, 1e12, NULL);
  for (int k = 0; k < 100; k++) CHECK(mk_blas_serves(MK_BLAS_MEASURED, 1e12, NULL) == first);
  mk_threads_begin(0);
  pid_t child = fork();
  if (child == 0) _exit(mk_blas_serves(MK_BLAS_ALWAYS, 1e12, NULL));
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- pairs ---- */

#define N 50
#define COLS 530
#define KERNELS 4

/* Far from 0 by `far`; some samples alike, some all but alike. */
static void fill_wide(double *x, double far) {
  data_fill(N * COLS, x);
  for (size_t j = 0; j < COLS; j++) {
    for (size_t i = 0; i < N; i++) x[j * N + i] += far;
    x[j * N + 7] = x[j * N + 3];
    x[j * N + 9] = x[j * N + 4] + 1e-6 * data_next();
  }
}

static double plain_distance(const double *x, size_t i, size_t j) {
  double sum = 0.0;
  for (size_t k = 0; k < COLS; k++)
    sum += (x[k * N + i] - x[k * N + j]) * (x[k * N + i] - x[k * N + j]);
  return sum;
}

static mk_kernel_set *wide_set(const double *x) {
  const mk_view view = {.rows = N, .cols = COLS, .x = x};
  const mk_kernel_spec spec[KERNELS] = {
      {.type = MK_LINEAR},
      {.type = MK_POLYNOMIAL, .degree = 2, .scale = 1.0 / COLS, .offset = 1.0},
      {.type = MK_GAUSSIAN, .width = 200.0},
      {.type = MK_GAUSSIAN, .width = 500.0}};
  mk_kernel_set *set;
  CHECK(mk_set_new(&set, N, &view, 1, spec, KERNELS, team) == MK_OK);
  return set;
}

static void test_distances_follow_the_definition(void) {
  double *x = MK_NEW(double, N *COLS), *out = MK_NEW(double, N *N);
  const mk_view view = {.rows = N, .cols = COLS, .x = x};
  int all[N];
  for (int i = 0; i < N; i++) all[i] = i;
  for (size_t p = 0; p < PATHS; p++)
    for (double far = 0.0; far <= 1e4; far += 1e4) {
      mk_control control = {.max_time = INFINITY, .team = team, .blas = paths[p]};
      double worst = 0.0;
      fill_wide(x, far);
      CHECK(mk_view_distances(&view, all, N, NULL, &control, out) == MK_OK);
      for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
          double d = plain_distance(x, i, j);
          worst = worse(worst, fabs(out[i * N + j] - d) / fmax(d, 1e-300));
        }
      CHECK_NEAR(worst, 0.0, 1e-10); /* of near pairs, too: differences lose what means take */
      CHECK(out[3 * N + 7] == 0.0 && out[5 * N + 5] == 0.0);
    }
  for (size_t k = 0; k < N * COLS; k++) x[k] = 0.1;
  CHECK(mk_view_distances(&view, all, N, NULL, &(mk_control){.max_time = INFINITY}, out) == MK_OK);
  for (size_t k = 0; k < N * N; k++) CHECK(out[k] == 0.0);
  mk_free(x);
  mk_free(out);
}

/* Some samples in any order, columns in other units. */
static void test_distances_of_some_samples(void) {
  double *x = MK_NEW(double, N *COLS), *scale = MK_NEW(double, COLS), out[4], d = 0.0;
  const mk_view view = {.rows = N, .cols = COLS, .x = x};
  const int row[2] = {11, 2};
  const mk_control control = {.max_time = INFINITY};
  fill_wide(x, 0.0);
  for (size_t k = 0; k < COLS; k++) {
    double off = x[k * N + 11] - x[k * N + 2];
    scale[k] = k % 2 ? 2.0 : 0.5;
    d += off / scale[k] * off / scale[k];
  }
  CHECK(mk_view_distances(&view, row, 2, scale, &control, out) == MK_OK);
  CHECK_NEAR(out[1] / d, 1.0, 1e-12);
  CHECK(out[0] == 0.0 && out[3] == 0.0 && out[1] == out[2]);
  mk_free(x);
  mk_free(scale);
}

/* Base blocks of either precision, for runs and lists of columns. */
static void check_bases(const mk_kernel_set *set, const double *x, const mk_control *control) {
  int rows[N];
  for (int i = 0; i < N; i++) rows[i] = N - 1 - i;
  for (int single = 0; single <= 1; single++) {
    mk_bases *bases;
    mk_scratch *scratch = mk_scratch_new(set);
    double value[N * N], worst = 0.0;
    mk_row out = {value, single};
    CHECK(mk_bases_new(&bases, set, single, control) == MK_OK);
    for (int list = 0; list <= 1; list++) {
      mk_samples others = list ? mk_list(rows, N) : mk_span(0, N);
      CHECK(mk_base_block(bases, 0, rows, N, &others, out, N, scratch) == MK_OK);
      for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
          double d = plain_distance(x, (size_t)rows[i], mk_sample(&others, j));
          worst = worse(worst, fabs(mk_row_at(out, i * N + j) - d));
        }
    }
    CHECK_NEAR(worst, 0.0, single ? 1e-4 : 1e-9);
    mk_bases_free(bases);
    mk_scratch_free(scratch);
  }
}

static void test_bases_read_kept_pairs(void) {
  double *x = MK_NEW(double, N *COLS);
  for (size_t p = 0; p < PATHS; p++) {
    mk_control control = {.max_time = INFINITY, .team = team, .blas = paths[p]};
    fill_wide(x, 0.0);
    mk_kernel_set *set = wide_set(x);
    size_t bytes = mk_set_bytes(set);
    check_bases(set, x, &control);
    CHECK(set->family[0].geometry != NULL && set->family[0].geometry->serve_linear);
    CHECK(mk_set_bytes(set) >= bytes + 2 * N * N * sizeof(double));
    CHECK(!mk_family_worth_storing(set, 0));
    mk_set_free(set);
  }
  mk_free(x);
}

/* Widths may follow from kept pairs. */
static void test_widths_follow_kept_pairs(void) {
  double *x = MK_NEW(double, N *COLS), out[4], value;
  const int row[2] = {11, 2};
  mk_control control = {.max_time = INFINITY, .team = team};
  fill_wide(x, 0.0);
  mk_kernel_set *set = wide_set(x);
  int kept = 0;
  CHECK(mk_kept_distances(set, 2, row, 2, &control, out, &kept) == MK_OK && kept);
  CHECK_NEAR(out[1] / plain_distance(x, 11, 2), 1.0, 1e-12);
  CHECK(out[0] == 0.0 && out[3] == 0.0 && out[1] == out[2]);
  CHECK(mk_set_width(set, 2, out[1]) == MK_OK);
  CHECK(mk_set_width(set, 3, 2.0 * out[1]) == MK_OK);
  CHECK(mk_set_width(set, 0, 1.0) == MK_BAD_ARGUMENT); /* linear */
  CHECK(mk_set_width(set, 2, 0.0) == MK_BAD_ARGUMENT);
  mk_samples column = mk_span(2, 1);
  mk_member_values(set, 3, 11, &column, &out[1], NULL, &value);
  CHECK_NEAR(value, exp(-0.5), 1e-12);
  mk_set_free(set);
  mk_free(x);
}

/* The trace of X X' and of the same centred, from what is kept of columns far from 0. */
static void test_moments_follow_kept_pairs(void) {
  double *x = MK_NEW(double, N *COLS), trace, spread, all = 0.0, centred = 0.0;
  mk_control control = {.max_time = INFINITY, .team = team};
  fill_wide(x, 10.0);
  for (size_t k = 0; k < COLS; k++) {
    double mean = 0.0;
    for (size_t i = 0; i < N; i++) mean += x[k * N + i] / N;
    for (size_t i = 0; i < N; i++) {
      all += x[k * N + i] * x[k * N + i];
      centred += (x[k * N + i] - mean) * (x[k * N + i] - mean);
    }
  }
  mk_kernel_set *set = wide_set(x);
  check_bases(set, x, &control);
  CHECK(set->family[0].geometry != NULL);
  mk_linear_moments(set, 0, NULL, &trace, &spread);
  CHECK_NEAR(trace / all, 1.0, 1e-12);
  CHECK_NEAR(spread / centred, 1.0, 1e-12);
  mk_set_free(set);
  mk_free(x);
}

/* Many equal samples, mostly zeros, few columns: other ways are better. */
static void test_pairs_are_kept_where_they_serve(void) {
  double *x = MK_NEW(double, N *COLS);
  mk_control control = {.max_time = INFINITY, .team = team};
  for (int kind = 0; kind < 3; kind++) {
    fill_wide(x, kind == 2 ? 1e4 : 0.0);
    for (size_t k = 0; k < N * COLS; k++) {
      if (kind == 0) x[k] = x[k / N * N + k % N % 2];
      if (kind == 1 && k % 10 != 0) x[k] = 0.0;
    }
    mk_kernel_set *set = wide_set(x);
    check_bases(set, x, &control);
    CHECK((set->family[0].geometry != NULL) == (kind == 2));
    CHECK(kind != 2 || !set->family[0].geometry->serve_linear);
    mk_set_free(set);
  }
  mk_free(x);
}

int main(void) {
  for (int threads = 1; threads <= 3; threads += 2) {
    RUN_TEAM(threads, test_products_agree_on_every_path);
    RUN_TEAM(threads, test_distances_follow_the_definition);
    RUN_TEAM(threads, test_distances_of_some_samples);
    RUN_TEAM(threads, test_bases_read_kept_pairs);
    RUN_TEAM(threads, test_widths_follow_kept_pairs);
    RUN_TEAM(threads, test_pairs_are_kept_where_they_serve);
  }
  RUN_TEAM(2, test_moments_follow_kept_pairs);
  RUN(test_the_choice_is_made_once_and_not_for_children);
  return REPORT();
}
