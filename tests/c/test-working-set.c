/* Who joins the working set, against cases made by hand. */
#include "check.h"
#include "optimizer/working-set.h"

/* Twelve samples of the hinge loss with y = +1, -1, ..., the first few inside. The decision values
 * are of spread 1, so nearly a violator is who has y f below 1.1. */
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

int main(void) {
  RUN(test_near_violators_come_along);
  RUN(test_near_violators_alone_stay_out);
  RUN(test_working_sets_double_at_most);
  RUN(test_the_last_few_come_along);
  RUN(test_samples_without_alpha_stay_out);
  return REPORT();
}
