/* Thin matrices: products and systems against the plain definition, SVMs by columns against SVMs by
 * rows, and the kernel sets that get thin matrices. */
#include "kernel/constants.h"
#include "base/memory.h"
#include "base/thin.h"
#include "check.h"
#include "data.h"
#include "kernel/features.h"
#include "normalize/normalize.h"
#include "svm/solve.h"
#include "svm/state.h"
#include "team.h"
#include "exact/exact-matrix.h"
#include "low-rank/low-rank.h"
#include "rows/thin-features.h"

#include <string.h>

#define MOST_ROWS 1300
#define MOST_COLUMNS 30

/* A thin matrix written out: Z dense, and K where that is asked for. */
typedef struct plain {
  size_t n, d;
  double z[MOST_ROWS * MOST_COLUMNS]; /* by rows */
  double *k;                          /* n rows of mk_padded(n) */
  mk_thin thin;
} plain;

static plain own;

/* Many zeros where sparse; the first columns may be zero, constant and two of a kind. */
static double entry(size_t j, int sparse, int degenerate) {
  if (degenerate && j < 2) return (double)j;
  return sparse && data_next() > -0.5 ? 0.0 : data_next() + 0.3;
}

static plain *new_plain(size_t n, size_t d, int sparse, int degenerate) {
  plain *a = &own;
  double x[MOST_COLUMNS];
  size_t at = 0;
  a->n = n;
  a->d = d;
  a->k = NULL;
  CHECK(mk_thin_new(&a->thin, n, d, sparse ? n * d : MK_DENSE) == MK_OK);
  for (size_t j = 0; j < d; j++) {
    a->thin.root[j] = j == 4 ? 0.0 : 1.0 + 0.1 * (double)j;
    if (sparse) a->thin.shift[j] = 0.02 * (double)j;
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < d; j++) {
      x[j] = degenerate && j == 3 ? x[2] : entry(j, sparse, degenerate);
      a->z[i * d + j] = a->thin.root[j] * (x[j] - a->thin.shift[j]);
      if (!sparse) a->thin.value[i * d + j] = x[j];
      if (!sparse || x[j] == 0.0) continue;
      a->thin.column[at] = (int)j;
      a->thin.value[at++] = x[j];
    }
    if (sparse) a->thin.start[i + 1] = at;
  }
  return a;
}

static void clear_plain(plain *a) {
  mk_thin_clear(&a->thin);
  mk_free(a->k);
}

static double dot(const plain *a, size_t i, size_t j) {
  double sum = 0.0;
  for (size_t k = 0; k < a->d; k++) sum += a->z[i * a->d + k] * a->z[j * a->d + k];
  return sum;
}

/* Every third row, or all. */
static size_t choose(size_t n, int some, int *list) {
  size_t count = 0;
  for (size_t i = 0; i < n; i += some ? 3 : 1) list[count++] = (int)i;
  return count;
}

static void check_products(const plain *a, const int *list, size_t count) {
  double x[MOST_ROWS] = {0}, out[MOST_ROWS], g[MOST_COLUMNS], copy[MOST_COLUMNS], worst = 0.0;
  data_fill(count, x);
  mk_thin_project(&a->thin, list, count, x, g);
  for (size_t j = 0; j < a->d; j++) {
    double sum = 0.0;
    for (size_t k = 0; k < count; k++)
      sum += x[k] * a->z[(list != NULL ? (size_t)list[k] : k) * a->d + j];
    worst = worse(worst, fabs(sum - g[j]));
  }
  memcpy(copy, g, sizeof copy);
  mk_thin_combine(&a->thin, list, count, copy, out);
  for (size_t k = 0; k < count; k++) {
    double sum = 0.0;
    for (size_t j = 0; j < a->d; j++)
      sum += g[j] * a->z[(list != NULL ? (size_t)list[k] : k) * a->d + j];
    worst = worse(worst, fabs(sum - out[k]) / 100.0);
  }
  CHECK_NEAR(worst, 0.0, 1e-10);
}

/* Columns by rows of a wider matrix, whose other values stay. */
static void check_spread(const plain *a, const int *list, size_t count) {
  size_t apart = count + 2;
  double worst = 0.0, *out = MK_NEW(double, a->d *apart);
  for (size_t k = 0; k < a->d * apart; k++) out[k] = -7.0;
  mk_thin_spread(&a->thin, list, count, out, apart);
  for (size_t j = 0; j < a->d; j++) {
    for (size_t k = 0; k < count; k++) {
      size_t i = list != NULL ? (size_t)list[k] : k;
      worst = worse(worst, fabs(out[j * apart + k] - a->z[i * a->d + j]));
    }
    CHECK(out[j * apart + count] == -7.0 && out[j * apart + count + 1] == -7.0);
  }
  CHECK_NEAR(worst, 0.0, 1e-14);
  mk_free(out);
}

/* What is solved for fulfils the equations; deltas from `delta` to three times that. */
static void check_system(const plain *a, const int *list, size_t count, double delta,
                         int no_offset) {
  double r[MOST_ROWS] = {0}, x[MOST_ROWS], own[MOST_ROWS], worst = 0.0, sum = 0.0, size = 0.0;
  mk_buffer work = {.at = NULL};
  data_fill(count, r);
  memcpy(x, r, sizeof x);
  for (size_t k = 0; k < count; k++) own[k] = delta * (1.0 + (double)(k % 5) / 2.0);
  mk_thin_system s = {.z = &a->thin, .list = list, .count = count, .delta = own, .sum = 0.7};
  s.no_offset = no_offset;
  s.x = x;
  CHECK(mk_thin_solve(&s, &work, team) == MK_OK);
  CHECK(work.bytes <= mk_thin_work_bytes(a->d, 1));
  for (size_t k = 0; k < count; k++) {
    size_t i = list != NULL ? (size_t)list[k] : k;
    double value = own[k] * x[k] + (no_offset ? 0.0 : s.offset) - r[k];
    for (size_t l = 0; l < count; l++)
      value += x[l] * dot(a, i, list != NULL ? (size_t)list[l] : l);
    worst = worse(worst, fabs(value));
    size = worse(size, fabs(x[k]));
    sum += x[k];
  }
  CHECK_NEAR(worst, 0.0, 1e-12 * (1.0 + size) * (double)(count * a->d) / delta);
  if (!no_offset) CHECK_NEAR(sum, 0.7, 1e-9 * (1.0 + size));
  mk_buffer_free(&work);
}

static void test_products_and_systems(void) {
  const size_t rows[] = {2, 50, 1100}, columns[] = {1, 7, 30};
  int list[MOST_ROWS];
  for (int k = 0; k < 18; k++)
    for (int degenerate = 0; degenerate < 2; degenerate++) {
      plain *a = new_plain(rows[k % 3], columns[k / 3 % 3], k / 9, degenerate);
      size_t count = choose(a->n, 1, list);
      check_products(a, NULL, a->n);
      check_products(a, list, count);
      check_spread(a, NULL, a->n);
      check_spread(a, list, count);
      for (int no_offset = 0; no_offset < 2; no_offset++) {
        check_system(a, list, count, 0.5, no_offset);
        if (a->n < 1000) check_system(a, NULL, a->n, 1e-3, no_offset);
      }
      clear_plain(a);
    }
}

static void test_centring(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    plain *a = new_plain(50, 7, sparse, 1);
    double ones[50], out[7];
    for (size_t i = 0; i < 50; i++) ones[i] = 1.0;
    mk_thin_centre(&a->thin);
    mk_thin_project(&a->thin, NULL, 50, ones, out);
    for (size_t j = 0; j < 7; j++) CHECK_NEAR(out[j], 0.0, 1e-12);
    clear_plain(a);
  }
}

/* ---- SVMs ---- */

static mk_row plain_row(void *data, size_t i, mk_status *status) {
  plain *a = data;
  *status = MK_OK;
  return (mk_row){a->k + i * mk_padded(a->n), 0};
}

static void fill_k(plain *a) {
  size_t padded = mk_padded(a->n);
  a->k = MK_NEW0(double, a->n *padded);
  for (size_t i = 0; i < a->n; i++)
    for (size_t j = 0; j < a->n; j++) a->k[i * padded + j] = dot(a, i, j);
}

static mk_status solve(plain *a, const double *y, double c, double target, int by_columns,
                       const mk_control *control, mk_svm *svm) {
  CHECK(mk_svm_init(svm, a->n, &(mk_loss){MK_LOSS_HINGE}) == MK_OK);
  svm->n = a->n;
  double *diagonal = MK_NEW0(double, mk_padded(a->n));
  for (size_t i = 0; i < a->n; i++) {
    diagonal[i] = dot(a, i, i);
    svm->linear[i] = svm->gradient[i] = y[i];
    svm->upper[i] = y[i] > 0 ? c : 0.0;
    svm->lower[i] = y[i] > 0 ? 0.0 : -c;
  }
  svm->lower[0] = svm->upper[0] = 0.0;
  mk_svm_reset_bounds(svm);
  mk_buffer system = {.at = NULL};
  mk_svm_task task = {.svm = svm,
                      .rows = {.row = plain_row, .data = a, .unit = 1e-14},
                      .columns = by_columns ? &a->thin : NULL,
                      .diagonal = diagonal,
                      .control = control,
                      .system = &system};
  mk_status status = mk_svm_solve(&task, target);
  mk_buffer_free(&system);
  mk_free(diagonal);
  return status;
}

/* Feasible, and the gap as claimed from the definition; returns the dual value. */
static double check_answer(const plain *a, const mk_svm *svm, double c, double gap) {
  double sum = 0.0, linear = 0.0, quadratic = 0.0, loss = 0.0;
  int outside = 0;
  for (size_t i = 0; i < a->n; i++) {
    double f = 0.0;
    for (size_t j = 0; j < a->n; j++) f += a->k[i * mk_padded(a->n) + j] * svm->alpha[j];
    outside += !(svm->alpha[i] >= svm->lower[i] && svm->alpha[i] <= svm->upper[i]);
    sum += svm->alpha[i];
    linear += svm->linear[i] * svm->alpha[i];
    quadratic += svm->alpha[i] * f;
    double g = svm->linear[i] - f - svm->offset;
    loss += g > 0.0 ? svm->upper[i] * g : svm->lower[i] * g;
  }
  double size = 1.0 + fabs(linear);
  CHECK(outside == 0);
  CHECK_NEAR(sum, 0.0, 1e-9 * (1.0 + c));
  CHECK(loss + quadratic - linear <= gap + 1e-8 * size);
  return linear - 0.5 * quadratic;
}

static mk_control plain_control(void) {
  return (mk_control){.tol = 1e-3,
                      .max_time = INFINITY,
                      .max_iter = INFINITY,
                      .cache = MK_DEFAULT_CACHE,
                      .team = team,
                      .start = mk_seconds()};
}

/* d = 1, few columns, as many as there are rows, more; noise and separable labels. */
static void test_svms_by_columns_and_by_rows(void) {
  const size_t columns[] = {1, 3, 12, 30};
  double y[400];
  mk_control control = plain_control();
  for (int k = 0; k < 16; k++) {
    size_t d = columns[k % 4], n = k % 4 == 3 ? 25 : 150;
    double c = k & 1 ? 20.0 : 0.1, target = 1e-7 * c * (double)n;
    plain *a = new_plain(n, d, k / 8, k / 4 % 2);
    fill_k(a);
    for (size_t i = 0; i < n; i++)
      y[i] = a->z[i * d + d - 1] + 0.5 * data_next() > 0.3 ? 1.0 : -1.0;
    y[1] = 1.0;
    y[2] = -1.0;
    mk_svm by_columns, by_rows;
    CHECK(solve(a, y, c, target, 1, &control, &by_columns) == MK_OK);
    CHECK(solve(a, y, c, target, 0, &control, &by_rows) == MK_OK);
    double one = check_answer(a, &by_columns, c, target);
    double other = check_answer(a, &by_rows, c, target);
    CHECK_NEAR(one, other, target + 1e-8 * fabs(one));
    mk_svm_clear(&by_columns);
    mk_svm_clear(&by_rows);
    clear_plain(a);
  }
}

static int give_up(void *data) {
  (void)data;
  return 1;
}

static void test_interrupts_and_time_limits_are_heard(void) {
  double y[150];
  plain *a = new_plain(150, 7, 0, 0);
  for (size_t i = 0; i < 150; i++) y[i] = i % 2 ? 1.0 : -1.0;
  for (int k = 0; k < 2; k++) {
    mk_control control = plain_control();
    if (k == 0) control.poll = give_up;
    if (k == 1) control.max_time = 0.0;
    mk_svm svm;
    CHECK(solve(a, y, 1.0, 1e-9, 1, &control, &svm) == (k ? MK_TIME_LIMIT : MK_INTERRUPTED));
    mk_svm_clear(&svm);
  }
  clear_plain(a);
}

/* ---- sets ---- */

static int is_thin(size_t n, size_t columns, int gaussian, int centred, int offset) {
  double *x = MK_NEW(double, n *columns);
  mk_view view = {.rows = n, .cols = columns, .x = x};
  mk_kernel_spec specs[2] = {{.type = MK_LINEAR}, {.type = MK_GAUSSIAN, .width = 1.0}};
  mk_kernel_set *set = NULL;
  data_fill(n * columns, x);
  CHECK(mk_set_new(&set, n, &view, 1, specs, gaussian ? 2 : 1, team) == MK_OK);
  if (centred) CHECK(mk_linear_normalize(set, 0, 1.0, 1, n, NULL) == MK_OK);
  int thin = mk_set_is_thin(set, offset);
  mk_set_free(set);
  mk_free(x);
  return thin;
}

static void test_which_sets_are_taken_by_columns(void) {
  CHECK(is_thin(1200, 3, 0, 0, 1));
  CHECK(is_thin(1200, 1, 0, 0, 1));
  CHECK(is_thin(1200, 3, 0, 0, 0));
  CHECK(is_thin(1200, 3, 0, 1, 1));
  CHECK(!is_thin(1200, 3, 0, 1, 0)); /* means that matter */
  CHECK(!is_thin(1200, 3, 1, 0, 1)); /* another kernel */
  CHECK(!is_thin(100, 3, 0, 0, 1));  /* few rows */
  CHECK(is_thin(1200, 300, 0, 0, 1));
  CHECK(!is_thin(1200, 500, 0, 0, 1));  /* columns that are not few beside them */
  CHECK(!is_thin(3300, 1100, 0, 0, 1)); /* ... or whose systems are slow */
}

/* ---- kernels of low rank ---- */

#define GENOTYPES 600
#define MIXED_KERNELS 6

/* Kernels of columns with few values, polynomials and a matrix; `what` spoils the set. */
typedef enum spoilt {
  AS_IT_IS,
  NOTHING,
  HIGH_RANK,
  INDEFINITE,
  INDEFINITE_MATRIX,
  OFF_DIAGONAL, /* the diagonal is that of a matrix of low rank */
  FUNCTION
} spoilt;

typedef struct genotypes {
  double x[2 * GENOTYPES], has[GENOTYPES], matrix[GENOTYPES * GENOTYPES];
  mk_kernel_set *set;
} genotypes;

static int constant_function(void *data, const int *rows, size_t row_count, const int *cols,
                             size_t col_count, double *out) {
  (void)data, (void)rows, (void)cols;
  for (size_t k = 0; k < row_count * col_count; k++) out[k] = 1.0;
  return 0;
}

static genotypes *new_genotypes(size_t n, spoilt what, int lacking) {
  static const int feature[] = {0, 1};
  static genotypes g;
  mk_kernel_spec spec[MIXED_KERNELS] = {
      {.type = MK_LINEAR, .view = 0},
      {.type = MK_GAUSSIAN, .view = 0, .features = feature, .feature_count = 1, .width = 1.5},
      {.type = MK_LINEAR, .view = 0, .features = feature, .feature_count = 1},
      {.type = MK_POLYNOMIAL,
       .view = 0,
       .features = feature + 1,
       .feature_count = 1,
       .degree = 2,
       .scale = 1.0,
       .offset = 1.0},
      {.type = MK_POLYNOMIAL, .view = 0, .degree = 2, .scale = 1.0, .offset = 1.0},
      {.type = MK_PRECOMPUTED, .view = -1, .matrix = g.matrix}};
  mk_view view = {.rows = n, .cols = 2, .x = g.x, .has = lacking ? g.has : NULL};
  for (size_t i = 0; i < n; i++) {
    g.x[i] = (double)(i % 3) - 0.8;
    g.x[n + i] = cos((double)i);
    g.has[i] = i % 5 != 0;
  }
  for (size_t i = 0; i < n * n; i++) g.matrix[i] = i / n % 4 == i % n % 4 ? 1.0 : 0.0;
  if (what == INDEFINITE_MATRIX) g.matrix[7 * n + 7] = -1.0;
  if (what == OFF_DIAGONAL) g.matrix[(n - 1) * n + n / 2] = g.matrix[n / 2 * n + n - 1] = 0.1;
  if (what == HIGH_RANK)
    spec[1] = (mk_kernel_spec){
        .type = MK_GAUSSIAN, .view = 0, .features = feature + 1, .feature_count = 1, .width = 1e-3};
  if (what == INDEFINITE) spec[3].offset = -2.0;
  if (what == NOTHING) spec[3].scale = spec[3].offset = 0.0;
  if (what == FUNCTION)
    spec[5] = (mk_kernel_spec){.type = MK_FUNCTION, .view = -1, .function = constant_function};
  CHECK(mk_set_new(&g.set, n, &view, 1, spec, MIXED_KERNELS, NULL) == MK_OK);
  return &g;
}

/* How many columns all kernels have, 0 where they aren't taken so. */
static size_t columns_of(size_t n, spoilt what, size_t bytes) {
  genotypes *g = new_genotypes(n, what, 0);
  mk_kernel_set *columns;
  CHECK(mk_set_as_columns(&columns, g->set, bytes, NULL) == MK_OK);
  if (columns != NULL) CHECK(mk_set_is_thin(columns, 0));
  size_t count = columns != NULL ? mk_set_view_columns(columns, 0) : 0;
  mk_set_free(columns);
  mk_set_free(g->set);
  return count;
}

static void test_which_sets_become_columns(void) {
  size_t all = 2 + 3 + 1 + 3 + 6 + 4, bytes = all * GENOTYPES * sizeof(double);
  CHECK(columns_of(GENOTYPES, AS_IT_IS, SIZE_MAX) == all);
  CHECK(columns_of(GENOTYPES, AS_IT_IS, bytes) == all);
  CHECK(columns_of(GENOTYPES, AS_IT_IS, bytes - 1) == 0);
  CHECK(columns_of(GENOTYPES, NOTHING, SIZE_MAX) == all - 2);
  CHECK(columns_of(GENOTYPES, HIGH_RANK, SIZE_MAX) == 0);
  CHECK(columns_of(GENOTYPES, INDEFINITE, SIZE_MAX) == 0);
  CHECK(columns_of(GENOTYPES, INDEFINITE_MATRIX, SIZE_MAX) == 0);
  CHECK(columns_of(GENOTYPES, OFF_DIAGONAL, SIZE_MAX) == 0);
  CHECK(columns_of(GENOTYPES, FUNCTION, SIZE_MAX) == 0);
  CHECK(columns_of(400, AS_IT_IS, SIZE_MAX) == 0);
}

/* The kernels as they are normalised: centred or not, scaled by sample or not, and 0 where samples
 * lack the view. */
static void test_columns_have_the_kernels_values(void) {
  static double mean[MIXED_KERNELS][GENOTYPES], ours[30 * GENOTYPES], plain[30 * GENOTYPES];
  const mk_scaling scaling[] = {MK_SCALE_NONE, MK_SCALE_TRACE, MK_SCALE_SPHERICAL};
  mk_control control = plain_control();
  int rows[30], cols[GENOTYPES];
  for (int i = 0; i < 30; i++) rows[i] = 7 * i;
  for (int i = 0; i < GENOTYPES; i++) cols[i] = i;
  for (int k = 0; k < 12; k++) {
    genotypes *g = new_genotypes(GENOTYPES, AS_IT_IS, k >= 6);
    mk_kernel_set *columns;
    mk_constants constants[MIXED_KERNELS];
    for (int m = 0; m < MIXED_KERNELS; m++)
      constants[m] = (mk_constants){
          .scaling = scaling[k % 3], .centred = k / 3 % 2, .scale = 1.0, .mean = mean[m]};
    CHECK(mk_normalize_fit(g->set, constants, NULL, &control) == MK_OK);
    CHECK(mk_set_as_columns(&columns, g->set, SIZE_MAX, NULL) == MK_OK);
    CHECK(columns != NULL);
    for (size_t m = 0; columns != NULL && m < MIXED_KERNELS; m++) {
      double worst = 0.0;
      mk_matrix_ask ask = {g->set, m, rows, cols, 30, GENOTYPES, plain};
      CHECK(mk_exact_matrix(&ask, &control) == MK_OK);
      ask.set = columns;
      ask.out = ours;
      CHECK(mk_exact_matrix(&ask, &control) == MK_OK);
      for (int i = 0; i < 30 * GENOTYPES; i++) worst = worse(worst, fabs(ours[i] - plain[i]));
      CHECK_NEAR(worst, 0.0, 1e-10);
    }
    mk_set_free(columns);
    mk_set_free(g->set);
  }
}

int main(void) {
  RUN_TEAM(2, test_products_and_systems);
  RUN_TEAM(2, test_centring);
  RUN_TEAM(2, test_svms_by_columns_and_by_rows);
  RUN_TEAM(2, test_interrupts_and_time_limits_are_heard);
  RUN_TEAM(2, test_which_sets_are_taken_by_columns);
  RUN(test_which_sets_become_columns);
  RUN(test_columns_have_the_kernels_values);
  return REPORT();
}
