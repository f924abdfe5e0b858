/* Sums over sign vectors against the plain double sum, sums by distance for many Gaussians, bounds
 * computed by hand. */
#include "bound/distances.h"
#include "bound/rademacher.h"
#include "bound/signs.h"
#include "kernel/features.h"
#include "kernels.h"
#include "normalize/normalize.h"
#include "team.h"
#include "exact/exact-matrix.h"
#include "kernel/constants.h"

#define DRAWS 37

static mk_control plain_control(void) {
  return (mk_control){.max_time = INFINITY, .max_iter = INFINITY, .team = team};
}

static void draw_signs(size_t count, int *signs) {
  for (size_t k = 0; k < count; k++) signs[k] = data_next() > 0.0 ? 1 : -1;
}

static mk_status sign_forms(const mk_kernel_set *set, const int *signs, size_t draws,
                            const mk_control *control, double *forms) {
  mk_sign_question question = {.set = set, .signs = signs, .draws = draws, .forms = forms};
  return mk_sign_forms(&question, control);
}

static double form(size_t n, const double *matrix, const int *signs) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) sum += signs[i] * signs[j] * matrix[i * n + j];
  return sum;
}

/* Forms of all kinds of kernels against their matrices, and the largest diagonal. */
static void check_fixture(fixture *fx, const mk_constants *constants) {
  static int signs[SAMPLES * DRAWS];
  static double forms[DRAWS * KERNELS], matrix[SAMPLES * SAMPLES], largest[KERNELS];
  mk_control control = plain_control();
  draw_signs(SAMPLES * DRAWS, signs);
  CHECK(sign_forms(fx->set, signs, DRAWS, &control, forms) == MK_OK);
  CHECK(mk_set_largest_diagonal(fx->set, largest) == MK_OK);
  for (size_t m = 0; m < KERNELS; m++) {
    double trace = 0.0, most = 0.0, worst = 0.0;
    if (constants != NULL && constants[m].degenerate) continue;
    exact_matrix(fx, m, matrix);
    for (size_t i = 0; i < SAMPLES; i++) {
      trace += matrix[i * SAMPLES + i];
      most = fmax(most, matrix[i * SAMPLES + i]);
    }
    for (size_t t = 0; t < DRAWS; t++)
      worst =
          worse(worst, fabs(forms[t * KERNELS + m] - form(SAMPLES, matrix, signs + t * SAMPLES)));
    CHECK_NEAR(worst / trace, 0.0, 1e-5);
    CHECK_NEAR(largest[m] / most, 1.0, 1e-12);
  }
}

static void test_forms(void) {
  fixture *fx = fixture_new();
  check_fixture(fx, NULL);
  fixture_free(fx);
}

static void test_normalised_forms(void) {
  const mk_scaling scalings[] = {MK_SCALE_NONE, MK_SCALE_MULTIPLICATIVE, MK_SCALE_SPHERICAL,
                                 MK_SCALE_TRACE};
  static double mean[KERNELS][SAMPLES];
  mk_control control = plain_control();
  for (int k = 0; k < 8; k++) {
    fixture *fx = fixture_new();
    mk_constants constants[KERNELS] = {{0}};
    for (size_t m = 0; m < KERNELS; m++)
      constants[m] = (mk_constants){
          .scaling = scalings[k / 2], .centred = k % 2, .scale = 1.0, .mean = mean[m]};
    CHECK(mk_normalize_fit(fx->set, constants, NULL, &control) == MK_OK);
    check_fixture(fx, constants);
    fixture_free(fx);
  }
}

/* The first four columns as one kernel each, for which no pairs are formed. */
static void test_feature_blocks(void) {
  fixture *fx = fixture_new();
  static int column[LARGE_COLS], signs[SAMPLES * DRAWS];
  static double forms[DRAWS * LARGE_COLS];
  mk_kernel_spec spec[LARGE_COLS];
  const mk_view view = {.rows = SAMPLES, .cols = LARGE_COLS, .x = fx->large};
  mk_control control = plain_control();
  mk_kernel_set *set = NULL;
  for (int m = 0; m < LARGE_COLS; m++) {
    column[m] = m;
    spec[m] = (mk_kernel_spec){.type = MK_LINEAR, .features = column + m, .feature_count = 1};
  }
  CHECK(mk_set_new(&set, SAMPLES, &view, 1, spec, LARGE_COLS, NULL) == MK_OK);
  CHECK(mk_set_explicit(set));
  draw_signs(SAMPLES * DRAWS, signs);
  CHECK(sign_forms(set, signs, DRAWS, &control, forms) == MK_OK);
  double worst = 0.0;
  for (size_t t = 0; t < DRAWS; t++) {
    for (int m = 0; m < LARGE_COLS; m++) {
      double sum = 0.0;
      for (size_t i = 0; i < SAMPLES; i++)
        sum += signs[t * SAMPLES + i] * fx->large[(size_t)m * SAMPLES + i];
      worst = worse(worst, fabs(forms[t * LARGE_COLS + (size_t)m] - sum * sum));
    }
  }
  CHECK_NEAR(worst, 0.0, 1e-10);
  mk_set_free(set);
  fixture_free(fx);
}

/* The form of size^2 (xz + 1)^2, relative to size^2. */
static double square_of(size_t n, const double *x, const int *signs) {
  double sum[3] = {0.0}; /* of sigma x^0, x^1, x^2 */
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) sum[k] += signs[i] * pow(x[i], k);
  return sum[0] * sum[0] + 2.0 * sum[1] * sum[1] + sum[2] * sum[2];
}

/* More rows than one strip has: a linear kernel whose form is a square, among others that read the
 * same column. */
static void test_many_rows(void) {
  enum { ROWS = 401 };
  static double x[ROWS], forms[2 * DRAWS];
  static int signs[ROWS * DRAWS];
  const mk_view view = {.rows = ROWS, .cols = 1, .x = x};
  const mk_kernel_spec spec[2] = {
      {.type = MK_LINEAR}, {.type = MK_POLYNOMIAL, .degree = 2, .scale = 1.0, .offset = 1.0}};
  mk_control control = plain_control();
  mk_kernel_set *set = NULL;
  data_fill(ROWS, x);
  draw_signs(ROWS * DRAWS, signs);
  CHECK(mk_set_new(&set, ROWS, &view, 1, spec, 2, NULL) == MK_OK);
  CHECK(sign_forms(set, signs, DRAWS, &control, forms) == MK_OK);
  double worst = 0.0;
  for (size_t t = 0; t < DRAWS; t++) {
    double sum = 0.0;
    for (size_t i = 0; i < ROWS; i++) sum += signs[t * ROWS + i] * x[i];
    worst = worse(worst, fabs(forms[2 * t] - sum * sum));
    worst = worse(worst, fabs(forms[2 * t + 1] - square_of(ROWS, x, signs + t * ROWS)));
  }
  CHECK_NEAR(worst, 0.0, 1e-3);
  mk_set_free(set);
}

/* Values beyond the range of floats, and beyond that of doubles. */
static void test_sizes(void) {
  static double x[SAMPLES], forms[DRAWS];
  static int signs[SAMPLES * DRAWS];
  const double size[] = {1e-100, 1.0, 1e100, 1e200};
  const mk_view view = {.rows = SAMPLES, .cols = 1, .x = x};
  mk_control control = plain_control();
  data_fill(SAMPLES, x);
  draw_signs(SAMPLES * DRAWS, signs);
  for (int k = 0; k < 4; k++) {
    const mk_kernel_spec spec = {
        .type = MK_POLYNOMIAL, .degree = 2, .scale = size[k], .offset = size[k]};
    mk_kernel_set *set = NULL;
    double worst = 0.0;
    CHECK(mk_set_new(&set, SAMPLES, &view, 1, &spec, 1, NULL) == MK_OK);
    mk_status status = sign_forms(set, signs, DRAWS, &control, forms);
    CHECK(status == (k < 3 ? MK_OK : MK_NOT_FINITE));
    for (size_t t = 0; k < 3 && t < DRAWS; t++)
      worst = worse(
          worst, fabs(forms[t] / size[k] / size[k] - square_of(SAMPLES, x, signs + t * SAMPLES)));
    CHECK_NEAR(worst, 0.0, 1e-3);
    mk_set_free(set);
  }
}

static void test_failures(void) {
  fixture *fx = fixture_new();
  static int signs[SAMPLES];
  static double forms[KERNELS];
  mk_control control = plain_control();
  draw_signs(SAMPLES, signs);
  fx->broken = 1;
  CHECK(sign_forms(fx->set, signs, 1, &control, forms) == MK_CALLBACK);
  fixture_free(fx);
}

/* ---- by distance ---- */

#define WIDTHS 300
#define MANY (MK_SIGN_LANES + 44) /* sign vectors: two passes */

/* Gaussians of these widths on samples whose distances span 40 octaves. */
static void check_gaussians(size_t count, double octaves, double scale) {
  static double x[SAMPLES], forms[WIDTHS * MANY], matrix[SAMPLES * SAMPLES];
  static int signs[SAMPLES * MANY];
  mk_kernel_spec spec[WIDTHS] = {{0}};
  const mk_view view = {.rows = SAMPLES, .cols = 1, .x = x};
  mk_kernel_set *set = NULL;
  for (int i = 0; i < SAMPLES; i++) x[i] = (i % 2 ? 1 : -1) * exp(0.2 * (i - 35));
  for (size_t m = 0; m < count; m++) /* in no order */
    spec[m] =
        (mk_kernel_spec){.type = MK_GAUSSIAN,
                         .width = 0.3 * exp2(octaves * (double)(m * 7 % count) / (double)count)};
  CHECK(mk_set_new(&set, SAMPLES, &view, 1, spec, count, NULL) == MK_OK);
  for (size_t m = 0; m < count; m++)
    CHECK(mk_set_normalization(set, m, scale, NULL, 0.0, NULL) == MK_OK);
  mk_control control = plain_control();
  draw_signs(SAMPLES * MANY, signs);
  CHECK(sign_forms(set, signs, MANY, &control, forms) == MK_OK);
  double worst = 0.0, mean = 0.0;
  for (size_t m = 0; m < count; m++) {
    for (size_t i = 0; i < SAMPLES; i++)
      for (size_t j = 0; j < SAMPLES; j++)
        matrix[i * SAMPLES + j] = scale * exp(-(x[i] - x[j]) * (x[i] - x[j]) / spec[m].width);
    for (size_t t = 0; t < MANY; t++) {
      double error = forms[t * count + m] - form(SAMPLES, matrix, signs + t * SAMPLES);
      worst = worse(worst, fabs(error));
      mean += error / (double)(count * MANY);
    }
  }
  CHECK_NEAR(worst / (scale * SAMPLES), 0.0, 5 * 2.4e-4);
  CHECK_NEAR(mean / (scale * SAMPLES), 0.0, 1e-5);
  mk_set_free(set);
}

static void test_gaussians(void) {
  check_gaussians(1, 1.0, 1.0);
  check_gaussians(WIDTHS, 0.0, 3.0); /* all the same */
  check_gaussians(WIDTHS, 13.0, 1.0);
  check_gaussians(WIDTHS, 13.0, 1e4);
}

/* Values at the middle of bins, for more pairs of one bin than a byte counts. */
static void test_distances(void) {
  enum { PAIRS = 1000 };
  static double distance[PAIRS], out[2 * MK_SIGN_LANES];
  static unsigned char row[MK_SIGN_LANES], cols[PAIRS * MK_SIGN_LANES];
  const double width[2] = {0.5, 40.0};
  mk_distance_scale scale = mk_distance_scale_for(0.5, 100.0);
  mk_distance_sums *sums[2] = {mk_distance_sums_new(&scale), mk_distance_sums_new(&scale)};
  double error = mk_distance_error(&scale), worst = 0.0;
  CHECK(error <= 2.4e-4);
  for (size_t k = 0; k < PAIRS; k++) distance[k] = k < 700 ? 3.0 : 100.0 * fabs(data_next());
  for (size_t k = 0; k < sizeof cols; k++) cols[k] = data_next() > -0.8;
  for (size_t k = 0; k < sizeof row; k++) row[k] = data_next() > 0.0;
  mk_distance_sums_add(sums[0], 800, distance, row, cols);
  mk_distance_sums_add(sums[1], 200, distance + 800, row, cols + 800 * MK_SIGN_LANES);
  mk_distance_sums_merge(sums[0], sums[1]);
  mk_distance_sums_end(sums[0]);
  mk_distance_sums_read(sums[0], 2, width, out);
  for (size_t w = 0; w < 2; w++)
    for (size_t t = 0; t < MK_SIGN_LANES; t++) {
      double sum = 0.0;
      for (size_t k = 0; k < PAIRS; k++)
        sum += (row[t] == cols[k * MK_SIGN_LANES + t] ? 1 : -1) * exp(-distance[k] / width[w]);
      worst = worse(worst, fabs(out[w * MK_SIGN_LANES + t] - sum));
    }
  CHECK_NEAR(worst, 0.0, PAIRS * error);
  mk_distance_sums_free(sums[0]);
  mk_distance_sums_free(sums[1]);
  /* the bound itself: every distance against the middle of its bin, alone */
  for (double d = 1e-6; d < 100.0; d *= 1.0007) {
    mk_distance_sums *one = mk_distance_sums_new(&scale);
    mk_distance_sums_add(one, 1, &d, row, row);
    mk_distance_sums_end(one);
    mk_distance_sums_read(one, 2, width, out);
    for (size_t w = 0; w < 2; w++) CHECK_NEAR(out[w * MK_SIGN_LANES], exp(-d / width[w]), error);
    mk_distance_sums_free(one);
    d *= 1.03;
  }
  /* nothing is too far, too near or too wide */
  mk_distance_scale wide = mk_distance_scale_for(1e-300, INFINITY);
  CHECK(wide.bins <= 16384);
  mk_distance_sums *odd = mk_distance_sums_new(&wide);
  const double strange[4] = {INFINITY, NAN, 0.0, 1e308};
  mk_distance_sums_add(odd, 4, strange, row, cols);
  mk_distance_sums_free(odd);
}

/* ---- bounds ---- */

static void test_bounds(void) {
  const double c = 23.0 / 22.0, e = exp(1.0);
  /* p = 1: e ceil(log 10) = 3 e; p = 2: p* = 2, sqrt(10) * 2; p = infinity: the limit 2, 10 * 2 */
  CHECK_NEAR(mk_rademacher_bound(MK_BOUND_KLOFT, 1.0, 10.0, 50.0, 1.0, 1.0), sqrt(c * 3 * e / 50),
             1e-14);
  CHECK_NEAR(mk_rademacher_bound(MK_BOUND_KLOFT, 2.0, 10.0, 50.0, 2.0, 1.0),
             2 * sqrt(c * sqrt(10.0) * 2 / 50), 1e-14);
  CHECK_NEAR(mk_rademacher_bound(MK_BOUND_KLOFT, INFINITY, 10.0, 50.0, 1.0, 1.0),
             sqrt(c * 10 * 2 / 50), 1e-14);
  /* ceil(p*) of a p* that is whole but for rounding */
  CHECK_NEAR(mk_rademacher_bound(MK_BOUND_KLOFT, 4.0 / 3, 16.0, 1.0, 1.0, 1.0), sqrt(c * 2 * 4),
             1e-14);
  CHECK_NEAR(mk_rademacher_bound(MK_BOUND_CORTES, 1.5, 8.0, 50.0, 1.0, 1.5), sqrt(c * 3 * 2 / 50),
             1e-14); /* p* = 3 */
  CHECK(isnan(mk_rademacher_bound(MK_BOUND_CORTES, 1.4, 10.0, 50.0, 1.0, 1.4))); /* p* = 3.5 */
  CHECK(isnan(mk_rademacher_bound(MK_BOUND_CORTES, 1.0, 10.0, 50.0, 1.0, 2.0))); /* q > p */
  CHECK(isnan(mk_rademacher_bound(MK_BOUND_CORTES, 1.0, 1.0, 50.0, 1.0, 1.0)));  /* M = 1 */
  CHECK(isnan(mk_rademacher_bound(MK_BOUND_GOMP, 2.0, 3.0, 50.0, 1.0, 1.0)));
}

int main(void) {
  RUN(test_forms);
  RUN_TEAM(2, test_forms);
  RUN_TEAM(2, test_normalised_forms);
  RUN_TEAM(2, test_feature_blocks);
  RUN(test_many_rows);
  RUN_TEAM(2, test_many_rows);
  RUN(test_sizes);
  RUN(test_failures);
  RUN(test_gaussians);
  RUN_TEAM(2, test_gaussians);
  RUN(test_distances);
  RUN(test_bounds);
  return REPORT();
}
