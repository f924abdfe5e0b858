/* The choice of the working set, against cases made by hand. */
#include "check.h"
#include "base/memory.h"
#include "optimizer/working-set.h"

#include <string.h>

/* Twelve samples of the hinge loss with y = +1, -1, ..., the first few inside. The decision values
 * are of spread 1, so samples with y f below 1.1 are nearly violators. */
#define N 12

typedef struct twelve {
  double linear[N], lower[N], upper[N], decision[N];
  int outside[N], list[N];
  size_t inside;
  mk_problem problem;
} twelve;

static void make_twelve(twelve *t, size_t inside, const double *margins) {
  *t = (twelve){.inside = inside};
  for (size_t i = 0; i < N; i++) {
    double y = i % 2 == 0 ? 1.0 : -1.0;
    t->linear[i] = y;
    t->lower[i] = y > 0.0 ? 0.0 : -1.0;
    t->upper[i] = y > 0.0 ? 1.0 : 0.0;
    t->decision[i] = i < inside ? y : y * margins[i - inside];
    if (i >= inside) t->outside[i - inside] = (int)i;
  }
  t->problem =
      (mk_problem){.n = N, .tasks = 1, .linear = t->linear, .lower = t->lower, .upper = t->upper};
}

static size_t joining(twelve *t) {
  size_t count = 99;
  double *decision = t->decision;
  mk_status status =
      mk_find_violators(&t->problem, t->outside, N - t->inside, &decision, t->list, &count);
  CHECK(status == MK_OK);
  return count;
}

static void test_near_violators_come_along(void) {
  twelve t;
  make_twelve(&t, 6, (const double[]){3.0, 0.5, 1.05, -1.0, 2.0, 1.15});
  CHECK(joining(&t) == 3);
  CHECK(t.list[0] == 9 && t.list[1] == 7 && t.list[2] == 8);
}

static void test_near_violators_alone_stay_out(void) {
  twelve t;
  make_twelve(&t, 6, (const double[]){3.0, 1.5, 1.05, 1.0, 2.0, 4.0});
  CHECK(joining(&t) == 0);
}

static void test_working_sets_double_at_most(void) {
  twelve t;
  make_twelve(&t, 4, (const double[]){0.5, 0.4, 0.3, 0.2, 0.1, 0.0, -0.1, -0.2});
  CHECK(joining(&t) == 4);
  for (int k = 0; k < 4; k++) CHECK(t.list[k] == N - 1 - k);
}

static void test_the_last_few_come_along(void) {
  twelve t;
  make_twelve(&t, 6, (const double[]){0.5, 0.4, 0.3, 0.2, 0.1, 7.0});
  CHECK(joining(&t) == 6);
  make_twelve(&t, 6, (const double[]){0.5, 0.4, 0.3, 0.2, 6.0, 7.0});
  CHECK(joining(&t) == 4);
}

static void test_samples_without_alpha_stay_out(void) {
  twelve t;
  make_twelve(&t, 6, (const double[]){0.5, 0.4, 0.3, 0.2, 0.1, 7.0});
  for (int i = 6; i < N; i++) t.lower[i] = t.upper[i] = 0.0;
  CHECK(mk_usable_count(&t.problem) == 6);
  CHECK(joining(&t) == 0);
}

static void test_nobody_is_outside(void) {
  twelve t;
  make_twelve(&t, N, NULL);
  CHECK(joining(&t) == 0);
}

/* 1600 samples, every fourth of which is of class -1, and every eighth, all of class +1, has cost
 * 0. */
#define MANY 1600

typedef struct many {
  double linear[MANY], lower[MANY], upper[MANY], alpha[MANY], decision[MANY];
  int list[MANY];
  size_t count;
  mk_problem problem;
} many;

static many *many_new(void) {
  many *t = MK_NEW0(many, 1);
  for (size_t i = 0; i < MANY; i++) {
    double y = i % 4 == 1 ? -1.0 : 1.0, cost = i % 8 == 7 ? 0.0 : 1.0;
    t->linear[i] = t->decision[i] = y;
    t->lower[i] = y > 0.0 ? 0.0 : -cost;
    t->upper[i] = y > 0.0 ? cost : 0.0;
  }
  t->problem = (mk_problem){
      .n = MANY, .tasks = 1, .linear = t->linear, .lower = t->lower, .upper = t->upper};
  return t;
}

/* Returns the number of samples in the first working set, which must be usable and in order. */
static size_t beginning(many *t, size_t n, int working_set, int cheap, const mk_start *start) {
  mk_control control = {.working_set = working_set};
  t->problem.n = n;
  CHECK(mk_first_working_set(&t->problem, &control, start, cheap, t->list, &t->count) == MK_OK);
  int wrong = 0;
  for (size_t k = 0; k < t->count; k++)
    wrong += t->list[k] % 8 == 7 || (k > 0 && t->list[k] <= t->list[k - 1]);
  CHECK(wrong == 0);
  return t->count;
}

/* All usable samples are in the first working set if samples cost little, if all are asked for, or
 * if they are few. Otherwise 301 of each class are, evenly spaced: no two successive samples of the
 * 400 of class -1 are left out. */
static void test_fits_begin_with_some_of_each_class(void) {
  many *t = many_new();
  mk_start cold = {.alpha = NULL};
  CHECK(beginning(t, MANY, 1, 1, &cold) == 1400);
  CHECK(beginning(t, MANY, 0, 0, &cold) == 1400);
  CHECK(beginning(t, 1000, 1, 0, &cold) == 875);
  CHECK(beginning(t, MANY, 1, 0, &cold) == 602);
  size_t negative = 0, before = 1, apart = 0;
  for (size_t k = 0; k < t->count; k++) {
    size_t i = (size_t)t->list[k];
    if (i % 4 != 1) continue;
    negative++;
    if (i - before > apart) apart = i - before;
    before = i;
  }
  CHECK(negative == 301);
  CHECK(apart == 8);
  mk_free(t);
}

/* Support vectors of a start begin in any case; decision values that it expects add who costs
 * something there, errors included, and are enough by themselves. */
static void test_fits_begin_with_what_a_start_supports(void) {
  many *t = many_new();
  mk_start start = {.alpha = t->alpha};
  for (size_t i = 0; i < MANY; i++) t->alpha[i] = i % 8 == 7 || i < 8 ? 0.0 : 0.5 * t->linear[i];
  CHECK(beginning(t, MANY, 1, 0, &start) == 1393);
  memset(t->alpha, 0, sizeof t->alpha);
  t->alpha[4] = 0.25;
  start.decision = t->decision;
  for (size_t i = 0; i < MANY; i++) t->decision[i] = 1.5 * t->linear[i];
  t->decision[9] = -0.75;
  t->decision[11] = 0.75;
  CHECK(beginning(t, MANY, 1, 0, &start) == 3);
  CHECK(t->list[0] == 4 && t->list[1] == 9 && t->list[2] == 11);
  CHECK(beginning(t, 800, 1, 0, &start) == 3); /* a warm start of a small problem, too */
  start.decision_error = 0.6;
  CHECK(beginning(t, MANY, 1, 0, &start) == 1400);
  mk_free(t);
}

int main(void) {
  RUN(test_near_violators_come_along);
  RUN(test_near_violators_alone_stay_out);
  RUN(test_working_sets_double_at_most);
  RUN(test_the_last_few_come_along);
  RUN(test_samples_without_alpha_stay_out);
  RUN(test_nobody_is_outside);
  RUN(test_fits_begin_with_some_of_each_class);
  RUN(test_fits_begin_with_what_a_start_supports);
  return REPORT();
}
