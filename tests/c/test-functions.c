/* Function kernels: the threads that may call them, without an effect on values; products of
 * kernels and the bounds of their errors. */
#include "base/sum.h"
#include "check.h"
#include "data.h"
#include "exact/expansion.h"
#include "exact/kernel-product.h"
#include "long-double.h"
#include "normalize/normalize.h"
#include "rows/gram.h"
#include "team.h"

#include <stdatomic.h>
#include <string.h>

#define N 700 /* several strips and blocks */

/* Counts the calls that come from threads that didn't call the core. */
static atomic_int strangers;

static int by_distance(void *data, const int *rows, size_t row_count, const int *cols,
                       size_t col_count, double *out) {
  if (!mk_team_leads(data)) atomic_fetch_add(&strangers, 1);
  for (size_t c = 0; c < col_count; c++)
    for (size_t r = 0; r < row_count; r++) {
      int apart = rows[r] - cols[c];
      out[c * row_count + r] = 1.0 / (1.0 + 0.01 * apart * apart);
    }
  return 0;
}

typedef struct answers {
  double scale, value[N], form, row[N], response[N], inside[2 * N];
} answers;

static void ask_gram(const mk_kernel_set *set, double *alpha, answers *out) {
  mk_control control = {
      .max_time = INFINITY, .cache = 16 << 20, .team = team, .start = mk_seconds()};
  int sample[N];
  double theta = 1.0, s, *to = out->inside, *outside = out->response;
  mk_alphas alphas = {1, &alpha};
  mk_status status = MK_OK;
  mk_gram *gram;
  for (int i = 0; i < N; i++) sample[i] = i;
  CHECK(mk_gram_new(&gram, set, 0, 1, &control) == MK_OK);
  CHECK(mk_gram_extend(gram, sample, N - 100) == MK_OK);
  CHECK(mk_gram_mix(gram, &theta) == MK_OK);
  CHECK(mk_gram_forms(gram, &alphas, &s) == MK_OK);
  CHECK(mk_gram_response(gram, &alphas, &to) == MK_OK);
  CHECK(mk_gram_response_outside(gram, &alphas, &outside) == MK_OK);
  mk_row row = mk_gram_row(gram, 3, &status);
  CHECK(status == MK_OK);
  for (size_t j = 0; j < N - 100; j++) out->row[j] = mk_row_at(row, j);
  mk_gram_free(gram);
}

static answers ask(int thread_safe) {
  answers out = {0};
  mk_kernel_spec spec = {.type = MK_FUNCTION, .view = -1, .function = by_distance};
  mk_control control = {.max_time = INFINITY, .team = team, .start = mk_seconds()};
  mk_constants constants = {.scaling = MK_SCALE_MULTIPLICATIVE, .centred = 1, .scale = 1.0};
  double mean[N], alpha[N] = {0}, theta = 1.0;
  int sample[N];
  mk_kernel_set *set;
  spec.function_data = team;
  spec.thread_safe = thread_safe;
  constants.mean = mean;
  for (int i = 0; i < N; i++) sample[i] = i;
  for (int i = 0; i < N - 100; i++) alpha[i] = i % 3 - 1.0;
  CHECK(mk_set_new(&set, N, NULL, 0, &spec, 1, team) == MK_OK);
  CHECK(mk_family_serial(set, 0) == !thread_safe && mk_set_calls_back(set) == !thread_safe);
  CHECK(mk_normalize_fit(set, &constants, NULL, &control) == MK_OK);
  out.scale = constants.scale;
  mk_expansion expansion = {.set = set,
                            .sample = sample,
                            .support = N - 100,
                            .count = N,
                            .tasks = 1,
                            .alpha = alpha,
                            .theta = &theta,
                            .value = out.value,
                            .forms = &out.form};
  CHECK(mk_expand(&expansion, &control) == MK_OK);
  ask_gram(set, alpha, &out);
  mk_set_free(set);
  return out;
}

static double furthest(const answers *a, const answers *b) {
  const double *x = &a->scale, *y = &b->scale;
  double most = 0.0;
  for (size_t k = 0; k < sizeof *a / sizeof *x; k++)
    most = fmax(most, fabs(x[k] - y[k]) / (1.0 + fabs(x[k])));
  return most;
}

static void test_threads_call_those_that_allow_it(void) {
  atomic_store(&strangers, 0);
  answers alone = ask(0), shared;
  CHECK(atomic_load(&strangers) == 0);
  /* a busy machine's threads may come late */
  double latest = mk_seconds() + 30.0;
  while (atomic_load(&strangers) == 0 && mk_seconds() < latest) {
    shared = ask(1);
    CHECK_NEAR(furthest(&alone, &shared), 0.0, 1e-10);
  }
#ifdef _OPENMP
  CHECK(atomic_load(&strangers) > 0);
#else
  CHECK(atomic_load(&strangers) == 0);
#endif
}

#define ROWS 300 /* more than a block has */
#define COLS 5

/* <x, z> (<x, z> / 2 + 1)^2 exp(-|x - z|^2 / 9) in twice the precision. */
static long double plain_product(const double *x, size_t i, size_t j) {
  long double product = 0.0L, distance = 0.0L;
  for (size_t k = 0; k < COLS; k++) {
    long double a = x[k * ROWS + i], b = x[k * ROWS + j];
    product += a * b;
    distance += (a - b) * (a - b);
  }
  return product * (0.5L * product + 1.0L) * (0.5L * product + 1.0L) * expl(-distance / 9.0L);
}

/* Sparse parts have the columns of the view without 0. */
static void check_product(int sparse) {
  static double x[ROWS * COLS], out[ROWS * ROWS], value[ROWS], slack[ROWS], alpha[ROWS];
  static int sample[ROWS], row[ROWS * COLS];
  int start[COLS + 1];
  data_fill(ROWS * COLS, x);
  for (size_t i = 0; i < ROWS; i++) x[i] += 300.0; /* what all rows have cancels in the sums */
  for (int k = 0; k <= COLS; k++) start[k] = k * ROWS;
  for (int e = 0; e < ROWS * COLS; e++) row[e] = e % ROWS;
  for (int i = 0; i < ROWS; i++) {
    sample[i] = i;
    alpha[i] = i % 2 == 0 ? 1.0 : -1.0;
  }
  mk_view view = {.rows = ROWS, .cols = COLS, .x = x};
  if (sparse) view = (mk_view){.rows = ROWS, .cols = COLS, .start = start, .row = row, .value = x};
  const mk_kernel_spec part[3] = {{.type = MK_LINEAR},
                                  {.type = MK_POLYNOMIAL, .degree = 2, .scale = 0.5, .offset = 1.0},
                                  {.type = MK_GAUSSIAN, .width = 9.0}};
  mk_kernel_spec spec = {
      .type = MK_FUNCTION, .view = -1, .function = mk_product_values, .thread_safe = 1};
  mk_control control = {.max_time = INFINITY, .team = team, .start = mk_seconds()};
  mk_kernel_set *parts, *set;
  double theta = 1.0, form, form_slack = 0.0, worst = 0.0;
  CHECK(mk_set_new(&parts, ROWS, &view, 1, part, 3, team) == MK_OK);
  spec.function_data = parts;
  CHECK(mk_product_rounding(parts, &spec.value_units, &spec.magnitude) == MK_OK);
  CHECK(mk_product_values(parts, sample, ROWS, sample, ROWS, out) == 0);
  double unit = 4.0 * sqrt(spec.value_units) * MK_UNIT * spec.magnitude;
  for (size_t j = 0; j < ROWS; j++)
    for (size_t i = 0; i < ROWS; i++)
      worst = fmax(worst, fabs((double)(out[j * ROWS + i] - plain_product(x, i, j))) / unit);
  CHECK(worst <= 1.0 && worst > 0.0);
  CHECK(mk_set_new(&set, ROWS, NULL, 0, &spec, 1, team) == MK_OK);
  memset(slack, 0, sizeof slack);
  mk_expansion ask = {.set = set,
                      .sample = sample,
                      .support = ROWS,
                      .count = ROWS,
                      .tasks = 1,
                      .alpha = alpha,
                      .theta = &theta,
                      .value = value,
                      .forms = &form,
                      .value_slack = slack,
                      .form_slack = &form_slack};
  CHECK(mk_expand(&ask, &control) == MK_OK);
  long double all = 0.0L;
  for (size_t i = 0; i < ROWS; i++) {
    long double sum = 0.0L;
    for (size_t j = 0; j < ROWS; j++) sum += alpha[j] * plain_product(x, i, j);
    all += alpha[i] * sum;
    CHECK(fabsl(value[i] - sum) <= slack[i] && slack[i] > 0.0);
  }
  CHECK(fabsl(form - all) <= form_slack);
  mk_set_free(set);
  mk_set_free(parts);
}

static void test_products_are_within_their_bounds(void) {
  check_product(0);
  check_product(1);
}

int main(void) {
  RUN_TEAM(2, test_products_are_within_their_bounds);
  RUN_TEAM(2, test_threads_call_those_that_allow_it);
  return REPORT();
}
