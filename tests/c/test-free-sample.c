/* Some of the free variables against all of them. */
#include "base/cholesky.h"
#include "base/memory.h"
#include "check.h"
#include "data.h"
#include "optimizer/free-sample.h"

#define N 900
#define SAMPLE 150

typedef struct points {
  double x[2 * N], k[N * N], u[N]; /* what a Hessian's column may be: smooth, and noise */
} points;

/* A narrow and a wide Gaussian of weights `narrow` and 1 between random points. */
static points *make_points(double narrow) {
  points *p = MK_NEW(points, 1);
  data_fill(2 * N, p->x);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      double a = p->x[2 * i] - p->x[2 * j], b = p->x[2 * i + 1] - p->x[2 * j + 1];
      double d = a * a + b * b;
      p->k[i * N + j] = narrow * exp(-d / 1e-4) + exp(-d / 0.5);
    }
    p->u[i] = sin(2.0 * p->x[2 * i]) + 0.3 * data_next();
  }
  return p;
}

/* An SVM whose first variables are free and the last few not. */
static void make_free(mk_svm *svm, size_t bound) {
  mk_loss hinge = {.type = MK_LOSS_HINGE};
  CHECK(mk_svm_init(svm, N, &hinge) == MK_OK);
  svm->n = N;
  for (size_t i = 0; i < N; i++) {
    svm->linear[i] = 1.0;
    svm->upper[i] = 1.0;
    svm->alpha[i] = i < N - bound ? 0.5 : 1.0;
  }
  mk_svm_reset_bounds(svm);
}

/* u' K^-1 u of the variables chosen, with the diagonal of the sample or K's own. */
static double form(const points *p, const mk_free_sample *sample, int shared) {
  size_t count = sample->count;
  double *a = MK_NEW(double, mk_factor_at(count, count)), *v = MK_NEW(double, count), sum = 0.0;
  for (size_t r = 0; r < count; r++) {
    mk_row row = {(void *)(p->k + (size_t)sample->at[r] * N), 0};
    double *own = a + mk_factor_at(count, r);
    for (size_t c = 0; c <= r; c++) own[c] = mk_row_at(row, (size_t)sample->at[c]);
    if (shared) own[r] = mk_free_sample_diagonal(sample, r, row);
    v[r] = p->u[sample->at[r]];
  }
  CHECK(mk_factor((mk_row){a, 0}, count, count, 1e-9, shared ? &sample->pivots : NULL, NULL) ==
        MK_OK);
  mk_factor_lower((mk_row){a, 0}, count, v);
  for (size_t k = 0; k < count; k++) sum += v[k] * v[k];
  mk_free(a);
  mk_free(v);
  return sum;
}

/* A sixth of the variables shows what all of them show, where a sixth by itself would not. */
static void test_a_sample_stands_for_all(void) {
  points *p = make_points(1.0);
  mk_svm svm;
  mk_free_sample all = {.share = 1.0}, some = {.share = 1.0};
  make_free(&svm, 0);
  CHECK(mk_free_sample_new(&all, N) == MK_OK && mk_free_sample_new(&some, N) == MK_OK);
  mk_free_sample_choose(&all, &svm, N);
  mk_free_sample_choose(&some, &svm, SAMPLE);
  CHECK(all.count == N && all.share == 1.0);
  CHECK(some.count == SAMPLE && some.share == 6.0 && some.all_count == N);
  double truth = form(p, &all, 1);
  CHECK(truth == form(p, &all, 0));
  CHECK_NEAR(form(p, &some, 1) / truth, 1.0, 0.25);
  CHECK(form(p, &some, 0) / truth < 0.5);
  mk_free_sample_clear(&all);
  mk_free_sample_clear(&some);
  mk_svm_clear(&svm);
  mk_free(p);
}

/* Without narrow kernels there is nothing to share; duplicates are no more than one; variables at
 * their bounds take no part. */
static void test_the_diagonal_is_within_its_bounds(void) {
  points *p = make_points(0.0);
  mk_svm svm;
  mk_free_sample some = {.share = 1.0};
  make_free(&svm, 60);
  CHECK(mk_free_sample_new(&some, N) == MK_OK);
  mk_free_sample_choose(&some, &svm, 100);
  CHECK(some.count == 100 && some.all_count == N - 60 && some.share == 8.4);
  for (int i = 0; i < N; i++) p->k[i] = p->k[i * N] = 2.0; /* more than its own */
  for (size_t k = 0; k < some.count; k++) {
    CHECK(some.at[k] < N - 60);
    mk_row row = {p->k + (size_t)some.at[k] * N, 0};
    double own = mk_row_at(row, (size_t)some.at[k]),
           shared = mk_free_sample_diagonal(&some, k, row);
    CHECK(shared <= own && shared > 0.9 * own);
    CHECK(some.pivots.least[k] >= 0.0 && some.pivots.more[k] >= some.pivots.least[k]);
  }
  mk_free_sample_choose(&some, &svm, 0);
  CHECK(some.count == 0);
  mk_free_sample_clear(&some);
  mk_svm_clear(&svm);
  mk_free(p);
}

int main(void) {
  RUN(test_a_sample_stands_for_all);
  RUN(test_the_diagonal_is_within_its_bounds);
  return REPORT();
}
