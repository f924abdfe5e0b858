/* A kernel set with one kernel of every kind on dense and sparse views, and its values by plain
 * definition, for tests of all that uses kernel sets. */
#ifndef MK_TESTS_KERNELS_H
#define MK_TESTS_KERNELS_H

#include "base/memory.h"
#include "check.h"
#include "data.h"
#include "exact/exact.h"
#include "kernel/set.h"

#include <string.h>

#define SAMPLES 70
#define SMALL_COLS 3
#define LARGE_COLS 40
#define SPARSE_COLS 25
#define KERNELS 22

typedef struct fixture {
  double small[SAMPLES * SMALL_COLS], large[SAMPLES * LARGE_COLS];
  double sparse[SAMPLES * SPARSE_COLS]; /* the sparse view, filled up */
  int start[SPARSE_COLS + 1], row[SAMPLES * SPARSE_COLS];
  double value[SAMPLES * SPARSE_COLS];
  double matrix[SAMPLES * SAMPLES];
  int features[4];
  double anchor[LARGE_COLS];
  mk_kernel_spec spec[KERNELS];
  mk_kernel_set *set;
  int calls; /* calls of the kernel function, which fails if `broken` */
  int broken;
} fixture;

static int fixture_function(void *data, const int *rows, size_t row_count, const int *cols,
                            size_t col_count, double *out) {
  fixture *fx = data;
  fx->calls++;
  if (fx->broken) return 1;
  for (size_t c = 0; c < col_count; c++)
    for (size_t r = 0; r < row_count; r++)
      out[c * row_count + r] = 1.0 / (1.0 + fabs(fx->small[rows[r]] - fx->small[cols[c]]));
  return 0;
}

#define LOCAL(v, kind, rate, each)                                                                 \
  {                                                                                                \
    .type = MK_LOCALLY_LINEAR, .view = v, .map = kind, .gamma = rate, .componentwise = each,       \
    .anchor = fx->anchor                                                                           \
  }

static void fixture_specs(fixture *fx) {
  const int features[4] = {1, 7, 8, 39};
  const mk_kernel_spec specs[KERNELS] = {
      {.type = MK_LINEAR, .view = 0},
      {.type = MK_POLYNOMIAL, .view = 0, .degree = 3, .scale = 0.5, .offset = 1.0},
      {.type = MK_GAUSSIAN, .view = 0, .width = 0.05},
      {.type = MK_GAUSSIAN, .view = 0, .width = 2.0},
      {.type = MK_GAUSSIAN, .view = 1, .width = 9.0},
      {.type = MK_GAUSSIAN, .view = 1, .width = 900.0},
      {.type = MK_LINEAR, .view = 1},
      {.type = MK_GAUSSIAN, .view = 1, .width = 1.0, .features = fx->features, .feature_count = 4},
      {.type = MK_LINEAR, .view = 2},
      {.type = MK_GAUSSIAN, .view = 2, .width = 4.0},
      {.type = MK_PRECOMPUTED, .view = -1, .matrix = fx->matrix},
      {.type = MK_FUNCTION, .view = -1, .function = fixture_function, .function_data = fx},
      LOCAL(0, MK_MAP_GAUSSIAN, 0.7, 0),
      LOCAL(1, MK_MAP_SQUARED, 0.3, 1),
      LOCAL(1, MK_MAP_EXPONENTIAL, 0.3, 0),
      LOCAL(1, MK_MAP_LINEAR, 0.1, 0),
      LOCAL(2, MK_MAP_SQUARED, 0.05, 0),
      LOCAL(2, MK_MAP_EXPONENTIAL, 2.0, 1),
      {.type = MK_TANIMOTO, .view = 0},
      {.type = MK_TANIMOTO, .view = 1},
      {.type = MK_TANIMOTO, .view = 2},
      LOCAL(1, MK_MAP_LINEAR, 0.2, 0)};
  memcpy(fx->features, features, sizeof features);
  memcpy(fx->spec, specs, sizeof specs);
  fx->spec[KERNELS - 1].features = fx->features;
  fx->spec[KERNELS - 1].feature_count = 4;
  data_fill(LARGE_COLS, fx->anchor);
}

/* Makes a fixture; `has` is 1 for samples that have the second and the third view (NULL: all). */
static fixture *fixture_having(const double *has) {
  fixture *fx = MK_NEW0(fixture, 1);
  data_fill(SAMPLES * SMALL_COLS, fx->small);
  data_fill(SAMPLES * LARGE_COLS, fx->large);
  int entries = 0;
  for (int j = 0; j < SPARSE_COLS; j++) {
    fx->start[j] = entries;
    for (int i = 0; i < SAMPLES; i++)
      if (data_next() > 0.6) {
        fx->row[entries] = i;
        fx->value[entries] = data_next();
        fx->sparse[j * SAMPLES + i] = fx->value[entries++];
      }
  }
  fx->start[SPARSE_COLS] = entries;
  for (int i = 0; i < SAMPLES; i++) /* a sum of squares: positive semi-definite */
    for (int j = 0; j < SAMPLES; j++)
      fx->matrix[i + j * SAMPLES] = fx->small[i] * fx->small[j] + (i == j);
  fixture_specs(fx);
  const mk_view views[3] = {{.rows = SAMPLES, .cols = SMALL_COLS, .x = fx->small},
                            {.rows = SAMPLES, .cols = LARGE_COLS, .x = fx->large, .has = has},
                            {.rows = SAMPLES,
                             .cols = SPARSE_COLS,
                             .start = fx->start,
                             .row = fx->row,
                             .value = fx->value,
                             .has = has}};
  CHECK(mk_set_new(&fx->set, SAMPLES, views, 3, fx->spec, KERNELS, NULL) == MK_OK);
  return fx;
}

static fixture *fixture_new(void) {
  return fixture_having(NULL);
}

static void fixture_free(fixture *fx) {
  mk_set_free(fx->set);
  mk_free(fx);
}

/* Returns the map h at distance r of one component or of all. */
static inline double plain_map(const mk_kernel_spec *spec, double r) {
  double g = spec->gamma;
  if (spec->map == MK_MAP_EXPONENTIAL) return exp(-g * r);
  if (spec->map == MK_MAP_GAUSSIAN) return exp(-g * r * r);
  return fmax(0.0, 1.0 - (spec->map == MK_MAP_LINEAR ? g * r : g * r * r));
}

/* The inner product of two samples' features, by the definition. */
static inline double plain_local(const mk_kernel_spec *spec, const double *x, int used, int i,
                                 int j) {
  double sum = 0.0, far_i = 0.0, far_j = 0.0;
  for (int k = 0; k < used; k++) {
    int column = spec->features != NULL ? spec->features[k] : k;
    double a = x[i + column * SAMPLES] - spec->anchor[k];
    double b = x[j + column * SAMPLES] - spec->anchor[k];
    far_i += a * a;
    far_j += b * b;
    double h = spec->componentwise ? plain_map(spec, fabs(a)) * plain_map(spec, fabs(b)) : 1.0;
    sum += h * a * b;
  }
  if (spec->componentwise) return sum;
  return plain_map(spec, sqrt(far_i)) * plain_map(spec, sqrt(far_j)) * sum;
}

static inline double plain_kernel(const fixture *fx, int m, int i, int j) {
  const mk_kernel_spec *spec = &fx->spec[m];
  if (spec->type == MK_PRECOMPUTED) return fx->matrix[i + j * SAMPLES];
  if (spec->type == MK_FUNCTION) return 1.0 / (1.0 + fabs(fx->small[i] - fx->small[j]));
  const double *x = spec->view == 0 ? fx->small : spec->view == 1 ? fx->large : fx->sparse;
  int cols = spec->view == 0 ? SMALL_COLS : spec->view == 1 ? LARGE_COLS : SPARSE_COLS;
  int used = spec->features != NULL ? (int)spec->feature_count : cols;
  double product = 0.0, distance = 0.0;
  if (spec->type == MK_LOCALLY_LINEAR) return plain_local(spec, x, used, i, j);
  for (int k = 0; k < used; k++) {
    int column = spec->features != NULL ? spec->features[k] : k;
    double a = x[i + column * SAMPLES], b = x[j + column * SAMPLES];
    product += a * b;
    distance += (a - b) * (a - b);
  }
  if (spec->type == MK_LINEAR) return product;
  if (spec->type == MK_POLYNOMIAL) return pow(spec->scale * product + spec->offset, spec->degree);
  if (spec->type == MK_TANIMOTO && distance + product > 0.0) return product / (distance + product);
  if (spec->type == MK_TANIMOTO) return 1.0;
  return exp(-distance / spec->width);
}

/* Computes all normalised values of kernel m by the exact code: out[i * SAMPLES + j]. */
static inline void exact_matrix(const fixture *fx, size_t m, double *out) {
  mk_exact *exact = mk_exact_new(fx->set);
  int failures = 0;
  for (size_t f = 0; f < mk_set_families(fx->set); f++)
    for (size_t k = 0; k < mk_family_size(fx->set, f); k++) {
      if (mk_family_member(fx->set, f, k) != m) continue;
      for (int i = 0; i < SAMPLES; i++) {
        mk_samples all = mk_span(0, SAMPLES);
        failures += mk_exact_block(exact, f, &i, 1, &all) != MK_OK;
        mk_exact_values(exact, m, 0, out + i * SAMPLES);
      }
    }
  CHECK(failures == 0);
  mk_exact_free(exact);
}

#endif
