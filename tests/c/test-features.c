/* Linear kernels as feature blocks: passes over the columns, models of their rows, exact values and
 * Gram rows, against matrices by the plain definition. */
#include "kernel/constants.h"
#include "base/memory.h"
#include "check.h"
#include "data.h"
#include "exact/exact.h"
#include "kernel/features.h"
#include "rows/gram.h"
#include "optimizer/interleaved.h"
#include "optimizer/optimizers.h"
#include "team.h"
#include "exact/exact-features.h"
#include "rows/column-model.h"
#include "rows/feature-pass.h"
#include "rows/base-block.h"
#include "rows/column-store.h"

#include <string.h>

#define N 61
#define DENSE 40
#define SPARSE 25
#define SETS 10
#define SET_SIZE 6
#define LINEAR (DENSE + SPARSE + SETS + 1)
#define KERNELS (LINEAR + 2) /* and a Gaussian, and a matrix */
#define TASKS 2

typedef struct blocks {
  double dense[N * DENSE], sparse[N * SPARSE]; /* the sparse view, filled up */
  int start[SPARSE + 1], row[N * SPARSE];
  double value[N * SPARSE], matrix[N * N];
  int column[DENSE > SPARSE ? DENSE : SPARSE], member[SETS][SET_SIZE];
  double k[KERNELS][N * N]; /* normalised, by definition */
  double alpha[TASKS][N], theta[KERNELS];
  mk_kernel_set *set;
} blocks;

static mk_control plain_control(void) {
  return (mk_control){.tol = 1e-6,
                      .max_time = INFINITY,
                      .max_iter = INFINITY,
                      .cache = MK_DEFAULT_CACHE,
                      .team = team,
                      .working_set = 1,
                      .start = mk_seconds()};
}

static int is_centred(size_t m) {
  return m % 3 == 1;
}

/* Sum over the columns of the products, less the means where centred. */
static void define_linear(blocks *b, size_t m, const mk_kernel_spec *spec, double scale) {
  const double *x = spec->view == 0 ? b->dense : b->sparse;
  size_t count = spec->features != NULL ? spec->feature_count : spec->view == 0 ? DENSE : SPARSE;
  for (size_t c = 0; c < count; c++) {
    const double *column = x + (spec->features != NULL ? (size_t)spec->features[c] : c) * N;
    double mean = 0.0;
    for (size_t i = 0; is_centred(m) && i < N; i++) mean += column[i] / N;
    for (size_t i = 0; i < N; i++)
      for (size_t j = 0; j < N; j++)
        b->k[m][i * N + j] += scale * (column[i] - mean) * (column[j] - mean);
  }
}

static void fill_views(blocks *b) {
  int entries = 0;
  for (size_t i = 0; i < N * DENSE; i++) b->dense[i] = data_next() + 0.4;
  for (int j = 0; j < SPARSE; j++) {
    b->start[j] = entries;
    for (int i = 0; i < N; i++)
      if (data_next() > 0.5) {
        b->row[entries] = i;
        b->value[entries] = 1.0 + data_next();
        b->sparse[j * N + i] = b->value[entries++];
      }
  }
  b->start[SPARSE] = entries;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) b->matrix[i + j * N] = b->dense[i] * b->dense[j] + (i == j);
}

static void fill_specs(blocks *b, mk_kernel_spec *spec) {
  for (int j = 0; j < DENSE; j++) b->column[j] = j;
  size_t m = 0;
  for (int j = 0; j < DENSE; j++)
    spec[m++] = (mk_kernel_spec){
        .type = MK_LINEAR, .view = 0, .features = &b->column[j], .feature_count = 1};
  for (int j = 0; j < SPARSE; j++)
    spec[m++] = (mk_kernel_spec){
        .type = MK_LINEAR, .view = 1, .features = &b->column[j], .feature_count = 1};
  for (int s = 0; s < SETS; s++) {
    for (int c = 0; c < SET_SIZE; c++) b->member[s][c] = s + c * (1 + s % 3);
    spec[m++] = (mk_kernel_spec){
        .type = MK_LINEAR, .view = s % 2, .features = b->member[s], .feature_count = SET_SIZE};
  }
  spec[m++] = (mk_kernel_spec){.type = MK_LINEAR, .view = 1};
  spec[m++] = (mk_kernel_spec){.type = MK_GAUSSIAN, .view = 0, .width = 8.0};
  spec[m++] = (mk_kernel_spec){.type = MK_PRECOMPUTED, .view = -1, .matrix = b->matrix};
}

static blocks *blocks_new(void) {
  blocks *b = MK_NEW0(blocks, 1);
  mk_kernel_spec spec[KERNELS];
  fill_views(b);
  fill_specs(b, spec);
  const mk_view views[2] = {
      {.rows = N, .cols = DENSE, .x = b->dense},
      {.rows = N, .cols = SPARSE, .start = b->start, .row = b->row, .value = b->value}};
  CHECK(mk_set_new(&b->set, N, views, 2, spec, KERNELS, NULL) == MK_OK);
  for (size_t m = 0; m < LINEAR; m++) {
    double scale = 0.5 + fabs(data_next());
    CHECK(mk_linear_normalize(b->set, m, scale, is_centred(m), N, NULL) == MK_OK);
    define_linear(b, m, &spec[m], scale);
  }
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < N; j++) {
      double d = 0.0;
      for (size_t c = 0; c < DENSE; c++) d += pow(b->dense[c * N + i] - b->dense[c * N + j], 2.0);
      b->k[LINEAR][i * N + j] = exp(-d / 8.0);
      b->k[LINEAR + 1][i * N + j] = b->matrix[i * N + j];
    }
  for (size_t t = 0; t < TASKS; t++) data_fill(N, b->alpha[t]); /* sums that are not zero */
  for (size_t m = 0; m < KERNELS; m++) b->theta[m] = m % 7 == 3 ? 0.0 : fabs(data_next());
  return b;
}

static void blocks_free(blocks *b) {
  mk_set_free(b->set);
  mk_free(b);
}

/* out = K alpha */
static void times(const double *k, const double *alpha, double *out) {
  for (size_t i = 0; i < N; i++) {
    out[i] = 0.0;
    for (size_t j = 0; j < N; j++) out[i] += k[i * N + j] * alpha[j];
  }
}

static double form(const double *k, const double *alpha) {
  double out[N], sum = 0.0;
  times(k, alpha, out);
  for (size_t i = 0; i < N; i++) sum += out[i] * alpha[i];
  return sum;
}

/* The mixture of the linear kernels, or of all. */
static void mix(const blocks *b, size_t kernels, double *out) {
  memset(out, 0, N * N * sizeof(double));
  for (size_t m = 0; m < kernels; m++)
    for (size_t i = 0; i < N * N; i++) out[i] += b->theta[m] * b->k[m][i];
}

static void test_linear_kernels_become_the_last_family(void) {
  blocks *b = blocks_new();
  size_t last = mk_set_families(b->set) - 1;
  CHECK(mk_set_explicit(b->set));
  CHECK(mk_family_explicit(b->set, last) && !mk_family_explicit(b->set, 0));
  CHECK(mk_features_count(b->set) == LINEAR);
  CHECK(mk_set_column_ids(b->set) == DENSE + SPARSE);
  for (size_t k = 0; k < LINEAR; k++) CHECK(mk_family_member(b->set, last, k) == k);
  blocks_free(b);
}

static void test_passes_are_products_with_columns(void) {
  blocks *b = blocks_new();
  double slots[TASKS][DENSE + SPARSE], response[TASKS][N], s[KERNELS], k[N * N], truth[N];
  double *alpha[TASKS], *g[TASKS], *out[TASKS];
  mk_column_weights weights;
  mk_control control = plain_control();
  for (size_t t = 0; t < TASKS; t++) {
    alpha[t] = b->alpha[t];
    g[t] = slots[t];
    out[t] = response[t];
  }
  CHECK(mk_column_weights_new(&weights, b->set) == MK_OK);
  mk_column_weights_fill(&weights, b->set, b->theta);
  mk_pass pass = {.tasks = TASKS, .alpha = alpha, .g = g, .weights = &weights, .response = out};
  mix(b, LINEAR, k);
  CHECK(mk_features_pass(b->set, &pass, &control) == MK_OK);
  for (size_t t = 0; t < TASKS; t++) {
    times(k, alpha[t], truth);
    CHECK_NEAR(data_distance(N, response[t], truth), 0.0, 1e-10);
  }
  s[LINEAR] = -3.0;
  mk_features_forms(b->set, &pass, s);
  CHECK(s[LINEAR] == -3.0); /* others are left alone */
  for (size_t m = 0; m < LINEAR; m++)
    CHECK_NEAR(s[m], form(b->k[m], alpha[0]) + form(b->k[m], alpha[1]), 1e-10);
  for (size_t j = 0; j < LINEAR; j++) {
    size_t m = mk_features_member(b->set, &pass, j, response[0]);
    times(b->k[m], alpha[0], truth);
    CHECK_NEAR(data_distance(N, response[0], truth), 0.0, 1e-10);
  }
  mk_column_weights_clear(&weights);
  blocks_free(b);
}

/* More columns than scratch holds at a time: samples come again and again. */
static void test_blocks_of_many_columns(void) {
  enum { WIDE = MK_BLOCK_COLS + 100 };
  blocks *b = blocks_new();
  double *k = MK_NEW(double, N *N), *out = MK_NEW(double, N *WIDE), worst = 0.0;
  int others[WIDE], rows[N];
  mk_column_model *model;
  mk_column_weights weights;
  mk_scratch *scratch = mk_scratch_new(b->set);
  for (int i = 0; i < N; i++) rows[i] = i;
  for (int j = 0; j < WIDE; j++) others[j] = j * 7 % N;
  mk_samples columns = mk_list(others, WIDE);
  CHECK(mk_column_weights_new(&weights, b->set) == MK_OK);
  CHECK(mk_column_model_new(&model, b->set) == MK_OK);
  mk_column_weights_fill(&weights, b->set, b->theta);
  mk_column_model_choose(model, &weights, 1000);
  mix(b, LINEAR, k);
  mk_column_model_block(model, 1, rows, N, &columns, out, WIDE, scratch);
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < WIDE; j++)
      worst = worse(worst, fabs(out[i * WIDE + j] - k[i * N + (size_t)others[j]]));
  CHECK_NEAR(worst, 0.0, 1e-10);
  mk_column_model_free(model);
  mk_column_weights_clear(&weights);
  mk_scratch_free(scratch);
  mk_free(k);
  mk_free(out);
  blocks_free(b);
}

/* Blocks, diagonal and stored values of all columns. */
static void test_a_model_of_all_columns_is_the_mixture(void) {
  blocks *b = blocks_new();
  double *k = MK_NEW(double, N *N), *out = MK_NEW(double, N *N), diagonal[N] = {0};
  mk_column_model *model;
  mk_column_weights weights;
  mk_scratch *scratch = mk_scratch_new(b->set);
  mk_control control = plain_control();
  int rows[N];
  for (int i = 0; i < N; i++) rows[i] = (i * 7) % N;
  mk_samples others = mk_list(rows, N);
  CHECK(mk_column_weights_new(&weights, b->set) == MK_OK);
  CHECK(mk_column_model_new(&model, b->set) == MK_OK);
  mk_column_weights_fill(&weights, b->set, b->theta);
  mk_column_model_choose(model, &weights, 1000);
  CHECK(mk_column_model_exact(model));
  /* not 0 where a product is rounded in one place and fused with a sum in another */
  CHECK_NEAR(mk_column_model_drift(model, &weights, &weights), 0.0, 1e-14);
  mix(b, LINEAR, k);
  for (int stored = 0; stored < 2; stored++) {
    if (stored) CHECK(mk_column_model_store(model, rows, N, scratch, &control) == MK_OK);
    memset(diagonal, 0, sizeof diagonal);
    mk_column_model_block(model, 1, rows, N, &others, out, N, scratch);
    CHECK((mk_column_model_stored(model) != NULL) == stored);
    if (stored) memcpy(out, mk_column_model_stored(model), sizeof(double) * N * N);
    mk_column_model_diagonal(model, rows, N, diagonal);
    for (int i = 0; i < N; i++) {
      CHECK_NEAR(diagonal[i], k[rows[i] * N + rows[i]], 1e-10);
      for (int j = 0; j < N; j++) out[i * N + j] -= k[rows[i] * N + rows[j]];
    }
    memset(diagonal, 0, sizeof diagonal);
    for (int i = 0; i < N; i++) CHECK_NEAR(data_distance(N, out + i * N, diagonal), 0.0, 1e-10);
  }
  mk_column_model_choose(model, &weights, 1000);
  CHECK(mk_column_model_stored(model) == NULL);
  mk_column_model_free(model);
  mk_column_weights_clear(&weights);
  mk_scratch_free(scratch);
  mk_free(k);
  mk_free(out);
  blocks_free(b);
}

/* Fewer columns with the mass of all: on the average over columns' places, the
 * size of the mixture stays. */
static void test_a_model_of_some_columns_has_the_mass_of_all(void) {
  blocks *b = blocks_new();
  double k[N * N], diagonal[N] = {0}, trace = 0.0, model_trace = 0.0, mean = 0.0;
  mk_column_model *model;
  mk_column_weights weights;
  int rows[N];
  for (int i = 0; i < N; i++) rows[i] = i;
  CHECK(mk_column_weights_new(&weights, b->set) == MK_OK);
  CHECK(mk_column_model_new(&model, b->set) == MK_OK);
  mk_column_weights_fill(&weights, b->set, b->theta);
  mk_column_model_choose(model, &weights, 40);
  CHECK(!mk_column_model_exact(model));
  mk_column_model_diagonal(model, rows, N, diagonal);
  mix(b, LINEAR, k);
  for (int i = 0; i < N; i++) {
    CHECK(diagonal[i] >= 0.0);
    trace += k[i * N + i];
    model_trace += diagonal[i];
    for (int j = 0; j < N; j++) mean += k[i * N + j] / N;
  }
  CHECK(fabs(model_trace - trace) < 0.3 * (trace - mean) + 0.3 * trace);
  mk_column_model_free(model);
  mk_column_weights_clear(&weights);
  blocks_free(b);
}

/* Stored values of some columns learn the true product with alphas, and stay symmetric and positive
 * definite; the diagonal follows. A product that contradicts them teaches nothing. */
static void test_stored_values_learn_a_product(void) {
  blocks *b = blocks_new();
  double *k = MK_NEW(double, N *N), truth[N], found[N], diagonal[N] = {0}, scratch[N], before = 0.0;
  const double *way = b->alpha[0];
  mk_column_model *model;
  mk_column_weights weights;
  mk_scratch *memory = mk_scratch_new(b->set);
  mk_control control = plain_control();
  int rows[N];
  for (int i = 0; i < N; i++) rows[i] = i;
  CHECK(mk_column_weights_new(&weights, b->set) == MK_OK);
  CHECK(mk_column_model_new(&model, b->set) == MK_OK);
  mk_column_weights_fill(&weights, b->set, b->theta);
  mk_column_model_choose(model, &weights, 40);
  CHECK(mk_column_model_store(model, rows, N, memory, &control) == MK_OK);
  const double *stored = mk_column_model_stored(model);
  mix(b, LINEAR, k);
  times(k, way, truth);
  times(stored, way, found);
  CHECK(data_distance(N, found, truth) > 1e-3);
  mk_column_model_learn(model, way, truth, scratch);
  times(stored, way, found);
  CHECK_NEAR(data_distance(N, found, truth), 0.0, 1e-10);
  mk_column_model_diagonal(model, rows, N, diagonal);
  for (size_t i = 0; i < N; i++) {
    CHECK_NEAR(diagonal[i], stored[i * N + i], 0.0);
    for (size_t j = 0; j < i; j++) CHECK_NEAR(stored[i * N + j], stored[j * N + i], 1e-12);
  }
  CHECK(form(stored, b->alpha[1]) > 0.0);
  for (size_t i = 0; i < N; i++) truth[i] = -truth[i];
  before = stored[1];
  mk_column_model_learn(model, way, truth, scratch);
  CHECK(stored[1] == before);
  mk_column_model_free(model);
  mk_column_weights_clear(&weights);
  mk_scratch_free(memory);
  mk_free(k);
  blocks_free(b);
}

static void test_exact_features_judge_by_definition(void) {
  blocks *b = blocks_new();
  double decision[TASKS * N], forms[KERNELS] = {0}, alpha[TASKS * N], truth[N], k[N * N];
  mk_control control = plain_control();
  memcpy(alpha, b->alpha, sizeof alpha);
  for (size_t i = 0; i < TASKS * N; i++) decision[i] = 1.0; /* is added to */
  double slack[TASKS] = {0}, form_slack[KERNELS] = {0};
  mk_exact_ask ask = {b->set, b->theta, alpha, TASKS, 0, decision, forms, slack, form_slack, NULL};
  CHECK(mk_exact_features(&ask, &control) == MK_OK);
  mix(b, LINEAR, k);
  for (size_t t = 0; t < TASKS; t++) {
    times(k, b->alpha[t], truth);
    for (size_t i = 0; i < N; i++) truth[i] += 1.0;
    CHECK_NEAR(data_distance(N, decision + t * N, truth), 0.0, 1e-10);
  }
  for (size_t m = 0; m < KERNELS; m++)
    CHECK_NEAR(forms[m], m < LINEAR ? form(b->k[m], b->alpha[0]) + form(b->k[m], b->alpha[1]) : 0.0,
               1e-10);
  blocks_free(b);
}

/* Rows, responses and forms of the mixture of all kinds. */
static void test_gram_rows_mix_columns_with_other_kernels(void) {
  blocks *b = blocks_new();
  double *k = MK_NEW(double, N *N), s[KERNELS], *u = MK_NEW(double, N *KERNELS), truth[N];
  double response[N], *out[1] = {response}, *alpha[1] = {b->alpha[0]};
  mk_control control = plain_control();
  mk_gram *gram;
  mk_alphas alphas = {1, alpha};
  mk_status status = MK_OK;
  int all[N];
  for (int i = 0; i < N; i++) all[i] = i;
  CHECK(mk_gram_new(&gram, b->set, 0, 1, &control) == MK_OK);
  CHECK(mk_gram_extend(gram, all, N) == MK_OK);
  CHECK(mk_gram_mix(gram, b->theta) == MK_OK);
  CHECK(!mk_gram_is_approximate(gram));
  mix(b, KERNELS, k);
  for (int i = 0; i < N; i++) {
    mk_row row = mk_gram_row(gram, (size_t)i, &status);
    CHECK(status == MK_OK);
    CHECK_NEAR(data_distance(N, row.at, k + i * N), 0.0, 1e-8);
    CHECK_NEAR(mk_gram_diagonal(gram)[i], k[i * N + i], 1e-8);
  }
  times(k, b->alpha[0], truth);
  CHECK(mk_gram_response(gram, &alphas, out) == MK_OK);
  CHECK_NEAR(data_distance(N, response, truth), 0.0, 1e-8);
  CHECK(mk_gram_forms(gram, &alphas, s) == MK_OK);
  for (size_t m = 0; m < KERNELS; m++) CHECK_NEAR(s[m], form(b->k[m], b->alpha[0]), 1e-8);
  CHECK(mk_gram_member_responses(gram, b->alpha[0], all, N, u) == MK_OK);
  for (size_t m = 0; m < KERNELS; m++) {
    times(b->k[m], b->alpha[0], truth);
    for (size_t i = 0; i < N; i++) truth[i] -= u[i * KERNELS + m];
    memset(response, 0, sizeof response);
    CHECK_NEAR(data_distance(N, truth, response), 0.0, 1e-8);
  }
  mk_gram_free(gram);
  mk_free(k);
  mk_free(u);
  blocks_free(b);
}

static void test_a_subset_has_the_same_values(void) {
  blocks *b = blocks_new();
  int few[] = {3, 4, 50, 67, LINEAR - 1, LINEAR, LINEAR + 1}, many[KERNELS - 1];
  for (int m = 0; m < KERNELS - 1; m++) many[m] = m + 1;
  for (int round = 0; round < 2; round++) { /* too few for feature blocks, and enough */
    const int *list = round ? many : few;
    size_t count = round ? KERNELS - 1 : sizeof few / sizeof *few;
    mk_kernel_set *subset;
    CHECK(mk_set_subset(&subset, b->set, list, count, team) == MK_OK);
    CHECK(mk_set_kernels(subset) == count);
    mk_exact *exact = mk_exact_new(subset);
    mk_samples all = mk_span(0, N);
    double value[N];
    for (size_t f = 0; f < mk_set_families(subset); f++)
      for (size_t k = 0; k < mk_family_size(subset, f); k++) {
        size_t m = mk_family_member(subset, f, k);
        for (int i = 0; i < N; i += 9) {
          CHECK(mk_exact_block(exact, f, &i, 1, &all) == MK_OK);
          mk_exact_values(exact, m, 0, value);
          CHECK_NEAR(data_distance(N, value, b->k[list[m]] + i * N), 0.0, 1e-9);
        }
      }
    mk_exact_free(exact);
    mk_set_free(subset);
  }
  blocks_free(b);
}

/* ---- fits ---- */

#define WIDE 2600 /* more columns than are solved for at once */

/* p near 1 by an active set of kernels, against all of them at once. */
static void test_an_active_set_of_kernels_finds_the_same(void) {
  double *x = MK_NEW(double, N *WIDE), linear[N], lower[N], upper[N];
  int *column = MK_NEW(int, WIDE);
  mk_kernel_spec *spec = MK_NEW0(mk_kernel_spec, WIDE);
  mk_kernel_set *set;
  mk_start nothing = {.theta = NULL};
  data_fill(N * WIDE, x);
  for (int i = 0; i < N; i++) {
    linear[i] = x[i] + 0.6 * x[N + i] + 0.4 * data_next() > 0.0 ? 1.0 : -1.0;
    lower[i] = fmin(0.0, 0.5 * linear[i]);
    upper[i] = fmax(0.0, 0.5 * linear[i]);
  }
  for (int j = 0; j < WIDE; j++) {
    column[j] = j;
    spec[j] =
        (mk_kernel_spec){.type = MK_LINEAR, .features = &column[j], .feature_count = 1, .view = 0};
  }
  mk_view view = {.rows = N, .cols = WIDE, .x = x};
  CHECK(mk_set_new(&set, N, &view, 1, spec, WIDE, NULL) == MK_OK);
  const double ps[] = {1.0, 1.01};
  for (int k = 0; k < 2; k++) {
    mk_problem problem = {.set = set,
                          .n = N,
                          .tasks = 1,
                          .norm = mk_lp(ps[k]),
                          .linear = linear,
                          .lower = lower,
                          .upper = upper};
    mk_control control = plain_control();
    mk_solution some, all;
    control.tol = 1e-4;
    CHECK(mk_solution_new(&some, &problem) == MK_OK && mk_solution_new(&all, &problem) == MK_OK);
    CHECK(mk_optimize(MK_INTERLEAVED, &problem, &control, NULL, &some) == MK_OK);
    CHECK(mk_interleaved(&problem, &control, &nothing, &all) == MK_OK);
    CHECK(some.gap <= 1e-4 && all.gap <= 1e-4);
    CHECK_NEAR(some.primal, all.primal, 2e-4 * all.primal);
    control.max_iter = 2.0;
    mk_solution short_one;
    CHECK(mk_solution_new(&short_one, &problem) == MK_OK);
    CHECK(mk_optimize(MK_INTERLEAVED, &problem, &control, NULL, &short_one) == MK_ITERATION_LIMIT);
    CHECK(isfinite(short_one.gap) && short_one.iterations <= 2.0);
    mk_start start = {.theta = some.theta, .alpha = some.alpha};
    control.max_iter = INFINITY;
    CHECK(mk_optimize(MK_INTERLEAVED, &problem, &control, &start, &all) == MK_OK);
    CHECK(all.gap <= 1e-4);
    mk_solution_clear(&some);
    mk_solution_clear(&all);
    mk_solution_clear(&short_one);
  }
  mk_set_free(set);
  mk_free(spec);
  mk_free(column);
  mk_free(x);
}

int main(void) {
  RUN_TEAM(2, test_linear_kernels_become_the_last_family);
  RUN_TEAM(2, test_passes_are_products_with_columns);
  RUN(test_blocks_of_many_columns);
  RUN_TEAM(2, test_a_model_of_all_columns_is_the_mixture);
  RUN_TEAM(2, test_a_model_of_some_columns_has_the_mass_of_all);
  RUN(test_stored_values_learn_a_product);
  RUN_TEAM(2, test_exact_features_judge_by_definition);
  RUN_TEAM(2, test_gram_rows_mix_columns_with_other_kernels);
  RUN_TEAM(2, test_a_subset_has_the_same_values);
  RUN_TEAM(2, test_an_active_set_of_kernels_finds_the_same);
  return REPORT();
}
