/* Function kernels: who may call them, and that it changes no value. */
#include "base/memory.h"
#include "check.h"
#include "exact/expansion.h"
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
  for (int again = 0; again < 200 && atomic_load(&strangers) == 0; again++) {
    shared = ask(1);
    CHECK_NEAR(furthest(&alone, &shared), 0.0, 1e-10);
  }
#ifdef _OPENMP
  CHECK(atomic_load(&strangers) > 0);
#else
  CHECK(atomic_load(&strangers) == 0);
#endif
}

int main(void) {
  RUN_TEAM(2, test_threads_call_those_that_allow_it);
  return REPORT();
}
