/* Feasible alphas and histories of fits, against values computed by hand. */
#include "base/memory.h"
#include "problem/problem.h"
#include "check.h"


/* Alphas outside their box are set to its ends. Then the alphas of the sign with the larger sum
 * shrink by one share, so that both sums are equal. */
static void test_alphas_become_feasible(void) {
  const double lower[4] = {-1.0, -1.0, -1.0, -1.0}, upper[4] = {1.0, 1.0, 1.0, 1.0};
  const double given[4] = {0.5, 3.0, -0.25, -0.5}; /* 1.5 against 0.75 */
  const double wanted[4] = {0.25, 0.5, -0.25, -0.5};
  const double clipped[4] = {0.5, 1.0, -0.25, -0.5};
  for (int k = 0; k < 3; k++) {
    double sign = k == 1 ? -1.0 : 1.0, alpha[4];
    mk_terms terms = {{MK_LOSS_HINGE, 0.0, k == 2, NULL}, 4, NULL, lower, upper, NULL};
    for (int i = 0; i < 4; i++) alpha[i] = sign * given[i];
    mk_make_feasible(&terms, alpha);
    for (int i = 0; i < 4; i++) CHECK(alpha[i] == sign * (k == 2 ? clipped[i] : wanted[i]));
  }
}

/* If all alphas have one sign, they become 0. */
static void test_alphas_of_one_side_vanish(void) {
  const double lower[3] = {0.0, 0.0, 0.0}, upper[3] = {1.0, 1.0, 1.0};
  double alpha[3] = {0.5, 0.25, 0.0}, none[3] = {0.0, 0.0, 0.0};
  mk_terms terms = {{MK_LOSS_HINGE, 0.0, 0, NULL}, 3, NULL, lower, upper, NULL};
  mk_make_feasible(&terms, alpha);
  mk_make_feasible(&terms, none);
  for (int i = 0; i < 3; i++) CHECK(alpha[i] == 0.0 && none[i] == 0.0);
}

/* Thirds, sevenths and so on leave roundings, which go where they fit: the sum is 0 to the last
 * digit of the least alpha. */
static void test_roundings_of_the_sum_are_settled(void) {
  enum { N = 60 };
  double lower[N], upper[N], alpha[N], least = INFINITY, sum = 0.0;
  for (int i = 0; i < N; i++) {
    lower[i] = -1.0;
    upper[i] = 1.0;
    alpha[i] = (i % 3 ? 1.0 : -0.7) / (3.0 + 2.0 * i);
  }
  mk_terms terms = {{MK_LOSS_HINGE, 0.0, 0, NULL}, N, NULL, lower, upper, NULL};
  mk_make_feasible(&terms, alpha);
  for (int i = 0; i < N; i++) least = fmin(least, fabs(alpha[i]));
  for (int i = 0; i < N; i++) sum += alpha[i] * 0x1p60 == rint(alpha[i] * 0x1p60); /* on one grid */
  CHECK(sum == N);
  long long whole = 0;
  for (int i = 0; i < N; i++) whole += (long long)(alpha[i] * 0x1p60);
  CHECK(fabs((double)whole) <= 0x1p60 * 0x1p-52 * least);
}

static void test_support_is_counted_once(void) {
  double first[5] = {1.0, 0.0, 0.0, -0.5, 0.25}, second[5] = {0.0, 0.0, 2.0, 0.5, 1.0};
  double *const alpha[2] = {first, second};
  CHECK(mk_support_count(alpha, 2, 5) == 4.0);
  CHECK(mk_support_count(alpha, 1, 5) == 3.0);
}

/* 200 lines: more than there is room for at first, twice over. Theta of line k is (k, 0, -k). */
static void record(mk_history *history, const mk_control *control) {
  for (int k = 0; k < 200; k++) {
    double theta[3] = {k, 0.0, -k};
    mk_line line = {.iteration = k, .objective = 2.0 * k};
    CHECK(mk_history_note(history, control, line, theta, 3) == MK_OK);
  }
  CHECK(history->count == 200);
  for (int k = 0; k < 200; k++) {
    CHECK(history->line[k].iteration == k && history->line[k].objective == 2.0 * k);
    CHECK(history->line[k].kernels == (k > 0));
  }
}

static void check_trace(const mk_history *history, size_t rows) {
  CHECK(history->traced == rows);
  for (size_t k = 0; k < history->traced; k++) {
    const double *theta = history->theta + 3 * k;
    CHECK(theta[0] == (double)k && theta[1] == 0.0 && theta[2] == -(double)k);
  }
}

static void forget(mk_history *history) {
  mk_free(history->line);
  mk_free(history->theta);
}

/* All of theta is traced where it is wanted, or as many of the first lines as the budget has room
 * for. */
static void test_history_is_what_was_noted(void) {
  mk_history history = {.count = 0}, traced = {.count = 0}, poor = {.count = 0};
  mk_control control = {.cache = 1 << 20};
  record(&history, &control);
  CHECK(history.traced == 0 && history.theta == NULL);
  control.trace = 1;
  record(&traced, &control);
  check_trace(&traced, 200);
  control.cache = 16 * 70 * 3 * sizeof(double);
  record(&poor, &control);
  check_trace(&poor, 70);
  forget(&history);
  forget(&traced);
  forget(&poor);
}

int main(void) {
  RUN(test_alphas_become_feasible);
  RUN(test_alphas_of_one_side_vanish);
  RUN(test_roundings_of_the_sum_are_settled);
  RUN(test_support_is_counted_once);
  RUN(test_history_is_what_was_noted);
  return REPORT();
}
