/* Expansions and forms from tiles, pieces and feature weights against plain double loops. */
#include "base/memory.h"
#include "check.h"
#include "data.h"
#include "exact/expansion.h"
#include "exact/means.h"
#include "team.h"
#include "kernel/constants.h"

#include <string.h>

#define N 500
#define COLS 37
#define FEW 5
#define MOST 1000
#define TASKS 2

/* One dense view with duplicates, near duplicates, a constant column and columns far from the
 * origin; one of few columns; one of mostly zeros, sparse (view 2) and dense (view 3). */
typedef struct world {
  double many[N * COLS], few[N * FEW], filled[N * COLS], matrix[N * N], value[N * COLS];
  int start[COLS + 1], row[N * COLS], features[20];
  size_t kernels;
  mk_kernel_spec spec[MOST];
  mk_kernel_set *set;
  double alpha[N * TASKS], theta[MOST];
  int sample[N];
  size_t support;
  double *mean[MOST], *root[MOST], scale[MOST], total[MOST];
  int raw;
} world;

static world *world_new(void) {
  world *w = MK_NEW0(world, 1);
  data_fill(N * COLS, w->many);
  data_fill(N * FEW, w->few);
  for (int j = 0; j < COLS; j++)
    for (int i = 0; i < N; i++) {
      double *x = &w->many[j * N + i];
      if (j == 3) *x = 7.0;
      if (j == 4) *x += 30.0;
      if (j == 5) *x = i == 401 ? 2.0 : 0.25; /* constant but for one sample */
      if (i % 10 == 1) *x = w->many[j * N + i - 1];
      if (i % 10 == 2) *x = w->many[j * N + i - 2] + 1e-7 * data_next();
    }
  int entries = 0;
  for (int j = 0; j < COLS; j++) {
    w->start[j] = entries;
    for (int i = 0; i < N; i++)
      if (data_next() > 0.5) {
        w->row[entries] = i;
        w->value[entries] = data_next();
        if (i % 10 == 7) w->value[entries] = 1.0; /* some coincide */
        w->filled[j * N + i] = w->value[entries++];
      }
  }
  w->start[COLS] = entries;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) w->matrix[i * N + j] = w->few[i] * w->few[j] + (i == j);
  for (int k = 0; k < 20; k++) w->features[k] = k + 2;
  for (int m = 0; m < MOST; m++) w->scale[m] = 1.0;
  return w;
}

static void world_add(world *w, mk_kernel_spec spec) {
  w->spec[w->kernels++] = spec;
}

static void add_gaussians(world *w, int view, int count, double narrowest, double ratio) {
  double width = narrowest;
  for (int k = 0; k < count; k++, width *= ratio)
    world_add(w, (mk_kernel_spec){.type = MK_GAUSSIAN, .view = view, .width = width});
}

/* Every third sample is a support vector of the first task; the second task has others too. */
static void world_build(world *w) {
  const mk_view views[4] = {
      {.rows = N, .cols = COLS, .x = w->many},
      {.rows = N, .cols = FEW, .x = w->few},
      {.rows = N, .cols = COLS, .start = w->start, .row = w->row, .value = w->value},
      {.rows = N, .cols = COLS, .x = w->filled}};
  CHECK(mk_set_new(&w->set, N, views, 4, w->spec, w->kernels, NULL) == MK_OK);
  size_t back = N;
  for (int i = 0; i < N; i++) {
    if (i % 3 != 1)
      w->sample[w->support++] = i;
    else
      w->sample[--back] = i;
  }
  for (size_t t = 0; t < TASKS; t++)
    for (size_t k = 0; k < w->support; k++)
      w->alpha[t * w->support + k] = (k + t) % 4 == 0 ? 0.0 : data_next();
  for (size_t m = 0; m < w->kernels; m++) w->theta[m] = m % 5 == 4 ? 0.0 : fabs(data_next());
}

static void world_free(world *w) {
  for (int m = 0; m < MOST; m++) {
    mk_free(w->mean[m]);
    mk_free(w->root[m]);
  }
  mk_set_free(w->set);
  mk_free(w);
}

static void world_normalize(world *w, size_t m, int centred, int rooted) {
  w->scale[m] = 1.5 + data_next();
  if (centred) {
    w->mean[m] = MK_NEW(double, N);
    data_fill(N, w->mean[m]);
    w->total[m] = data_next();
  }
  if (rooted) {
    w->root[m] = MK_NEW(double, N);
    data_fill(N, w->root[m]);
  }
  CHECK(mk_set_normalization(w->set, m, w->scale[m], w->mean[m], w->total[m], w->root[m]) == MK_OK);
}

static double plain_base(const world *w, const mk_kernel_spec *spec, size_t i, size_t j,
                         int distance) {
  const double *x = spec->view == 0 ? w->many : spec->view == 1 ? w->few : w->filled;
  size_t used = spec->features != NULL ? spec->feature_count : spec->view == 1 ? FEW : COLS;
  double sum = 0.0;
  for (size_t k = 0; k < used; k++) {
    size_t column = spec->features != NULL ? (size_t)spec->features[k] : k;
    double a = x[column * N + i], b = x[column * N + j];
    sum += distance ? (a - b) * (a - b) : a * b;
  }
  return sum;
}

/* Values of all kernels on one base are asked for together: a base is computed once. */
static double plain_value(const world *w, size_t m, size_t i, size_t j, double distance,
                          double product) {
  const mk_kernel_spec *spec = &w->spec[m];
  double k = product;
  if (spec->type == MK_GAUSSIAN) k = exp(-distance / spec->width);
  if (spec->type == MK_POLYNOMIAL) k = pow(spec->scale * product + spec->offset, spec->degree);
  if (spec->type == MK_PRECOMPUTED) k = w->matrix[i * N + j];
  if (w->raw) return k;
  if (w->mean[m] != NULL) k += w->total[m] - w->mean[m][i] - w->mean[m][j];
  if (w->root[m] != NULL) k *= w->root[m][i] * w->root[m][j];
  return k * w->scale[m];
}

static int same_base(const mk_kernel_spec *a, const mk_kernel_spec *b) {
  return a->view == b->view && a->features == b->features;
}

static void plain_expansion(const world *w, double *value, double *forms) {
  memset(value, 0, N * TASKS * sizeof *value);
  memset(forms, 0, w->kernels * sizeof *forms);
  for (size_t a = 0; a < N; a++)
    for (size_t b = 0; b < w->support; b++) {
      size_t i = (size_t)w->sample[a], j = (size_t)w->sample[b];
      double distance = 0.0, product = 0.0;
      for (size_t m = 0; m < w->kernels; m++) {
        const mk_kernel_spec *spec = &w->spec[m];
        if (spec->type != MK_PRECOMPUTED && (m == 0 || !same_base(spec, &w->spec[m - 1]))) {
          distance = plain_base(w, spec, i, j, 1);
          product = plain_base(w, spec, i, j, 0);
        }
        double k = plain_value(w, m, i, j, distance, product);
        for (size_t t = 0; t < TASKS; t++) {
          double alpha = w->alpha[t * w->support + b];
          value[t * N + a] += w->theta[m] * alpha * k;
          if (a < w->support) forms[m] += alpha * w->alpha[t * w->support + a] * k;
        }
      }
    }
}

static mk_expansion expansion_of(const world *w, double *value, double *forms) {
  return (mk_expansion){.set = w->set,
                        .sample = w->sample,
                        .support = w->support,
                        .count = N,
                        .tasks = TASKS,
                        .alpha = w->alpha,
                        .theta = w->theta,
                        .raw = w->raw,
                        .value = value,
                        .forms = forms};
}

/* `pieced`: whether pieces must have been used; -1 for either. Everything in one go, and
 * then values alone and forms alone. Errors are measured by the size that f and s
 * could have. */
static void check_world(const world *w, double tolerance, int pieced) {
  double *value = MK_NEW(double, N *TASKS), *truth = MK_NEW(double, N *TASKS);
  double *once = MK_NEW(double, N *TASKS);
  double forms[MOST], truth_forms[MOST], once_forms[MOST], size = 0.0, form_size = 0.0;
  plain_expansion(w, truth, truth_forms);
  for (size_t k = 0; k < N * TASKS; k++) size = fmax(size, fabs(truth[k]));
  for (size_t m = 0; m < w->kernels; m++) form_size = fmax(form_size, fabs(truth_forms[m]));
  mk_control control = {.max_time = INFINITY, .team = team, .start = mk_seconds()};
  mk_expansion ask = expansion_of(w, value, forms);
  CHECK(mk_expand(&ask, &control) == MK_OK);
  CHECK(pieced < 0 || pieced == (ask.pieced > 0));
  CHECK_NEAR(data_distance(N * TASKS, value, truth), 0.0, tolerance * size);
  CHECK_NEAR(data_distance(w->kernels, forms, truth_forms), 0.0, tolerance * form_size);
  ask = expansion_of(w, once, once_forms); /* the same threads give the same bits */
  CHECK(mk_expand(&ask, &control) == MK_OK);
  CHECK(data_distance(N * TASKS, value, once) == 0.0);
  CHECK(data_distance(w->kernels, forms, once_forms) == 0.0);
  ask = expansion_of(w, once, NULL);
  CHECK(mk_expand(&ask, &control) == MK_OK);
  for (size_t t = 0; t < TASKS; t++) {
    size_t from = t * N + w->support;
    double far = data_distance(N - w->support, once + from, truth + from);
    CHECK_NEAR(far, 0.0, tolerance * size);
  }
  ask = expansion_of(w, NULL, once_forms);
  ask.theta = NULL;
  int wanted[MOST] = {0};
  for (size_t m = 0; m < w->kernels; m++) wanted[m] = m % 2 == 0;
  ask.wanted = wanted;
  CHECK(mk_expand(&ask, &control) == MK_OK);
  double most = 0.0;
  for (size_t m = 0; m < w->kernels; m += 2)
    most = worse(most, fabs(once_forms[m] - truth_forms[m]));
  CHECK_NEAR(most, 0.0, tolerance * form_size);
  mk_free(value);
  mk_free(truth);
  mk_free(once);
}

static void test_many_widths(void) {
  world *w = world_new();
  add_gaussians(w, 0, 30, 0.05, 1.5);
  world_build(w);
  check_world(w, 1e-13, 1);
  for (size_t m = 0; m < w->kernels; m++) world_normalize(w, m, m % 3 == 0, m % 7 == 3);
  check_world(w, 1e-12, 1);
  w->raw = 1;
  check_world(w, 1e-13, 1);
  world_free(w);
}

/* Widths that no set of pieces could span, down to nothing and up to everything. */
static void test_tiny_and_huge_widths(void) {
  world *w = world_new();
  const double odd[] = {1e-300, 1e-14, 1e-9, 1e250};
  for (int k = 0; k < 4; k++)
    world_add(w, (mk_kernel_spec){.type = MK_GAUSSIAN, .view = 0, .width = odd[k]});
  world_build(w);
  check_world(w, 1e-13, 0);
  world_free(w);
  w = world_new();
  add_gaussians(w, 0, 40, 1e-10, 2.7);
  world_build(w);
  check_world(w, 1e-12, -1); /* many pieces pay for few threads only */
  world_free(w);
}

static void test_few_features_and_sparse_rows(void) {
  for (int view = 1; view < 4; view++) {
    world *w = world_new();
    add_gaussians(w, view, 25, 0.1, 1.3);
    world_add(w, (mk_kernel_spec){.type = MK_LINEAR, .view = view});
    world_add(w, (mk_kernel_spec){
                     .type = MK_POLYNOMIAL, .view = view, .degree = 3, .scale = 0.5, .offset = 1});
    world_build(w);
    world_normalize(w, 25, 1, 0);
    world_normalize(w, 26, 1, 1);
    check_world(w, 1e-12, 1);
    world_free(w);
  }
}

static void add_mixed(world *w) {
  mk_kernel_spec some = {.type = MK_LINEAR, .view = 0, .features = w->features};
  some.feature_count = 20;
  world_add(w, (mk_kernel_spec){.type = MK_LINEAR, .view = 0});
  world_add(w, (mk_kernel_spec){.type = MK_LINEAR, .view = 0});
  world_add(w, (mk_kernel_spec){
                   .type = MK_POLYNOMIAL, .view = 0, .degree = 2, .scale = 1e-2, .offset = 1});
  world_add(w, (mk_kernel_spec){.type = MK_GAUSSIAN, .view = 0, .width = 8.0});
  world_add(w, some);
  some.type = MK_GAUSSIAN;
  some.width = 3.0;
  world_add(w, some);
  world_add(w, (mk_kernel_spec){.type = MK_PRECOMPUTED, .view = -1, .matrix = w->matrix});
  world_add(w, (mk_kernel_spec){.type = MK_PRECOMPUTED, .view = -1, .matrix = w->matrix});
}

static void test_mixed_families(void) {
  for (int how = 0; how < 4; how++) {
    world *w = world_new();
    add_mixed(w);
    world_build(w);
    for (size_t m = 0; how > 0 && m < w->kernels; m++) world_normalize(w, m, how != 2, how != 1);
    check_world(w, 1e-12, 0);
    world_free(w);
  }
}

/* One feature of few values, of a constant, and of different values. */
static void test_single_features(void) {
  world *w = world_new();
  for (int i = 0; i < N; i++) w->few[i] = floor(4.0 * w->few[i]) / 4.0;
  const int first[3] = {0, 3, 1};
  for (int k = 0; k < 3; k++) {
    mk_kernel_spec spec = {.type = MK_GAUSSIAN, .view = k == 1 ? 0 : 1, .feature_count = 1};
    w->features[k] = first[k];
    spec.features = &w->features[k];
    for (int j = 0; j < 6; j++) {
      spec.width = 0.2 + j;
      world_add(w, spec);
    }
    spec.type = MK_POLYNOMIAL;
    spec.degree = 2;
    spec.scale = spec.offset = 1.0;
    world_add(w, spec);
  }
  world_build(w);
  check_world(w, 1e-12, 1);
  for (size_t m = 0; m < w->kernels; m++) world_normalize(w, m, m % 3 == 0, m > 14);
  check_world(w, 1e-12, 0);
  world_free(w);
}

/* Products alone are not centred. */
static void test_polynomials_alone(void) {
  world *w = world_new();
  for (int degree = 1; degree <= 3; degree++)
    world_add(w,
              (mk_kernel_spec){
                  .type = MK_POLYNOMIAL, .view = 0, .degree = degree, .scale = 0.1, .offset = 1});
  world_build(w);
  check_world(w, 1e-12, 0);
  world_free(w);
}

static void test_one_kernel_and_a_thousand(void) {
  world *w = world_new();
  add_gaussians(w, 0, 1, 5.0, 1.0);
  world_build(w);
  check_world(w, 1e-13, 0);
  world_free(w);
  w = world_new();
  add_gaussians(w, 1, MOST, 0.1, 1.005);
  world_build(w);
  check_world(w, 1e-13, 1);
  world_free(w);
}

/* More widths than nodes: over all that pieces can span and beyond, all the same, nearly so, in one
 * family and in several; among pairs of no distance and of thousands of widths. */
static void test_crowds_of_widths(void) {
  world *w = world_new();
  add_gaussians(w, 0, 230, 1e-7, 1.16); /* the narrowest are left to themselves */
  add_gaussians(w, 1, 50, 2.0, 1.0);
  add_gaussians(w, 2, 60, 3.0, 1.0 + 1e-15);
  add_gaussians(w, 3, 34, 0.5, 1.04);
  add_gaussians(w, 3, 20, 2.1, 2.0); /* a crowded cell, and cells of few */
  for (int k = 0; k < 35; k++)
    world_add(w, (mk_kernel_spec){.type = MK_GAUSSIAN,
                                  .view = 0,
                                  .width = 30.0 + k,
                                  .features = w->features,
                                  .feature_count = 20});
  world_build(w);
  check_world(w, 1e-13, 1);
  for (size_t m = 0; m < w->kernels; m++) {
    if (m % 40 != 7) w->theta[m] = 0.0; /* few weights; all forms */
    world_normalize(w, m, m % 3 == 0, m % 7 == 3);
  }
  check_world(w, 1e-12, 1);
  world_free(w);
}

/* Every feature has its own family, some of them crowded. */
static void test_crowds_by_feature(void) {
  world *w = world_new();
  for (int k = 0; k < 4; k++) {
    w->features[k] = k;
    for (int j = 0; j < 40; j++)
      world_add(w, (mk_kernel_spec){.type = MK_GAUSSIAN,
                                    .view = 0,
                                    .width = exp2(k % 2 ? 0.05 * j : 0.4 * j - 8.0),
                                    .features = &w->features[k],
                                    .feature_count = 1});
  }
  world_build(w);
  check_world(w, 1e-13, 1);
  world_free(w);
}

static void test_no_support_vectors(void) {
  world *w = world_new();
  double value[N * TASKS], forms[8];
  add_mixed(w);
  world_build(w);
  w->support = 0;
  mk_control control = {.max_time = INFINITY, .team = team, .start = mk_seconds()};
  mk_expansion ask = expansion_of(w, value, forms);
  CHECK(mk_expand(&ask, &control) == MK_OK);
  for (size_t m = 0; m < w->kernels; m++) CHECK(forms[m] == 0.0);
  for (int k = 0; k < N * TASKS; k++)
    if (value[k] != 0.0) CHECK(!"a value without support vectors");
  world_free(w);
}

/* Row means of every other kernel against plain sums, over all samples and for new ones. */
static void check_means(world *w) {
  double *mean[MOST] = {NULL}, *seen = MK_NEW(double, N * w->kernels), worst = 0.0;
  mk_control control = {.max_time = INFINITY, .team = team, .start = mk_seconds()};
  w->raw = 1;
  for (size_t m = 0; m < w->kernels; m += 2) mean[m] = seen + m * N;
  for (size_t known = N; known > 0; known = known == N ? N - 77 : 0) {
    size_t from = known == N ? 0 : known;
    CHECK(mk_exact_means(w->set, from, known, NULL, mean, &control) == MK_OK);
    for (size_t m = 0; m < w->kernels; m += 2)
      for (size_t i = from; i < N; i += 7) {
        double sum = 0.0;
        for (size_t j = 0; j < known; j++) {
          const mk_kernel_spec *spec = &w->spec[m];
          int plain = spec->type == MK_PRECOMPUTED;
          double distance = plain ? 0.0 : plain_base(w, spec, i, j, 1);
          double product = plain ? 0.0 : plain_base(w, spec, i, j, 0);
          sum += plain_value(w, m, i, j, distance, product);
        }
        worst = worse(worst, fabs(mean[m][i] - sum / (double)known) / (1.0 + fabs(sum)));
      }
  }
  CHECK_NEAR(worst, 0.0, 1e-13);
  mk_free(seen);
}

static void test_means(void) {
  for (int view = 0; view < 4; view++) {
    world *w = world_new();
    add_gaussians(w, view, 14, 4.0, 1.2);
    world_add(w, (mk_kernel_spec){
                     .type = MK_POLYNOMIAL, .view = view, .degree = 2, .scale = 0.1, .offset = 1});
    world_add(w, (mk_kernel_spec){.type = MK_LINEAR, .view = view});
    world_add(w, (mk_kernel_spec){.type = MK_PRECOMPUTED, .view = -1, .matrix = w->matrix});
    world_build(w);
    check_means(w);
    world_free(w);
  }
}

/* Squares that overflow leave kernel values of 0, as differences do. */
static void test_overflow(void) {
  world *w = world_new();
  double value[N * TASKS], forms[4];
  for (int i = 0; i < N; i++) w->many[i] = i % 2 ? 1e200 : -1e200;
  add_gaussians(w, 0, 4, 1.0, 2.0);
  world_build(w);
  mk_control control = {.max_time = INFINITY, .team = team, .start = mk_seconds()};
  mk_expansion ask = expansion_of(w, value, forms);
  CHECK(mk_expand(&ask, &control) == MK_OK);
  double size = 0.0;
  for (size_t k = 0; k < w->support * TASKS; k++) size += w->alpha[k] * w->alpha[k];
  for (size_t m = 0; m < w->kernels; m++) CHECK(isfinite(forms[m]) && forms[m] < 100.0 * size);
  world_free(w);
}

int main(void) {
  for (int threads = 1; threads <= 3;
       threads += 2) { /* the plain sums take nearly all of the time */
    RUN_TEAM(threads, test_many_widths);
    RUN_TEAM(threads, test_tiny_and_huge_widths);
    RUN_TEAM(threads, test_few_features_and_sparse_rows);
    RUN_TEAM(threads, test_mixed_families);
    RUN_TEAM(threads, test_single_features);
    RUN_TEAM(threads, test_polynomials_alone);
    RUN_TEAM(threads, test_one_kernel_and_a_thousand);
    RUN_TEAM(threads, test_crowds_of_widths);
    RUN_TEAM(threads, test_crowds_by_feature);
    RUN_TEAM(threads, test_no_support_vectors);
    RUN_TEAM(threads, test_means);
    RUN_TEAM(threads, test_overflow);
  }
  return REPORT();
}
