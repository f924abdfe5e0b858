/* The table of kinds, and the kinds that have files of their own: values, sums and bounds of their
 * errors against the definitions in twice the precision. */
#include "base/memory.h"
#include "check.h"
#include "data.h"
#include "exact/exact.h"
#include "exact/expansion.h"
#include "kernel/kinds.h"
#include "long-double.h"
#include "rows/mixture.h"

#include <string.h>

#define N 240
#define SUPPORT 150
#define MOST_COLS 60
#define WIDE 20000 /* columns of a sparse view whose distances come from squares and products */
#define KERNELS 4  /* Laplace of two widths, arc-cosine, a Gaussian beside them */

/* Rows that are equal, rows that nearly are, rows of zeros; dense, or the same sparse. */
typedef struct world {
  double x[N * MOST_COLS], value[N * MOST_COLS];
  int start[WIDE + 1], row[N * MOST_COLS];
  mk_view view;
  size_t filled; /* columns with values */
  mk_kernel_spec spec[KERNELS];
  mk_kernel_set *set;
} world;

static mk_kernel_type type_of(const char *name) {
  int type = 1;
  while (type < mk_kind_count() && strcmp(mk_kind_of((mk_kernel_type)type)->name, name) != 0)
    type++;
  CHECK(strcmp(mk_kind_of((mk_kernel_type)type)->name, name) == 0);
  return (mk_kernel_type)type;
}

static world *world_new(size_t filled, size_t cols, int sparse) {
  world *w = MK_NEW0(world, 1);
  int entries = 0;
  w->filled = filled;
  data_fill(N * filled, w->x);
  for (size_t j = 0; j < filled; j++) {
    double *x = w->x + j * N;
    for (int i = 0; i < N; i++) {
      if (sparse && data_next() < 0.4) x[i] = 0.0;
      if (i % 10 == 1) x[i] = x[i - 1];
      if (i % 10 == 2) x[i] = x[i - 2] * (1.0 + 1e-9 * data_next());
      if (i % 60 == 5) x[i] = 0.0;
    }
    w->start[j] = entries;
    for (int i = 0; i < N; i++)
      if (x[i] != 0.0) {
        w->row[entries] = i;
        w->value[entries++] = x[i];
      }
  }
  for (size_t j = filled; j <= cols; j++) w->start[j] = entries;
  w->view = (mk_view){.rows = N, .cols = cols, .x = w->x};
  if (sparse)
    w->view =
        (mk_view){.rows = N, .cols = cols, .start = w->start, .row = w->row, .value = w->value};
  w->spec[0] = (mk_kernel_spec){.type = type_of("laplace"), .width = 0.5};
  w->spec[1] = (mk_kernel_spec){.type = type_of("laplace"), .width = 8.0};
  w->spec[2] = (mk_kernel_spec){.type = type_of("arc_cosine")};
  w->spec[3] = (mk_kernel_spec){.type = MK_GAUSSIAN, .width = 4.0};
  CHECK(mk_set_new(&w->set, N, &w->view, 1, w->spec, KERNELS, NULL) == MK_OK);
  return w;
}

static void world_free(world *w) {
  mk_set_free(w->set);
  mk_free(w);
}

static long double definition(const world *w, size_t m, size_t i, size_t j) {
  const mk_kernel_spec *spec = &w->spec[m];
  int is_arc_cosine = m == 2;
  long double distance = 0, product = 0, own = 0, other = 0, pi = acosl(-1.0L);
  for (size_t k = 0; k < w->filled; k++) {
    long double a = w->x[k * N + i], b = w->x[k * N + j];
    distance += (a - b) * (a - b);
    product += a * b;
    own += a * a;
    other += b * b;
  }
  if (spec->type == MK_GAUSSIAN) return expl(-distance / spec->width);
  if (!is_arc_cosine) return expl(-sqrtl(distance) / spec->width);
  long double size = sqrtl(own * other), t = size > 0 ? product / size : 0;
  t = fmaxl(-1, fminl(1, t));
  return size * (sqrtl((1 - t) * (1 + t)) + (pi - acosl(t)) * t) / pi;
}

static void test_table(void) {
  CHECK(mk_kind_count() >= 9);
  CHECK(mk_kind_of((mk_kernel_type)0) == NULL);
  CHECK(mk_kind_of((mk_kernel_type)(mk_kind_count() + 1)) == NULL);
  CHECK(type_of("linear") == MK_LINEAR && type_of("polynomial") == MK_POLYNOMIAL);
  CHECK(type_of("gaussian") == MK_GAUSSIAN && type_of("precomputed") == MK_PRECOMPUTED);
  CHECK(type_of("function") == MK_FUNCTION && type_of("tanimoto") == MK_TANIMOTO);
  CHECK(type_of("locally_linear") == MK_LOCALLY_LINEAR);
  for (int k = 1; k <= mk_kind_count(); k++) {
    const mk_kind *kind = mk_kind_of((mk_kernel_type)k);
    CHECK(kind->values != NULL && (kind->distances || kind->products));
    CHECK(kind->base == MK_FAMILY_EUCLIDEAN || kind->valid != NULL);
  }
}

static void test_bad_widths(void) {
  world *w = world_new(3, 3, 0);
  const double bad[] = {0.0, -1.0, INFINITY, NAN};
  for (int k = 0; k < 4; k++) {
    mk_kernel_set *set;
    w->spec[1].width = bad[k];
    CHECK(mk_set_new(&set, N, &w->view, 1, w->spec, KERNELS, NULL) == MK_BAD_ARGUMENT);
    mk_set_free(set);
  }
  CHECK(mk_set_width(w->set, 0, 2.0) == MK_BAD_ARGUMENT); /* for Gaussians */
  world_free(w);
}

/* Base values of doubles, and blocks of exact values; 1e-7: roots of roundings of distances. */
static void check_values(const world *w, int rounded) {
  mk_control control = {.max_time = INFINITY, .start = mk_seconds()};
  mk_bases *bases;
  mk_scratch *scratch = mk_scratch_new(w->set);
  mk_exact *exact = mk_exact_new(w->set);
  double base[N], seen[N], diagonal[N], worst = 0.0, worst_exact = 0.0;
  int rows[1];
  CHECK(mk_bases_new(&bases, w->set, 0, &control) == MK_OK);
  for (int i = 0; i < N; i += 3) {
    mk_samples all = mk_span(0, N);
    rows[0] = i;
    CHECK(mk_base_block(bases, 0, rows, 1, &all, (mk_row){base, 0}, N, scratch) == MK_OK);
    CHECK(mk_exact_block(exact, 0, rows, 1, &all) == MK_OK);
    for (size_t m = 0; m < KERNELS; m++) {
      const double *product = mk_family_products(w->set, 0, i, &all, base, seen);
      mk_member_values(w->set, m, i, &all, base, product, seen);
      for (size_t j = 0; j < N; j++)
        worst = fmax(worst, (double)fabsl(seen[j] - definition(w, m, (size_t)i, j)));
      mk_exact_values(exact, m, 0, seen);
      for (size_t j = 0; j < N; j++)
        worst_exact = fmax(worst_exact, (double)fabsl(seen[j] - definition(w, m, (size_t)i, j)));
    }
  }
  for (size_t m = 0; m < KERNELS; m++) {
    CHECK(mk_exact_diagonal(w->set, m, NULL, diagonal) == MK_OK);
    for (size_t i = 0; i < N; i++)
      CHECK_NEAR(diagonal[i], (double)definition(w, m, i, i), 1e-13 * MOST_COLS);
  }
  CHECK_NEAR(worst, 0.0, 1e-6);
  CHECK_NEAR(worst_exact, 0.0, rounded ? 1e-6 : 1e-12);
  mk_exact_free(exact);
  mk_scratch_free(scratch);
  mk_bases_free(bases);
}

/* No error of a sum is larger than its bound. */
static void check_bounds(const world *w) {
  static double alpha[SUPPORT], value[N], slack[N];
  static int sample[N];
  double forms[KERNELS], form_slack[KERNELS], theta[KERNELS], reach[KERNELS];
  mk_control control = {.max_time = INFINITY, .start = mk_seconds()};
  data_fill(SUPPORT, alpha);
  for (int i = 0; i < N; i++) sample[i] = (i * 7) % N;
  for (size_t one = 0; one < KERNELS; one++) {
    for (size_t m = 0; m < KERNELS; m++) theta[m] = m == one;
    memset(slack, 0, sizeof slack);
    memset(form_slack, 0, sizeof form_slack);
    memset(reach, 0, sizeof reach);
    mk_expansion ask = {.set = w->set,
                        .sample = sample,
                        .support = SUPPORT,
                        .count = N,
                        .tasks = 1,
                        .alpha = alpha,
                        .theta = theta,
                        .raw = 1,
                        .value = value,
                        .forms = forms,
                        .value_slack = slack,
                        .form_slack = form_slack,
                        .reach = reach};
    CHECK(mk_expand(&ask, &control) == MK_OK);
    long double form = 0;
    for (size_t a = 0; a < N; a++) {
      long double sum = 0;
      for (size_t b = 0; b < SUPPORT; b++)
        sum += alpha[b] * definition(w, one, (size_t)sample[b], (size_t)sample[a]);
      if (a < SUPPORT) form += alpha[a] * sum;
      CHECK(fabsl(value[a] - sum) <= slack[a]);
      CHECK(slack[a] < 1e-5);
    }
    CHECK(fabsl(forms[one] - form) <= form_slack[one]);
  }
}

static void test_kinds(void) {
  const size_t cols[] = {1, 4, MOST_COLS};
  for (int k = 0; k < 3; k++)
    for (int sparse = 0; sparse < 2; sparse++) {
      world *w = world_new(cols[k], cols[k], sparse);
      check_values(w, sparse);
      check_bounds(w);
      world_free(w);
    }
  world *w = world_new(MOST_COLS, WIDE, 1);
  check_values(w, 1);
  check_bounds(w);
  world_free(w);
}

int main(void) {
  RUN(test_table);
  RUN(test_bad_widths);
  RUN(test_kinds);
  return REPORT();
}
