/* A small problem over kernels of every kind, which every trial of faults.h makes anew. */
#ifndef MK_TESTS_FAULT_WORLD_H
#define MK_TESTS_FAULT_WORLD_H

#include "faults.h"

#include "data.h"
#include "kernel/set.h"
#include "normalize/normalize.h"
#include "team.h"

#define N 36
#define DENSE 4
#define SPARSE 6
#define TASKS 2
#define MOST_KERNELS 12

typedef struct world {
  double dense[N * DENSE], value[N * SPARSE], matrix[N * N], anchor[DENSE];
  int start[SPARSE + 1], row[N * SPARSE];
  double y[N * TASKS], label[N * TASKS], cost[N * TASKS];
} world;

static world w;

static int nearness(void *data, const int *rows, size_t row_count, const int *cols,
                    size_t col_count, double *out) {
  const double *x = data;
  for (size_t c = 0; c < col_count; c++)
    for (size_t r = 0; r < row_count; r++)
      out[c * row_count + r] = exp(-fabs(x[rows[r]] - x[cols[c]]));
  return 0;
}

static inline void world_make(void) {
  int entries = 0;
  data_fill(N * DENSE, w.dense);
  data_fill(DENSE, w.anchor);
  for (int j = 0; j < SPARSE; j++) {
    w.start[j] = entries;
    for (int i = 0; i < N; i++)
      if (data_next() > 0.2) {
        w.row[entries] = i;
        w.value[entries++] = data_next();
      }
  }
  w.start[SPARSE] = entries;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) w.matrix[i + j * N] = w.dense[i] * w.dense[j] + (i == j);
  for (int i = 0; i < N * TASKS; i++) {
    w.y[i] = w.dense[i] + 0.3 * data_next();
    w.label[i] = w.y[i] > 0.0 ? 1.0 : -1.0;
    w.cost[i] = 1.0;
  }
}

/* Kinds of sets, by the providers of rows that they need. */
typedef enum world_kind { ALL_KINDS, GAUSSIANS, COLUMNS, MATRICES, LOCALS, WORLD_KINDS } world_kind;

static const char *const kind_name[WORLD_KINDS] = {"all kinds of kernels", "Gaussians", "columns",
                                                   "matrices", "locally linear"};

static inline size_t world_specs(world_kind kind, mk_kernel_spec *spec) {
  static const int feature[DENSE + SPARSE] = {0, 1, 2, 3, 0, 1, 2, 3, 4, 5};
  const mk_kernel_spec local = {
      .type = MK_LOCALLY_LINEAR, .map = MK_MAP_GAUSSIAN, .gamma = 0.7, .anchor = w.anchor};
  const mk_kernel_spec all[] = {
      {.type = MK_LINEAR, .view = 0},
      {.type = MK_POLYNOMIAL, .view = 0, .degree = 2, .scale = 0.5, .offset = 1.0},
      {.type = MK_GAUSSIAN, .view = 0, .width = 0.5},
      {.type = MK_GAUSSIAN, .view = 0, .width = 3.0},
      {.type = MK_LINEAR, .view = 1},
      {.type = MK_GAUSSIAN, .view = 1, .width = 2.0},
      {.type = MK_TANIMOTO, .view = 1},
      {.type = MK_PRECOMPUTED, .view = -1, .matrix = w.matrix},
      {.type = MK_FUNCTION, .view = -1, .function = nearness, .function_data = w.dense}};
  size_t count = 0;
  memset(spec, 0, MOST_KERNELS * sizeof *spec);
  switch (kind) {
  case ALL_KINDS:
    count = sizeof all / sizeof *all;
    memcpy(spec, all, sizeof all);
    spec[count++] = local;
    spec[count] = local;
    spec[count++].componentwise = 1;
    break;
  case GAUSSIANS:
    for (; count < 6; count++)
      spec[count] =
          (mk_kernel_spec){.type = MK_GAUSSIAN, .view = count % 2, .width = 0.2 * pow(2.0, count)};
    break;
  case COLUMNS:
    for (; count < DENSE + SPARSE; count++)
      spec[count] = (mk_kernel_spec){.type = MK_LINEAR,
                                     .view = count >= DENSE,
                                     .features = &feature[count],
                                     .feature_count = 1};
    break;
  case MATRICES:
    for (; count < 3; count++) spec[count] = all[7];
    break;
  default:
    for (; count < 4; count++) {
      spec[count] = local;
      spec[count].map = (mk_local_map)(1 + count);
    }
  }
  return count;
}

/* Makes a normalised set, which the caller frees even after a failure. */
static inline mk_status world_set(world_kind kind, mk_scaling scaling, const mk_control *control,
                                  mk_kernel_set **set) {
  mk_kernel_spec spec[MOST_KERNELS];
  double mean[MOST_KERNELS][N];
  mk_constants constants[MOST_KERNELS];
  const mk_view views[2] = {
      {.rows = N, .cols = DENSE, .x = w.dense},
      {.rows = N, .cols = SPARSE, .start = w.start, .row = w.row, .value = w.value}};
  size_t count = world_specs(kind, spec);
  *set = NULL;
  MK_TRY(mk_set_new(set, N, views, 2, spec, count, control->team));
  for (size_t m = 0; m < count; m++)
    constants[m] = (mk_constants){.scaling = scaling,
                                  .centred = m % 2 == 0,
                                  .scale = 1.0,
                                  .mean = m % 2 == 0 ? mean[m] : NULL};
  return mk_normalize_fit(*set, constants, NULL, control);
}

static inline mk_control world_control(double tol, size_t cache) {
  return (mk_control){.tol = tol,
                      .max_time = 1e6,
                      .max_iter = INFINITY,
                      .cache = cache,
                      .team = team,
                      .working_set = 1,
                      .start = mk_seconds()};
}

#endif
