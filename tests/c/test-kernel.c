/* Kernel sets: exact values, bases, mixtures and sums against the plain definition. */
#include "rows/matrices.h"
#include "kernels.h"
#include "team.h"
#include "rows/mixture.h"
#include "rows/sums.h"
#include "kernel/constants.h"
#include "rows/base-block.h"
#include "rows/packed.h"

#include <float.h>

static void test_exact_values(void) {
  fixture *fx = fixture_new();
  double *k = MK_NEW(double, SAMPLES *SAMPLES);
  for (int m = 0; m < KERNELS; m++) {
    exact_matrix(fx, (size_t)m, k);
    double most = 0.0;
    for (int i = 0; i < SAMPLES; i++)
      for (int j = 0; j < SAMPLES; j++)
        most = worse(most, fabs(k[i * SAMPLES + j] - plain_kernel(fx, m, i, j)));
    CHECK_NEAR(most, 0.0, 1e-12);
  }
  mk_free(k);
  fixture_free(fx);
}

/* What precomputed kernels add to row i of the mixture. */
static void add_matrices(const mk_mixture *mixture, const fixture *fx, int i,
                         const mk_samples *others, mk_row out) {
  const double *weight = mk_mixture_weights(mixture);
  double shift[SAMPLES], values[SAMPLES], centre;
  if (mk_matrices_count(fx->set) == 0) return;
  centre = mk_matrices_centre(fx->set, weight, shift);
  for (int j = 0; j < SAMPLES; j++) values[j] = centre - shift[i] - shift[j];
  mk_matrices_mix(fx->set, weight, i, 0, SAMPLES, values);
  for (size_t c = 0; c < others->count; c++)
    mk_row_set(out, c, mk_row_at(out, c) + values[mk_sample(others, c)]);
}

/* Row i of the mixture over a list of columns, by way of the bases; how many calls failed. */
static int mixture_row(const mk_bases *bases, const mk_mixture *mixture, const fixture *fx, int i,
                       const mk_samples *others, mk_row out, mk_scratch *scratch) {
  double values[SAMPLES];
  mk_row base = {values, out.single}, none = {NULL, out.single};
  int failures = 0;
  for (size_t c = 0; c < others->count; c++) mk_row_set(out, c, NAN); /* is overwritten */
  for (size_t f = 0; f < mk_set_families(fx->set); f++) {
    int has = mk_family_has_base(fx->set, f);
    if (has) failures += mk_base_block(bases, f, &i, 1, others, base, SAMPLES, scratch) != MK_OK;
    mk_mixture_add(mixture, f, i, others, has ? base : none, out, scratch);
  }
  mk_mixture_centre(mixture, i, others, out, scratch);
  add_matrices(mixture, fx, i, others, out);
  return failures;
}

static void check_mixture_rows(int single, double within) {
  fixture *fx = fixture_new();
  double theta[KERNELS], values[SAMPLES], diagonal[SAMPLES], worst = 0.0, worst_diagonal = 0.0;
  double largest = 0.0;
  int order[SAMPLES], failures = 0;
  for (int m = 0; m < KERNELS; m++) theta[m] = m == 4 ? 0.0 : 0.2 + fabs(data_next());
  for (int i = 0; i < SAMPLES; i++) order[i] = SAMPLES - 1 - i;
  mk_mixture *mixture = mk_mixture_new(fx->set, single);
  mk_scratch *scratch = mk_scratch_new(fx->set);
  mk_bases *bases;
  mk_row row = {values, single};
  CHECK(mk_bases_new(&bases, fx->set, single, &(mk_control){.team = team}) == MK_OK);
  mk_mixture_compile(mixture, theta);
  mk_mixture_diagonal(mixture, order, SAMPLES, diagonal);
  for (int i = 0; i < SAMPLES; i++) {
    mk_samples others = mk_list(order, SAMPLES), run = mk_span(3, 11);
    failures += mixture_row(bases, mixture, fx, i, &others, row, scratch);
    for (int c = 0; c < SAMPLES; c++) {
      double truth = 0.0;
      for (int m = 0; m < KERNELS; m++) truth += theta[m] * plain_kernel(fx, m, i, order[c]);
      largest = fmax(largest, fabs(truth));
      worst = worse(worst, fabs(mk_row_at(row, (size_t)c) - truth));
      if (order[c] == i) worst_diagonal = worse(worst_diagonal, fabs(diagonal[c] - truth));
    }
    double part[11];
    mk_row other = {part, single};
    failures += mixture_row(bases, mixture, fx, i, &run, other, scratch);
    for (size_t c = 0; c < 11; c++)
      worst = worse(worst, fabs(mk_row_at(other, c) - mk_row_at(row, SAMPLES - 1 - (3 + c))));
  }
  CHECK(failures == 0);
  CHECK_NEAR(worst, 0.0, within * (single ? largest : 1.0)); /* Gaussians come from a table */
  CHECK_NEAR(worst_diagonal, 0.0, 1e-10);
  mk_scratch_free(scratch);
  mk_mixture_free(mixture);
  mk_bases_free(bases);
  fixture_free(fx);
}

static void test_mixture_rows(void) {
  check_mixture_rows(0, 1e-10);
}

static void test_mixture_rows_of_floats(void) {
  check_mixture_rows(1, 2e-6);
}

/* Sums are 0 again once they have been read or merged. */
static void check_empty(mk_sums *sums, size_t kernels) {
  double *sum = MK_NEW(double, kernels);
  mk_sums_read(&sums, 1, sum);
  for (size_t m = 0; m < kernels; m++) CHECK(sum[m] == 0.0);
  mk_free(sum);
}

static void check_sums_of_all_kernels(int single, double within) {
  fixture *fx = fixture_new();
  double weight[SAMPLES], values[SAMPLES], sum[KERNELS];
  mk_row base = {values, single};
  mk_bases *bases;
  mk_sums *sums = mk_sums_new(fx->set, single), *more = mk_sums_new(fx->set, single);
  mk_scratch *scratch = mk_scratch_new(fx->set);
  mk_samples all = mk_span(0, SAMPLES);
  double alpha[SAMPLES];
  int failures = 0;
  CHECK(mk_bases_new(&bases, fx->set, single, &(mk_control){.team = NULL}) == MK_OK);
  data_fill(SAMPLES, alpha);
  for (int i = 0; i < SAMPLES; i++) {
    for (int j = 0; j < SAMPLES; j++) weight[j] = alpha[i] * alpha[j];
    for (size_t f = 0; f < mk_set_families(fx->set); f++) {
      if (mk_family_has_base(fx->set, f))
        failures += mk_base_block(bases, f, &i, 1, &all, base, SAMPLES, scratch) != MK_OK;
      mk_sums_add(i % 2 ? sums : more, f, i, &all, base, weight, scratch);
    }
  }
  CHECK(failures == 0);
  mk_sums_merge(sums, more);
  mk_sums_read(&sums, 1, sum);
  for (int m = 0; m < KERNELS; m++) {
    double truth = 0.0;
    for (int i = 0; i < SAMPLES; i++)
      for (int j = 0; j < SAMPLES; j++) truth += alpha[i] * alpha[j] * plain_kernel(fx, m, i, j);
    CHECK_NEAR(sum[m], truth, within);
  }
  check_empty(sums, KERNELS);
  check_empty(more, KERNELS);
  mk_scratch_free(scratch);
  mk_sums_free(sums);
  mk_sums_free(more);
  mk_bases_free(bases);
  fixture_free(fx);
}

static void test_sums_of_all_kernels(void) {
  check_sums_of_all_kernels(0, 1e-9);
}

static void test_sums_of_floats(void) {
  check_sums_of_all_kernels(1, 1e-4);
}

/* What rows of floats add is exact at the distances that they hold. */
static void test_sums_of_floats_and_many_widths(void) {
  enum { WIDTHS = 30, N = 500 };
  float distance[N];
  double x[N], weight[N], sum[WIDTHS], spread = 1e4;
  mk_kernel_spec specs[WIDTHS];
  mk_kernel_set *set;
  mk_samples all = mk_span(0, N);
  data_fill(N, weight);
  for (int j = 0; j < N; j++) x[j] = spread * j / (N - 1);
  for (int m = 0; m < WIDTHS; m++)
    specs[m] = (mk_kernel_spec){.type = MK_GAUSSIAN, .width = pow(2.0, m - 2)};
  mk_view view = {.rows = N, .cols = 1, .x = x};
  CHECK(mk_set_new(&set, N, &view, 1, specs, WIDTHS, NULL) == MK_OK);
  mk_sums *sums = mk_sums_new(set, 1);
  mk_scratch *scratch = mk_scratch_new(set);
  for (int j = 0; j < N; j++) distance[j] = (float)(spread * spread * pow(0.96, j));
  mk_sums_add(sums, 0, 0, &all, (mk_row){distance, 1}, weight, scratch);
  mk_sums_read(&sums, 1, sum);
  for (int m = 0; m < WIDTHS; m++) {
    double truth = 0.0;
    for (int j = 0; j < N; j++) truth += weight[j] * exp(-(double)distance[j] / specs[m].width);
    CHECK_NEAR(sum[m], truth, 1e-11);
  }
  check_empty(sums, WIDTHS);
  mk_scratch_free(scratch);
  mk_sums_free(sums);
  mk_set_free(set);
}

/* Tabled Gaussians that are centred, under weights that don't sum to 0: what centring takes off a
 * sum vanishes wherever alphas do, as in fits with an offset. */
static void test_sums_of_centred_tables(void) {
  enum { WIDTHS = 6, N = 60 };
  double x[N], alpha[N], weight[N], distance[N], mean[WIDTHS][N], sum[WIDTHS];
  mk_kernel_spec specs[WIDTHS];
  mk_kernel_set *set;
  mk_samples all = mk_span(0, N);
  data_fill(N, x);
  for (int i = 0; i < N; i++) alpha[i] = 0.5 + fabs(data_next());
  for (int m = 0; m < WIDTHS; m++)
    specs[m] = (mk_kernel_spec){.type = MK_GAUSSIAN, .width = pow(2.0, m - 2)};
  mk_view view = {.rows = N, .cols = 1, .x = x};
  CHECK(mk_set_new(&set, N, &view, 1, specs, WIDTHS, NULL) == MK_OK);
  for (int m = 0; m < WIDTHS; m++) {
    double total = 0.0;
    memset(mean[m], 0, sizeof mean[m]);
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++)
        mean[m][i] += exp(-(x[i] - x[j]) * (x[i] - x[j]) / specs[m].width) / N;
      total += mean[m][i] / N;
    }
    CHECK(mk_set_normalization(set, (size_t)m, 1.5 + m, mean[m], total, NULL) == MK_OK);
  }
  mk_sums *sums = mk_sums_new(set, 0);
  mk_scratch *scratch = mk_scratch_new(set);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      weight[j] = alpha[i] * alpha[j];
      distance[j] = (x[i] - x[j]) * (x[i] - x[j]);
    }
    mk_sums_add(sums, 0, i, &all, (mk_row){distance, 0}, weight, scratch);
  }
  mk_sums_read(&sums, 1, sum);
  for (int m = 0; m < WIDTHS; m++) {
    double truth = 0.0, total = 0.0;
    for (int i = 0; i < N; i++) total += mean[m][i] / N;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        truth += alpha[i] * alpha[j] *
                 (exp(-(x[i] - x[j]) * (x[i] - x[j]) / specs[m].width) - mean[m][i] - mean[m][j] +
                  total);
    CHECK_NEAR(sum[m], (1.5 + m) * truth, 1e-8);
  }
  mk_scratch_free(scratch);
  mk_sums_free(sums);
  mk_set_free(set);
}

/* Packed columns, from any of them on, give what others give. */
static void check_packed(int single) {
  fixture *fx = fixture_new();
  double plain[2 * SAMPLES], block[2 * SAMPLES];
  int samples[SAMPLES], rows[2] = {4, SAMPLES - 1};
  mk_bases *bases;
  mk_packed *packed;
  mk_scratch *scratch = mk_scratch_new(fx->set);
  size_t from = 3, count = SAMPLES - 5, different = 0;
  for (int i = 0; i < SAMPLES; i++) samples[i] = SAMPLES - 1 - i;
  CHECK(mk_bases_new(&bases, fx->set, single, &(mk_control){.team = NULL}) == MK_OK);
  CHECK(mk_packed_new(&packed, bases, samples, SAMPLES) == MK_OK);
  mk_samples list = mk_list(samples + from, count);
  mk_samples others = mk_packed_samples(packed, from, count);
  for (size_t f = 0; f < mk_set_families(fx->set); f++) {
    if (!mk_family_has_base(fx->set, f)) continue;
    CHECK(mk_base_block(bases, f, rows, 2, &list, (mk_row){plain, single}, SAMPLES, scratch) ==
          MK_OK);
    CHECK(mk_base_block(bases, f, rows, 2, &others, (mk_row){block, single}, SAMPLES, scratch) ==
          MK_OK);
    for (size_t r = 0; r < 2; r++)
      different += memcmp(mk_row_from((mk_row){plain, single}, r * SAMPLES).at,
                          mk_row_from((mk_row){block, single}, r * SAMPLES).at,
                          count * mk_row_size(single)) != 0;
  }
  CHECK(different == 0);
  CHECK(mk_packed_bytes(packed) > SAMPLES * mk_row_size(single));
  mk_packed_free(packed);
  mk_packed_free(NULL);
  mk_scratch_free(scratch);
  mk_bases_free(bases);
  fixture_free(fx);
}

static void test_packed_columns(void) {
  check_packed(0);
  check_packed(1);
}

/* Many Gaussians are combinations of few, unless their widths are too far apart. */
static void check_many_widths(double first, double ratio) {
  enum { WIDTHS = 300, N = 40 };
  double x[N * 2], root[N], theta[WIDTHS], alpha[N], row[N], sum[WIDTHS], base[N];
  mk_kernel_spec specs[WIDTHS];
  mk_kernel_set *set;
  mk_bases *bases;
  mk_samples all = mk_span(0, N);
  mk_row out = {row, 0};
  data_fill(N * 2, x);
  data_fill(N, alpha);
  for (int i = 0; i < N; i++) root[i] = 1.0 + fabs(data_next());
  for (int m = 0; m < WIDTHS; m++) {
    theta[m] = m % 3 == 0 ? 0.0 : fabs(data_next());
    specs[m] = (mk_kernel_spec){.type = MK_GAUSSIAN, .width = first * pow(ratio, m)};
  }
  mk_view view = {.rows = N, .cols = 2, .x = x};
  CHECK(mk_set_new(&set, N, &view, 1, specs, WIDTHS, NULL) == MK_OK);
  CHECK(mk_set_normalization(set, 7, 3.0, NULL, 0.0, NULL) == MK_OK);
  CHECK(mk_set_normalization(set, 8, 1.0, NULL, 0.0, root) == MK_OK);
  CHECK(mk_bases_new(&bases, set, 0, &(mk_control){.team = NULL}) == MK_OK);
  mk_mixture *mixture = mk_mixture_new(set, 0);
  mk_sums *sums = mk_sums_new(set, 0);
  mk_scratch *scratch = mk_scratch_new(set);
  mk_mixture_compile(mixture, theta);
  double truth[WIDTHS] = {0}, worst = 0.0;
  for (int i = 0; i < N; i++) {
    CHECK(mk_base_block(bases, 0, &i, 1, &all, (mk_row){base, 0}, N, scratch) == MK_OK);
    mk_mixture_add(mixture, 0, i, &all, (mk_row){base, 0}, out, scratch);
    mk_sums_add(sums, 0, i, &all, (mk_row){base, 0}, alpha, scratch);
    for (int j = 0; j < N; j++) {
      double d = pow(x[i] - x[j], 2.0) + pow(x[N + i] - x[N + j], 2.0), mixed = 0.0;
      for (int m = 0; m < WIDTHS; m++) {
        double k = exp(-d / specs[m].width) * (m == 7 ? 3.0 : m == 8 ? root[i] * root[j] : 1.0);
        mixed += theta[m] * k;
        truth[m] += alpha[j] * k;
      }
      worst = worse(worst, fabs(row[j] - mixed));
    }
  }
  CHECK_NEAR(worst, 0.0, 3e-12); /* of some hundreds of kernels */
  mk_sums_read(&sums, 1, sum);
  CHECK(data_distance(WIDTHS, sum, truth) <= 3e-12);
  CHECK(mk_set_normalization(set, 6, 1.0, NULL, 0.0, root) == MK_BAD_ARGUMENT); /* tabled */
  mk_scratch_free(scratch);
  mk_sums_free(sums);
  mk_mixture_free(mixture);
  mk_bases_free(bases);
  mk_set_free(set);
}

static void test_many_widths(void) {
  check_many_widths(0.01, 1.03);  /* 13 octaves */
  check_many_widths(1e-6, 1.1);   /* 41: each has a table of its own */
  check_many_widths(2.0, 1.0001); /* hardly any difference */
  check_many_widths(2.0, 1.0);    /* none */
}

/* Mixtures of Gaussians as floats, from coarse tables and from those of doubles where distances
 * span too many octaves, against exponentials. */
static void check_float_mixture(double narrowest, double widest) {
  enum { N = 300, WIDTHS = 5 };
  double x[2 * N], theta[WIDTHS], worst = 0.0, total = 0.0;
  float row[N], base[N];
  mk_kernel_spec specs[WIDTHS];
  mk_samples all = mk_span(0, N);
  mk_kernel_set *set;
  mk_bases *bases;
  int first = 3;
  for (int m = 0; m < WIDTHS; m++) {
    double width = narrowest * pow(widest / narrowest, m / (WIDTHS - 1.0));
    specs[m] = (mk_kernel_spec){.type = MK_GAUSSIAN, .width = width};
    theta[m] = 0.1 + 0.2 * m;
    total += theta[m];
  }
  for (int i = 0; i < 2 * N; i++) x[i] = data_next();
  mk_view view = {.rows = N, .cols = 2, .x = x};
  CHECK(mk_set_new(&set, N, &view, 1, specs, WIDTHS, NULL) == MK_OK);
  CHECK(mk_bases_new(&bases, set, 1, &(mk_control){.team = NULL}) == MK_OK);
  mk_mixture *mixture = mk_mixture_new(set, 1);
  mk_scratch *scratch = mk_scratch_new(set);
  mk_mixture_compile(mixture, theta);
  CHECK(mk_base_block(bases, 0, &first, 1, &all, (mk_row){base, 1}, N, scratch) == MK_OK);
  mk_mixture_add(mixture, 0, first, &all, (mk_row){base, 1}, (mk_row){row, 1}, scratch);
  for (int i = 0; i < N; i++) {
    double sum = 0.0;
    for (int m = 0; m < WIDTHS; m++) sum += theta[m] * exp(-(double)base[i] / specs[m].width);
    worst = worse(worst, fabs((double)row[i] - sum));
  }
  CHECK_NEAR(worst, 0.0, 1e-6 * total);
  mk_scratch_free(scratch);
  mk_mixture_free(mixture);
  mk_bases_free(bases);
  mk_set_free(set);
}

static void test_mixtures_of_floats(void) {
  check_float_mixture(1.0, 100.0);
  check_float_mixture(0.1, 1e3);
  check_float_mixture(1e-3, 10.0);
  check_float_mixture(1e-7, 10.0); /* 27 octaves */
}

/* Rows of floats from a table hold no denormal numbers, with which everything takes long. */
static void test_faint_kernels(void) {
  enum { N = 400 };
  double x[N], theta[3] = {1.0, 0.0, 0.0};
  float row[N], base[N];
  const mk_kernel_spec specs[3] = {{.type = MK_GAUSSIAN, .width = 1.0},
                                   {.type = MK_GAUSSIAN, .width = 2.0},
                                   {.type = MK_GAUSSIAN, .width = 3.0}};
  mk_samples all = mk_span(0, N);
  mk_kernel_set *set;
  mk_bases *bases;
  int first = 0;
  for (int i = 0; i < N; i++) x[i] = 0.04 * i;
  mk_view view = {.rows = N, .cols = 1, .x = x};
  CHECK(mk_set_new(&set, N, &view, 1, specs, 3, NULL) == MK_OK);
  CHECK(mk_bases_new(&bases, set, 1, &(mk_control){.team = NULL}) == MK_OK);
  mk_mixture *mixture = mk_mixture_new(set, 1);
  mk_scratch *scratch = mk_scratch_new(set);
  mk_mixture_compile(mixture, theta);
  CHECK(mk_base_block(bases, 0, &first, 1, &all, (mk_row){base, 1}, N, scratch) == MK_OK);
  mk_mixture_add(mixture, 0, 0, &all, (mk_row){base, 1}, (mk_row){row, 1}, scratch);
  size_t denormal = 0, faint = 0;
  double worst = 0.0;
  for (int i = 0; i < N; i++) {
    denormal += row[i] != 0.0f && fabsf(row[i]) < FLT_MIN;
    faint += exp(-x[i] * x[i]) < FLT_MIN;
    worst = worse(worst, fabs((double)row[i] - exp(-x[i] * x[i])));
  }
  CHECK(faint > 100 && denormal == 0);
  CHECK_NEAR(worst, 0.0, 2e-6);
  mk_scratch_free(scratch);
  mk_mixture_free(mixture);
  mk_bases_free(bases);
  mk_set_free(set);
}

/* Samples that are mostly zeros, by rows few and many, in columns that don't fill tiles. */
static void check_mostly_zeros(int single) {
  enum { N = 151, D = 203, FEW = 5 };
  double *x = MK_NEW0(double, (size_t)N * D), *block = MK_NEW(double, (size_t)N * N);
  data_fill((size_t)N * D, x);
  for (size_t k = 0; k < (size_t)N * D; k++) x[k] = x[k] > 0.6 ? x[k] : 0.0;
  for (size_t k = 0; k < D; k++) x[k * N] = 0.0; /* one without any entry */
  const mk_view view = {.rows = N, .cols = D, .x = x};
  mk_kernel_spec spec = {.type = MK_GAUSSIAN, .width = D};
  mk_kernel_set *set;
  mk_bases *bases;
  int list[N], rows[] = {N, FEW, 1};
  CHECK(mk_set_new(&set, N, &view, 1, &spec, 1, NULL) == MK_OK);
  CHECK(mk_bases_new(&bases, set, single, &(mk_control){.team = NULL}) == MK_OK);
  mk_scratch *scratch = mk_scratch_new(set);
  for (int i = 0; i < N; i++) list[i] = (i * 7) % N;
  for (size_t k = 0; k < 3; k++) {
    mk_samples others = mk_list(list, k == 0 ? FEW : N);
    CHECK(mk_base_block(bases, 0, list, (size_t)rows[k], &others, (mk_row){block, single}, N,
                        scratch) == MK_OK);
    double worst = 0.0;
    for (size_t r = 0; r < (size_t)rows[k]; r++)
      for (size_t c = 0; c < others.count; c++) {
        double d = 0.0;
        for (size_t j = 0; j < D; j++) d += pow(x[j * N + list[r]] - x[j * N + list[c]], 2);
        worst = fmax(worst, fabs(d - mk_row_at((mk_row){block, single}, r * N + c)));
      }
    CHECK(worst < (single ? 1e-4 : 1e-12));
  }
  mk_scratch_free(scratch);
  mk_bases_free(bases);
  mk_set_free(set);
  mk_free(block);
  mk_free(x);
}

static void test_distances_of_mostly_zeros(void) {
  check_mostly_zeros(0);
  check_mostly_zeros(1);
}

static void test_bad_sets_are_refused_and_freed(void) {
  double x[4] = {1, 2, 3, 4};
  int wrong[2] = {1, 0};
  mk_view view = {.rows = 2, .cols = 2, .x = x};
  const mk_kernel_spec bad[] = {
      {.type = MK_GAUSSIAN, .view = 0, .width = 0.0},
      {.type = MK_GAUSSIAN, .view = 0, .width = NAN},
      {.type = MK_GAUSSIAN, .view = 1, .width = 1.0},
      {.type = MK_POLYNOMIAL, .view = 0, .degree = 1.5, .scale = 1.0},
      {.type = MK_LINEAR, .view = 0, .features = wrong, .feature_count = 2},
      {.type = MK_PRECOMPUTED, .view = -1},
      {.type = MK_FUNCTION, .view = -1},
      {.type = (mk_kernel_type)99, .view = 0}};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    mk_kernel_set *set = NULL;
    CHECK(mk_set_new(&set, 2, &view, 1, &bad[k], 1, NULL) == MK_BAD_ARGUMENT);
    mk_set_free(set);
  }
  int start[3] = {0, 5, 1}, row[5] = {0}; /* offsets must not fall */
  mk_view broken = {.rows = 2, .cols = 2, .start = start, .row = row, .value = x};
  mk_kernel_spec linear = {.type = MK_LINEAR, .view = 0};
  mk_kernel_set *set = NULL;
  CHECK(mk_set_new(&set, 2, &broken, 1, &linear, 1, NULL) == MK_BAD_ARGUMENT);
  mk_set_free(set);
  mk_set_free(NULL);
}

int main(void) {
  RUN_TEAM(2, test_exact_values);
  RUN_TEAM(2, test_mixture_rows);
  RUN_TEAM(2, test_mixture_rows_of_floats);
  RUN_TEAM(2, test_sums_of_all_kernels);
  RUN_TEAM(2, test_sums_of_floats);
  RUN(test_sums_of_floats_and_many_widths);
  RUN(test_sums_of_centred_tables);
  RUN(test_packed_columns);
  RUN(test_distances_of_mostly_zeros);
  RUN_TEAM(2, test_many_widths);
  RUN(test_mixtures_of_floats);
  RUN(test_faint_kernels);
  RUN_TEAM(2, test_bad_sets_are_refused_and_freed);
  return REPORT();
}
