/* Distances and inner products by tiles against plain loops: some samples are rows and others
 * columns, and some features are 0 or constant in the rows alone. */
#include "base/memory.h"
#include "check.h"
#include "data.h"
#include "exact/tiles.h"
#include "kernel/set.h"

#define ROWS 22 /* samples that are rows; the others are columns */
#define N 50
#define FEATURES 30

typedef struct tiling {
  double x[N * FEATURES], value[N * FEATURES];
  int start[FEATURES + 1], row[N * FEATURES], used[FEATURES];
  size_t count; /* of features that the kernel reads */
  mk_kernel_set *set;
} tiling;

/* Values of which one in `each` is not 0. Of the features, 3 is 1 in all rows, 4 a constant, 5 and
 * the last one 0 in rows alone; the first column is the first row but for feature 5. */
static tiling *tiling_new(int each) {
  tiling *t = MK_NEW0(tiling, 1);
  for (size_t j = 0; j < FEATURES; j++)
    for (size_t i = 0; i < N; i++) {
      double *x = &t->x[j * N + i];
      int in_rows = i < ROWS, varies = j < 3 || (j > 5 && j + 1 < FEATURES);
      *x = (i + 3 * j) % (size_t)each == 0 ? data_next() : 0.0;
      if (in_rows && !varies) *x = j == 3 ? 1.0 : j == 4 ? 7.0 : 0.0;
      if (i == ROWS) *x = j == 5 ? 1e-5 : t->x[j * N];
    }
  return t;
}

static void fill_sparse(tiling *t) {
  int entries = 0;
  for (size_t j = 0; j < FEATURES; j++) {
    t->start[j] = entries;
    for (size_t i = 0; i < N; i++) {
      if (t->x[j * N + i] == 0.0) continue;
      t->row[entries] = (int)i;
      t->value[entries++] = t->x[j * N + i];
    }
  }
  t->start[FEATURES] = entries;
}

/* Features from the first on, in steps. */
static void build(tiling *t, int sparse, size_t first, size_t step) {
  mk_view view = {.rows = N, .cols = FEATURES, .x = t->x};
  for (size_t j = first; j < FEATURES; j += step) t->used[t->count++] = (int)j;
  if (sparse) {
    fill_sparse(t);
    view =
        (mk_view){.rows = N, .cols = FEATURES, .start = t->start, .row = t->row, .value = t->value};
  }
  mk_kernel_spec spec = {
      .type = MK_GAUSSIAN, .width = 1.0, .features = t->used, .feature_count = t->count};
  CHECK(mk_set_new(&t->set, N, &view, 1, &spec, 1, NULL) == MK_OK);
}

/* Errors over what they may be; distances of near pairs are as exact as others. */
static double worst_of(const tiling *t, size_t i, size_t j, const double *distance,
                       const double *product) {
  double d = 0.0, p = 0.0, size = 0.0;
  for (size_t k = 0; k < t->count; k++) {
    double a = t->x[(size_t)t->used[k] * N + i], b = t->x[(size_t)t->used[k] * N + j];
    d += (a - b) * (a - b);
    p += a * b;
    size += a * a + b * b;
  }
  double error = fabs(*product - p) / (1e-13 * size + 1e-300);
  double near = d < 1e-4 * size ? 1e-10 * d : 1e-13 * size;
  return distance == NULL ? error : worse(error, fabs(*distance - d) / (near + 1e-300));
}

static void check_tiles(tiling *t, int distances) {
  int sample[N];
  static double distance[MK_STRIP_ROWS * MK_STRIP_COLS], product[MK_STRIP_ROWS * MK_STRIP_COLS];
  mk_tiles *tiles;
  for (int i = 0; i < N; i++) sample[i] = i;
  CHECK(mk_tiles_new(&tiles, t->set, &t->set->family[0], sample, ROWS, distances, NULL) == MK_OK);
  mk_tile_strip *strip = mk_tile_strip_new(tiles);
  CHECK(strip != NULL);
  mk_tile_strip_pack(tiles, strip, sample + ROWS, N - ROWS);
  mk_tiles_block(tiles, strip, 0, ROWS, 0, distances ? distance : NULL, product);
  double worst = 0.0;
  for (size_t i = 0; i < ROWS; i++)
    for (size_t j = 0; j < N - ROWS; j++) {
      size_t at = i * MK_STRIP_COLS + j;
      const double *far = distances ? distance + at : NULL;
      worst = worse(worst, worst_of(t, i, ROWS + j, far, product + at));
    }
  CHECK_NEAR(worst, 0.0, 1.0);
  mk_tile_strip_free(strip);
  mk_tiles_free(tiles);
}

/* Dense or sparse views of many zeros or none, all features or some, few or many. */
static void test_tiles_follow_the_definition(void) {
  const int each[] = {1, 6};
  for (int k = 0; k < 2; k++)
    for (int sparse = 0; sparse < 2; sparse++)
      for (size_t first = 0; first < 3; first++)
        for (size_t step = 1; step < 5; step++)
          for (int distances = 0; distances < 2; distances++) {
            tiling *t = tiling_new(each[k]);
            build(t, sparse, first, step);
            check_tiles(t, distances);
            mk_set_free(t->set);
            mk_free(t);
          }
}

int main(void) {
  RUN(test_tiles_follow_the_definition);
  return REPORT();
}
