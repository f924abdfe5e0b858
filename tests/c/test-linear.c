/* Linear kernels by feature weights, beside a Gaussian on the same features: sums over more samples
 * than one batch has, and the bound of roundings in a value. */
#include "exact/expansion-direct.h"
#include "base/memory.h"
#include "check.h"
#include "data.h"
#include "team.h"
#include "exact/expansion-units.h"

#define N 1500
#define COLS 3
#define TASKS 2

/* f = X X'alpha, which X'alpha makes quick: alpha of all samples, of two tasks. */
static void test_sums_of_many_samples(void) {
  const double theta[2] = {2.0, 0.0};
  double *x = MK_NEW(double, N *COLS), *alpha = MK_NEW(double, N *TASKS), forms[2];
  double *value = MK_NEW(double, N *TASKS), w[TASKS][COLS] = {{0.0}}, worst = 0.0, square = 0.0;
  int *sample = MK_NEW(int, N), wanted[2] = {1, 0};
  mk_kernel_set *set;
  data_fill(N * COLS, x);
  data_fill(N * TASKS, alpha);
  for (int i = 0; i < N; i++) sample[i] = i;
  const mk_view view = {.rows = N, .cols = COLS, .x = x};
  const mk_kernel_spec spec[2] = {{.type = MK_LINEAR}, {.type = MK_GAUSSIAN, .width = 1.0}};
  mk_control control = {.max_time = INFINITY, .team = team, .start = mk_seconds()};
  CHECK(mk_set_new(&set, N, &view, 1, spec, 2, NULL) == MK_OK);
  mk_expansion ask = {.set = set,
                      .sample = sample,
                      .support = N,
                      .count = N,
                      .tasks = TASKS,
                      .alpha = alpha,
                      .theta = theta,
                      .value = value,
                      .forms = forms,
                      .wanted = wanted};
  CHECK(mk_expand(&ask, &control) == MK_OK);
  for (size_t t = 0; t < TASKS; t++)
    for (size_t j = 0; j < COLS; j++) {
      for (size_t i = 0; i < N; i++) w[t][j] += alpha[t * N + i] * x[j * N + i];
      square += w[t][j] * w[t][j];
    }
  for (size_t t = 0; t < TASKS; t++)
    for (size_t i = 0; i < N; i++) {
      double f = 0.0;
      for (size_t j = 0; j < COLS; j++) f += theta[0] * w[t][j] * x[j * N + i];
      worst = worse(worst, fabs(value[t * N + i] - f));
    }
  CHECK_NEAR(worst, 0.0, 1e-10);
  CHECK_NEAR(forms[0] / square, 1.0, 1e-12);
  mk_set_free(set);
  mk_free(x);
  mk_free(alpha);
  mk_free(value);
  mk_free(sample);
}

/* A product of sparse rows has as many terms as the longest has entries: here sample i has i + 1
 * of 5 columns. Of a kernel on fewer columns it has no more than these. */
static void test_roundings_of_sparse_rows(void) {
  int start[6] = {0}, row[15], used[3] = {0, 1, 2}, entries = 0;
  double value[15];
  for (int j = 0; j < 5; j++) {
    for (int i = j; i < 5; i++) {
      row[entries] = i;
      value[entries++] = 1.0;
    }
    start[j + 1] = entries;
  }
  const mk_view view = {.rows = 5, .cols = 5, .start = start, .row = row, .value = value};
  const mk_kernel_spec spec[4] = {
      {.type = MK_LINEAR},
      {.type = MK_GAUSSIAN, .width = 1.0},
      {.type = MK_LINEAR, .features = used, .feature_count = 3},
      {.type = MK_GAUSSIAN, .width = 1.0, .features = used, .feature_count = 3}};
  mk_kernel_set *set;
  CHECK(mk_set_new(&set, 5, &view, 1, spec, 4, NULL) == MK_OK);
  mk_expansion ask = {.raw = 1};
  const mk_expansion_job job = {.set = set, .ask = &ask};
  CHECK(mk_expands_by_features(&job, 0) && !mk_expands_by_features(&job, 1));
  CHECK(mk_value_units(set, 0, 0.0) == MK_SUM_UNITS + 5.0);
  CHECK(mk_value_units(set, 2, 0.0) == MK_SUM_UNITS + 3.0);
  mk_set_free(set);
}

int main(void) {
  for (int threads = 1; threads <= 3; threads += 2) RUN_TEAM(threads, test_sums_of_many_samples);
  RUN(test_roundings_of_sparse_rows);
  return REPORT();
}
