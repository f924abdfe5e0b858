/* The multi-class hinge loss: its dual over explicit matrices by hand and against conditions of
 * optimality, what makes alphas feasible, and its value with bounds of errors. */
#include "base/memory.h"
#include "certificate/losses.h"
#include "check.h"
#include "data.h"
#include "matrix.h"
#include "problem/problem.h"
#include "svm/joint.h"
#include "svm/state.h"

#define POINTS 30
#define CLASSES 4

static mk_row matrix_row(void *data, size_t i, mk_status *status) {
  matrix *a = data;
  if (a->fail_after-- == 0) {
    *status = MK_CALLBACK;
    return (mk_row){NULL, 0};
  }
  return (mk_row){a->k + i * a->padded, 0};
}

static mk_control plain_control(void) {
  return (mk_control){
      .tol = 1e-3, .max_time = INFINITY, .max_iter = INFINITY, .start = mk_seconds()};
}

/* All alphas are 0. */
static void start(mk_svm *svm, size_t classes, size_t n, const size_t *class, const double *cost) {
  for (size_t r = 0; r < classes; r++) {
    CHECK(mk_svm_init(&svm[r], n, &(mk_loss){.type = MK_LOSS_JOINT, .no_offset = 1}) == MK_OK);
    svm[r].n = n;
    for (size_t i = 0; i < n; i++) {
      int own = class[i] == r;
      svm[r].alpha[i] = 0.0;
      svm[r].linear[i] = svm[r].gradient[i] = own;
      svm[r].upper[i] = own ? cost[i] : 0.0;
      svm[r].lower[i] = own ? 0.0 : -cost[i];
    }
  }
}

static mk_status solve(mk_svm *svm, size_t classes, matrix *a, double target) {
  double *diagonal = MK_NEW0(double, a->padded);
  mk_control control = plain_control();
  for (size_t i = 0; i < a->n; i++) diagonal[i] = a->k[i * a->padded + i];
  mk_joint_task task = {svm, classes, {.row = matrix_row, .data = a}, diagonal, &control};
  mk_status status = mk_joint_solve(&task, target);
  mk_free(diagonal);
  return status;
}

static void clear(mk_svm *svm, size_t classes) {
  for (size_t r = 0; r < classes; r++) mk_svm_clear(&svm[r]);
}

static void test_by_hand(void) {
  /* K = I: a - 3 a^2 / 4 has its top at a = 2/3, or at the bound below, and the others have -a / 2
   */
  const size_t class[3] = {0, 1, 2};
  double bound[] = {0.25, 10.0};
  for (int k = 0; k < 2; k++) {
    double a = fmin(2.0 / 3.0, bound[k]);
    double cost[3] = {bound[k], bound[k], bound[k]}, loss, gap;
    matrix unit = {3, mk_padded(3), NULL, -1};
    unit.k = MK_NEW0(double, 3 * unit.padded);
    for (size_t i = 0; i < 3; i++) unit.k[i * unit.padded + i] = 1.0;
    mk_svm svm[3];
    start(svm, 3, 3, class, cost);
    CHECK(solve(svm, 3, &unit, 1e-12) == MK_OK);
    for (size_t r = 0; r < 3; r++)
      for (size_t i = 0; i < 3; i++) CHECK_NEAR(svm[r].alpha[i], r == i ? a : -a / 2.0, 1e-12);
    mk_joint_measure(svm, 3, &loss, &gap);
    CHECK_NEAR(loss, 3.0 * bound[k] * (1.0 - 1.5 * a), 1e-10);
    CHECK(gap <= 1e-12);
    clear(svm, 3);
    mk_free(unit.k);
  }
}

/* ---- random problems ---- */

static void make_matrix(matrix *a) {
  double z[POINTS][6];
  for (size_t i = 0; i < POINTS; i++) data_fill(6, z[i]);
  *a = (matrix){POINTS, mk_padded(POINTS), NULL, -1};
  a->k = MK_NEW0(double, POINTS * a->padded);
  for (size_t i = 0; i < POINTS; i++)
    for (size_t j = 0; j < POINTS; j++)
      for (size_t d = 0; d < 6; d++) a->k[i * a->padded + j] += z[i][d] * z[j][d];
}

/* Fills the alphas of a point with those of another feasible point. */
static void other_alphas(size_t own, double cost, double *alpha) {
  double sum = 0.0, share = 0.5 + 0.5 * data_next();
  for (size_t r = 0; r < CLASSES; r++) sum += alpha[r] = r == own ? 0.0 : -fabs(data_next());
  for (size_t r = 0; r < CLASSES; r++) alpha[r] *= -share * cost / sum;
  alpha[own] = share * cost;
}

/* Feasible, gap as claimed from K itself, and no way to other feasible points rises by more. */
static void check_optimal(const mk_svm *svm, const matrix *a, const size_t *class,
                          const double *cost, double target) {
  double gradient[CLASSES][POINTS], loss = 0.0, gain = 0.0, quadratic = 0.0, found_loss, found_gap;
  for (size_t r = 0; r < CLASSES; r++)
    for (size_t i = 0; i < POINTS; i++) {
      double f = 0.0;
      for (size_t j = 0; j < POINTS; j++) f += a->k[i * a->padded + j] * svm[r].alpha[j];
      gradient[r][i] = (class[i] == r) - f;
      quadratic += svm[r].alpha[i] * f;
      CHECK_NEAR(svm[r].gradient[i], gradient[r][i], 1e-9);
      CHECK(svm[r].alpha[i] <= (class[i] == r ? cost[i] : 0.0));
    }
  for (size_t i = 0; i < POINTS; i++) {
    double sum = 0.0, most = 0.0;
    for (size_t r = 0; r < CLASSES; r++) {
      sum += svm[r].alpha[i];
      most = fmax(most, gradient[class[i]][i] - gradient[r][i]);
    }
    CHECK_NEAR(sum, 0.0, 1e-12 * (1.0 + cost[i]));
    loss += cost[i] * most;
    gain += svm[class[i]].alpha[i];
  }
  mk_joint_measure(svm, CLASSES, &found_loss, &found_gap);
  CHECK_NEAR(found_loss, loss, 1e-8 * (1.0 + loss));
  CHECK_NEAR(found_gap, loss + quadratic - gain, 1e-8 * (1.0 + loss + gain));
  CHECK(found_gap <= target);
  for (int k = 0; k < 50; k++) {
    double rise = 0.0;
    for (size_t i = 0; i < POINTS; i++) {
      double other[CLASSES];
      other_alphas(class[i], cost[i], other);
      for (size_t r = 0; r < CLASSES; r++) rise += gradient[r][i] * (other[r] - svm[r].alpha[i]);
    }
    CHECK(rise <= target + 1e-9);
  }
}

static void test_random_problems(void) {
  const double costs[] = {0.01, 1.0, 100.0};
  for (int k = 0; k < 9; k++) {
    matrix a;
    mk_svm svm[CLASSES];
    size_t class[POINTS];
    double cost[POINTS];
    make_matrix(&a);
    for (size_t i = 0; i < POINTS; i++) {
      class[i] = i % CLASSES;
      cost[i] = costs[k % 3] * (i % 5 == 0 ? 0.0 : 1.0 + fabs(data_next())); /* some have none */
    }
    start(svm, CLASSES, POINTS, class, cost);
    CHECK(solve(svm, CLASSES, &a, 1e-7) == MK_OK);
    check_optimal(svm, &a, class, cost, 1e-7);
    CHECK(solve(svm, CLASSES, &a, 0.0) == MK_STALLED); /* rounding is the limit */
    check_optimal(svm, &a, class, cost, 1e-7);
    clear(svm, CLASSES);
    start(svm, CLASSES, POINTS, class, cost);
    a.fail_after = 3;
    CHECK(solve(svm, CLASSES, &a, 1e-7) == MK_CALLBACK);
    clear(svm, CLASSES);
    mk_free(a.k);
  }
}

/* ---- feasible alphas, losses ---- */

static void test_feasible(void) {
  double own[3] = {5.0, 0.25, 0.0}, second[3] = {-1.0, -0.25, 0.0}, third[3] = {-3.0, 0.0, 0.0};
  const double cost[3] = {2.0, 1.0, 1.0}, none[3] = {0.0, 0.0, 0.0};
  const double *const upper[3] = {cost, none, none};
  double *const alpha[3] = {own, second, third};
  mk_make_joint_feasible(3, 3, upper, alpha);
  CHECK_NEAR(own[0], 2.0, 1e-15);
  CHECK_NEAR(second[0], -0.5, 1e-15);
  CHECK_NEAR(third[0], -1.5, 1e-15);
  CHECK(own[1] == 0.25 && second[1] == -0.25 && own[2] == 0.0 && third[2] == 0.0);
}

static void test_loss(void) {
  const double f[3] = {0.5, 1.0, -2.0}, slack[3] = {0.01, 0.02, 0.03};
  CHECK_NEAR(mk_joint_loss_at(1, 3, 0, 2.0, f, slack, 0.0), 3.0, 1e-15);
  CHECK_NEAR(mk_joint_loss_at(1, 3, 0, 2.0, f, slack, 1.0), 3.06, 1e-15);
  CHECK_NEAR(mk_joint_loss_at(1, 3, 2, 1.0, f, slack, 0.0), 4.0, 1e-15);
  const double sure[3] = {3.0, 1.0, 0.0};
  CHECK(mk_joint_loss_at(1, 3, 0, 1.0, sure, slack, 0.0) == 0.0);
}

int main(void) {
  RUN(test_by_hand);
  RUN(test_random_problems);
  RUN(test_feasible);
  RUN(test_loss);
  return REPORT();
}
