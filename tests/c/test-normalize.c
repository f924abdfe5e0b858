/* The properties that each normalisation gives to every kind of kernel. */
#include "kernels.h"
#include "normalize/normalize.h"
#include "team.h"
#include "rows/feature-pass.h"
#include "kernel/constants.h"

static mk_control plain_control(void) {
  return (mk_control){
      .tol = 1e-3, .max_time = INFINITY, .max_iter = INFINITY, .team = team, .start = mk_seconds()};
}

static void normalise(fixture *fx, mk_scaling scaling, int centred, mk_constants *constants,
                      double *means) {
  mk_control control = plain_control();
  for (int m = 0; m < KERNELS; m++)
    constants[m] = (mk_constants){
        .scaling = scaling, .centred = centred, .mean = centred ? means + m * SAMPLES : NULL};
  CHECK(mk_normalize_fit(fx->set, constants, NULL, &control) == MK_OK);
}

typedef struct facts {
  double trace, total, worst_diagonal, worst_row;
} facts;

static facts look(const double *k) {
  facts seen = {0, 0, 0, 0};
  for (int i = 0; i < SAMPLES; i++) {
    double row = 0.0;
    for (int j = 0; j < SAMPLES; j++) row += k[i * SAMPLES + j];
    seen.total += row;
    seen.trace += k[i * SAMPLES + i];
    seen.worst_row = worse(seen.worst_row, fabs(row));
    seen.worst_diagonal = worse(seen.worst_diagonal, fabs(k[i * SAMPLES + i] - 1.0));
  }
  return seen;
}

static void test_promises(void) {
  double *k = MK_NEW(double, SAMPLES *SAMPLES), *means = MK_NEW(double, KERNELS *SAMPLES);
  mk_constants constants[KERNELS];
  for (int centred = 0; centred < 2; centred++)
    for (int scaling = 0; scaling <= MK_SCALINGS; scaling++) {
      fixture *fx = fixture_new();
      normalise(fx, (mk_scaling)scaling, centred, constants, means);
      for (int m = 0; m < KERNELS; m++) {
        CHECK(!constants[m].degenerate);
        exact_matrix(fx, (size_t)m, k);
        facts seen = look(k);
        if (scaling == MK_SCALE_MULTIPLICATIVE)
          CHECK_NEAR(seen.trace / SAMPLES - seen.total / SAMPLES / SAMPLES, 1.0, 1e-10);
        if (scaling == MK_SCALE_SPHERICAL) CHECK_NEAR(seen.worst_diagonal, 0.0, 1e-10);
        if (scaling == MK_SCALE_TRACE) CHECK_NEAR(seen.trace, 1.0, 1e-10);
        if (centred && scaling != MK_SCALE_SPHERICAL)
          CHECK_NEAR(seen.worst_row, 0.0, 1e-9 * (1.0 + seen.trace));
        if (!centred && scaling == MK_SCALE_NONE)
          CHECK_NEAR(k[5 * SAMPLES + 9], plain_kernel(fx, m, 5, 9), 1e-12);
      }
      fixture_free(fx);
    }
  mk_free(k);
  mk_free(means);
}

/* Forms of linear kernels that share columns, by features against pairs; others are left alone. */
static void test_linear_forms(void) {
  double *k = MK_NEW(double, SAMPLES *SAMPLES), *means = MK_NEW(double, KERNELS *SAMPLES);
  double *alpha[2] = {MK_NEW(double, SAMPLES), MK_NEW(double, SAMPLES)}, s[KERNELS];
  mk_constants constants[KERNELS];
  for (int t = 0; t < 2; t++) data_fill(SAMPLES, alpha[t]);
  for (int centred = 0; centred < 2; centred++)
    for (int scaling = 0; scaling <= MK_SCALINGS; scaling++) {
      fixture *fx = fixture_new();
      int found = 0;
      normalise(fx, (mk_scaling)scaling, centred, constants, means);
      for (int m = 0; m < KERNELS; m++) s[m] = NAN;
      mk_linear_forms(&(mk_linear_ask){fx->set, 2, alpha, s}, NULL);
      for (int m = 0; m < KERNELS; m++) {
        double form = 0.0;
        if (isnan(s[m])) continue;
        CHECK(fx->spec[m].type != MK_GAUSSIAN && fx->spec[m].type != MK_POLYNOMIAL);
        exact_matrix(fx, (size_t)m, k);
        for (int i = 0; i < SAMPLES * SAMPLES; i++)
          form += k[i] * (alpha[0][i / SAMPLES] * alpha[0][i % SAMPLES] +
                          alpha[1][i / SAMPLES] * alpha[1][i % SAMPLES]);
        CHECK_NEAR(s[m], form, 1e-10 * (1.0 + fabs(form)));
        found++;
      }
      CHECK(scaling == MK_SCALE_SPHERICAL ? found == 0 : found >= 3);
      CHECK(scaling == MK_SCALE_SPHERICAL || mk_linear_form_values(fx->set) > 0.0);
      fixture_free(fx);
    }
  mk_free(k);
  mk_free(means);
  mk_free(alpha[0]);
  mk_free(alpha[1]);
}

static void test_constant_kernels_are_named(void) {
  double zero[SAMPLES] = {0};
  mk_view view = {.rows = SAMPLES, .cols = 1, .x = zero};
  mk_kernel_spec spec[2] = {{.type = MK_GAUSSIAN, .view = 0, .width = 1.0},
                            {.type = MK_LINEAR, .view = 0}};
  for (int scaling = MK_SCALE_MULTIPLICATIVE; scaling <= MK_SCALINGS; scaling++) {
    mk_kernel_set *set = NULL;
    mk_control control = plain_control();
    mk_constants constants[2] = {{.scaling = (mk_scaling)scaling},
                                 {.scaling = (mk_scaling)scaling}};
    CHECK(mk_set_new(&set, SAMPLES, &view, 1, spec, 2, NULL) == MK_OK);
    mk_normalize_fit(set, constants, NULL, &control);
    /* the Gaussian is constant, 1, which only the spread minds; the linear one is zero */
    CHECK(constants[0].degenerate == (scaling == MK_SCALE_MULTIPLICATIVE));
    CHECK(constants[1].degenerate);
    CHECK(constants[0].constant == constants[0].degenerate && constants[1].constant);
    mk_set_free(set);
  }
}

/* The samples that count decide what is constant: the column moves among the last three alone. */
static void test_constant_among_those_that_count(void) {
  double x[SAMPLES], weight[SAMPLES];
  mk_view view = {.rows = SAMPLES, .cols = 1, .x = x};
  mk_kernel_spec spec[3] = {{.type = MK_LINEAR, .view = 0},
                            {.type = MK_POLYNOMIAL, .view = 0, .degree = 3, .scale = 1, .offset = 1},
                            {.type = MK_GAUSSIAN, .view = 0, .width = 1.0}};
  mk_counted counted = {.weight = weight, .count = SAMPLES - 3};
  for (int i = 0; i < SAMPLES; i++) {
    x[i] = i < SAMPLES - 3 ? 0.1 : i;
    weight[i] = i < SAMPLES - 3;
  }
  mk_kernel_set *set = NULL;
  mk_control control = plain_control();
  CHECK(mk_set_new(&set, SAMPLES, &view, 1, spec, 3, NULL) == MK_OK);
  for (int turn = 0; turn < 3; turn++) { /* constants of turns before are no hindrance */
    mk_constants constants[3] = {{.scaling = MK_SCALE_MULTIPLICATIVE},
                                 {.scaling = MK_SCALE_MULTIPLICATIVE},
                                 {.scaling = MK_SCALE_MULTIPLICATIVE}};
    CHECK(mk_normalize_fit(set, constants, turn == 1 ? NULL : &counted, &control) == MK_OK);
    for (int m = 0; m < 3; m++) CHECK(constants[m].constant == (turn != 1));
  }
  /* where the first moves, too, it is still no constant, and not to be seen either */
  for (int i = 0; i < SAMPLES; i++) x[i] = 1e9 + i;
  mk_constants far = {.scaling = MK_SCALE_MULTIPLICATIVE};
  mk_set_free(set);
  CHECK(mk_set_new(&set, SAMPLES, &view, 1, spec, 1, NULL) == MK_OK);
  CHECK(mk_normalize_fit(set, &far, NULL, &control) == MK_OK);
  CHECK(far.degenerate && !far.constant);
  mk_set_free(set);
}

/* What normalisation by the samples that count makes of all, by its definition: out as from
 * exact_matrix(). */
static void plain_normalized(const fixture *fx, int m, const mk_counted *counted,
                             mk_scaling scaling, int centred, double *out) {
  double mean[SAMPLES], root[SAMPLES], total = 0.0, trace = 0.0, spread = 0.0, by = 1.0;
  for (int i = 0; i < SAMPLES; i++) {
    mean[i] = 0.0;
    for (int j = 0; j < SAMPLES; j++)
      mean[i] += counted->weight[j] * plain_kernel(fx, m, i, j) / counted->count;
    total += counted->weight[i] * mean[i] / counted->count;
  }
  for (int i = 0; i < SAMPLES; i++)
    for (int j = 0; j < SAMPLES; j++)
      out[i * SAMPLES + j] =
          plain_kernel(fx, m, i, j) + (centred ? total - mean[i] - mean[j] : 0.0);
  for (int i = 0; i < SAMPLES; i++) {
    root[i] = sqrt(out[i * SAMPLES + i]);
    trace += counted->weight[i] * out[i * SAMPLES + i];
    spread += counted->weight[i] * (plain_kernel(fx, m, i, i) - total);
  }
  if (scaling == MK_SCALE_MULTIPLICATIVE) by = spread / counted->count;
  if (scaling == MK_SCALE_TRACE) by = trace;
  for (int i = 0; i < SAMPLES; i++)
    for (int j = 0; j < SAMPLES; j++)
      out[i * SAMPLES + j] /= scaling == MK_SCALE_SPHERICAL ? root[i] * root[j] : by;
}

/* Samples without a view are 0 in its kernels, of which the others make the constants: once for all
 * samples, once for some, and once as if the last samples were new. */
static void test_samples_without_a_view(void) {
  double has[SAMPLES], fold[SAMPLES], own[SAMPLES];
  double *k = MK_NEW(double, SAMPLES *SAMPLES), *plain = MK_NEW(double, SAMPLES *SAMPLES);
  double *means = MK_NEW(double, KERNELS *SAMPLES);
  mk_constants constants[KERNELS];
  mk_control control = plain_control();
  for (int i = 0; i < SAMPLES; i++) has[i] = i % 5 != 2;
  for (int scaling = 0; scaling <= MK_SCALINGS; scaling++)
    for (int divisor = 3; divisor < 6; divisor++) {
      fixture *fx = fixture_having(has);
      mk_counted counted = {fold, 0.0};
      for (int i = 0; i < SAMPLES; i++)
        counted.count += fold[i] = divisor == 5 ? i < SAMPLES - 9 : i % divisor != 1;
      normalise(fx, (mk_scaling)scaling, 1, constants, means);
      CHECK(mk_normalize_fit(fx->set, constants, &counted, &control) == MK_OK);
      if (divisor == 5) /* the fold's samples come first: they are the known ones */
        CHECK(mk_normalize_apply(fx->set, constants, SAMPLES - 9, 1, &control) == MK_OK);
      for (int m = 0; m < KERNELS; m++) {
        const double *mine = mk_set_has(fx->set, (size_t)m);
        mk_counted used = {own, 0.0};
        for (int i = 0; i < SAMPLES; i++)
          used.count += own[i] = fold[i] * (mine == NULL ? 1.0 : mine[i]);
        CHECK(!constants[m].degenerate && (mine != NULL) == (fx->spec[m].view > 0));
        plain_normalized(fx, m, &used, (mk_scaling)scaling, 1, plain);
        double size = 0.0;
        for (int i = 0; i < SAMPLES * SAMPLES; i++) {
          if (mine != NULL) plain[i] *= mine[i / SAMPLES] * mine[i % SAMPLES];
          size = worse(size, fabs(plain[i]));
        }
        exact_matrix(fx, (size_t)m, k);
        CHECK_NEAR(data_distance(SAMPLES * SAMPLES, k, plain), 0.0, 1e-10 * size);
      }
      fixture_free(fx);
    }
  mk_free(k);
  mk_free(plain);
  mk_free(means);
}

static void check_counted(const fixture *fx, const mk_counted *counted, mk_scaling scaling,
                          int centred, const mk_constants *constants) {
  double *k = MK_NEW(double, SAMPLES *SAMPLES), *plain = MK_NEW(double, SAMPLES *SAMPLES);
  for (int m = 0; m < KERNELS; m++) {
    CHECK(!constants[m].degenerate);
    exact_matrix(fx, (size_t)m, k);
    plain_normalized(fx, m, counted, scaling, centred, plain);
    double size = 0.0;
    for (int i = 0; i < SAMPLES * SAMPLES; i++) size = worse(size, fabs(plain[i]));
    CHECK_NEAR(data_distance(SAMPLES * SAMPLES, k, plain), 0.0, 1e-10 * size);
  }
  mk_free(k);
  mk_free(plain);
}

/* Constants of some samples, on a set that had those of others before: as folds follow each other.
 */
static void test_constants_of_counted_samples(void) {
  const int divisor[2] = {3, 4};
  double weight[SAMPLES], *means = MK_NEW(double, KERNELS *SAMPLES);
  mk_constants constants[KERNELS];
  mk_control control = plain_control();
  for (int centred = 0; centred < 2; centred++)
    for (int scaling = 0; scaling <= MK_SCALINGS; scaling++) {
      fixture *fx = fixture_new();
      normalise(fx, (mk_scaling)scaling, centred, constants, means);
      for (int fold = 0; fold < 2; fold++) {
        mk_counted counted = {.weight = weight};
        for (int i = 0; i < SAMPLES; i++)
          counted.count += weight[i] = i % divisor[fold] == 1 ? 0.0 : 1.0;
        CHECK(mk_normalize_fit(fx->set, constants, &counted, &control) == MK_OK);
        check_counted(fx, &counted, (mk_scaling)scaling, centred, constants);
      }
      fixture_free(fx);
    }
  mk_free(means);
}

/* All samples that count are all samples. */
static void test_counting_all_is_no_count(void) {
  double weight[SAMPLES], *k[2], *means = MK_NEW(double, KERNELS *SAMPLES);
  mk_constants constants[KERNELS];
  mk_control control = plain_control();
  for (int t = 0; t < 2; t++) k[t] = MK_NEW(double, SAMPLES *SAMPLES);
  for (int i = 0; i < SAMPLES; i++) weight[i] = 1.0;
  for (int scaling = 0; scaling <= MK_SCALINGS; scaling++) {
    fixture *fx = fixture_new();
    mk_counted counted = {weight, SAMPLES};
    for (int m = 0; m < KERNELS; m++) {
      normalise(fx, (mk_scaling)scaling, 1, constants, means);
      exact_matrix(fx, (size_t)m, k[0]);
      CHECK(mk_normalize_fit(fx->set, constants, &counted, &control) == MK_OK);
      exact_matrix(fx, (size_t)m, k[1]);
      double size = 0.0;
      for (int i = 0; i < SAMPLES * SAMPLES; i++) size = worse(size, fabs(k[0][i]));
      CHECK_NEAR(data_distance(SAMPLES * SAMPLES, k[0], k[1]), 0.0, 1e-12 * size);
    }
    fixture_free(fx);
  }
  for (int t = 0; t < 2; t++) mk_free(k[t]);
  mk_free(means);
}

/* A kernel that is constant on what counts, though not elsewhere, and one that is zero there. */
static void test_constant_where_it_counts(void) {
  double x[6] = {2.0, 2.0, 2.0, 2.0, 7.0, -1.0}, zero[6] = {0, 0, 0, 0, 3.0, 4.0};
  double weight[6] = {1.0, 1.0, 1.0, 1.0, 0.0, 0.0};
  mk_view views[2] = {{.rows = 6, .cols = 1, .x = x}, {.rows = 6, .cols = 1, .x = zero}};
  mk_kernel_spec spec[2] = {{.type = MK_GAUSSIAN, .view = 0, .width = 1.0},
                            {.type = MK_LINEAR, .view = 1}};
  mk_counted counted = {weight, 4.0};
  mk_control control = plain_control();
  for (int scaling = MK_SCALE_MULTIPLICATIVE; scaling <= MK_SCALINGS; scaling++) {
    mk_kernel_set *set = NULL;
    mk_constants constants[2] = {{.scaling = (mk_scaling)scaling},
                                 {.scaling = (mk_scaling)scaling}};
    CHECK(mk_set_new(&set, 6, views, 2, spec, 2, NULL) == MK_OK);
    mk_normalize_fit(set, constants, &counted, &control);
    CHECK(constants[0].degenerate == (scaling == MK_SCALE_MULTIPLICATIVE));
    CHECK(constants[1].degenerate);
    mk_set_free(set);
  }
}

static void test_new_samples_without_length(void) {
  double x[4] = {1.0, -2.0, 0.0, 3.0};
  mk_view view = {.rows = 4, .cols = 1, .x = x};
  mk_kernel_spec spec[2] = {{.type = MK_LINEAR, .view = 0},
                            {.type = MK_GAUSSIAN, .view = 0, .width = 1.0}};
  mk_kernel_set *set = NULL;
  mk_control control = plain_control();
  mk_constants constants[2] = {{.scaling = MK_SCALE_SPHERICAL, .scale = 1.0},
                               {.scaling = MK_SCALE_NONE, .scale = 1.0}};
  CHECK(mk_set_new(&set, 4, &view, 1, spec, 2, NULL) == MK_OK);
  CHECK(mk_normalize_apply(set, constants, 2, 1, &control) == MK_OK);
  const double *root = mk_set_root(set, 0);
  CHECK(root[0] == 1.0 && root[1] == 0.5 && root[2] == 0.0 && root[3] == 1.0 / 3.0);
  CHECK(mk_set_root(set, 1) == NULL);
  mk_set_free(set);
}

int main(void) {
  RUN_TEAM(2, test_promises);
  RUN_TEAM(2, test_linear_forms);
  RUN_TEAM(2, test_constant_kernels_are_named);
  RUN_TEAM(2, test_constant_among_those_that_count);
  RUN_TEAM(2, test_constants_of_counted_samples);
  RUN_TEAM(2, test_counting_all_is_no_count);
  RUN_TEAM(2, test_samples_without_a_view);
  RUN_TEAM(2, test_constant_where_it_counts);
  RUN_TEAM(2, test_new_samples_without_length);
  return REPORT();
}
