/* Fits of many rows by chunks: they reach the certified optimum of the other optimisers for every
 * norm, and limits leave a feasible solution with its gap. */
#include "base/memory.h"
#include "check.h"
#include "data.h"
#include "optimizer/optimizers.h"

#include <string.h>

#define N 2600
#define COLS 4
#define KERNELS 5
#define TOL 1e-3

typedef struct world {
  double *x, y[N], number[N], cost[N], shape[3 * N];
  mk_kernel_set *set;
  mk_problem problem;
} world;

static void world_new(world *w, mk_loss_type type, double p) {
  mk_kernel_spec spec[KERNELS];
  memset(spec, 0, sizeof spec);
  w->x = MK_NEW(double, N *COLS);
  data_fill(N * COLS, w->x);
  for (int i = 0; i < N; i++) {
    double f = w->x[i] * w->x[i] + w->x[N + i] - 0.3;
    int noise = data_next() > 0.8;
    w->y[i] = (f > 0.0) != noise ? 1.0 : -1.0;
    w->number[i] = f + 0.2 * data_next();
    w->cost[i] = i % 3 == 0 ? 2.0 : 0.5;
  }
  for (int m = 0; m < KERNELS; m++)
    spec[m] = (mk_kernel_spec){.type = MK_GAUSSIAN, .width = 0.2 * (double)(1 << (2 * m))};
  spec[KERNELS - 1] =
      (mk_kernel_spec){.type = MK_POLYNOMIAL, .degree = 2.0, .scale = 1.0, .offset = 1.0};
  const mk_view view = {.rows = N, .cols = COLS, .x = w->x};
  CHECK(mk_set_new(&w->set, N, &view, 1, spec, KERNELS, NULL) == MK_OK);
  int numbers = type == MK_LOSS_SQUARED || type == MK_LOSS_EPSILON;
  w->problem = (mk_problem){.set = w->set,
                            .n = N,
                            .tasks = 1,
                            .norm = mk_lp(p),
                            .linear = numbers ? w->number : w->y,
                            .cost = w->cost,
                            .loss = {.type = type, .parameter = numbers ? 0.1 : 0.0}};
  mk_problem_shape(&w->problem, w->shape);
}

static void world_free(world *w) {
  mk_set_free(w->set);
  mk_free(w->x);
}

static mk_control plain_control(void) {
  return (mk_control){.tol = TOL,
                      .max_time = INFINITY,
                      .max_iter = INFINITY,
                      .cache = MK_DEFAULT_CACHE,
                      .single = 1,
                      .working_set = 1,
                      .start = mk_seconds()};
}

static void check_feasible(const world *w, const mk_solution *s) {
  double sum = 0.0, outside = 0.0;
  for (int i = 0; i < N; i++) {
    sum += s->alpha[i];
    outside = worse(outside, s->alpha[i] - w->problem.upper[i]);
    outside = worse(outside, w->problem.lower[i] - s->alpha[i]);
  }
  CHECK_NEAR(sum, 0.0, 1e-9);
  CHECK(outside <= 1e-12);
}

static void check_same_optimum(mk_loss_type type, double p) {
  world w;
  mk_solution s, other;
  mk_control control = plain_control();
  world_new(&w, type, p);
  CHECK(mk_solution_new(&s, &w.problem) == MK_OK);
  CHECK(mk_solution_new(&other, &w.problem) == MK_OK);
  CHECK(mk_optimize(MK_CHUNKING, &w.problem, &control, NULL, &s) == MK_OK);
  control.start = mk_seconds();
  CHECK(mk_optimize(MK_INTERLEAVED, &w.problem, &control, NULL, &other) == MK_OK);
  CHECK(s.gap <= TOL && other.gap <= TOL);
  CHECK(s.dual <= other.primal && other.dual <= s.primal);
  check_feasible(&w, &s);
  mk_solution_clear(&s);
  mk_solution_clear(&other);
  world_free(&w);
}

static void test_every_norm_ends_at_the_optimum(void) {
  const double norms[] = {1.0, 4.0 / 3.0, 2.0, INFINITY};
  for (int k = 0; k < 4; k++) check_same_optimum(MK_LOSS_HINGE, norms[k]);
}

static void test_every_loss_ends_at_the_optimum(void) {
  const mk_loss_type losses[] = {MK_LOSS_SQUARED_HINGE, MK_LOSS_LOGISTIC, MK_LOSS_SQUARED,
                                 MK_LOSS_EPSILON};
  for (int k = 0; k < 4; k++) check_same_optimum(losses[k], 4.0 / 3.0);
}

static void test_early_ends_leave_a_solution(void) {
  world w;
  mk_solution s;
  mk_control control = plain_control();
  world_new(&w, MK_LOSS_HINGE, 2.0);
  for (int k = 0; k < 2; k++) {
    control.max_time = k == 0 ? 0.0 : INFINITY;
    control.max_iter = k == 0 ? INFINITY : 1.0;
    control.tol = 1e-7;
    CHECK(mk_solution_new(&s, &w.problem) == MK_OK);
    CHECK(mk_optimize(MK_CHUNKING, &w.problem, &control, NULL, &s) ==
          (k == 0 ? MK_TIME_LIMIT : MK_ITERATION_LIMIT));
    CHECK(s.gap > 1e-7 && s.gap <= 1.0);
    check_feasible(&w, &s);
    mk_solution_clear(&s);
  }
  world_free(&w);
}

/* Asks for an end at the third report, which is of the sample's fit. */
typedef struct reports {
  int count, ended;
} reports;

static void end_soon(void *data, double iteration, double seconds, double objective, double gap,
                     double rows) {
  reports *r = data;
  (void)iteration, (void)seconds, (void)objective, (void)gap, (void)rows;
  r->ended = ++r->count >= 3;
}

static void test_an_end_within_the_sample_leaves_its_solution(void) {
  world w;
  mk_solution s;
  reports reports = {0, 0};
  mk_control control = plain_control();
  control.progress = end_soon;
  control.data = &reports;
  control.ended = &reports.ended;
  world_new(&w, MK_LOSS_HINGE, 2.0);
  CHECK(mk_solution_new(&s, &w.problem) == MK_OK);
  CHECK(mk_optimize(MK_CHUNKING, &w.problem, &control, NULL, &s) == MK_TIME_LIMIT);
  CHECK(s.iterations == 0.0 && s.gap > TOL && isfinite(s.gap));
  int right = 0;
  for (int i = 0; i < N; i++) {
    double f = w.x[i] * w.x[i] + w.x[N + i] - 0.3;
    right += (s.decision[i] > 0.0) == (f > 0.0);
  }
  CHECK(right > 0.85 * N);
  double support = mk_support_count(&s.alpha, 1, N);
  CHECK(support > 100.0 && support <= 1001.0);
  check_feasible(&w, &s);
  mk_solution_clear(&s);
  world_free(&w);
}

/* Two tasks, the second of which has the first one's targets in another order. */
#define STATES 40

typedef struct states {
  double *state[STATES];
  size_t size[STATES], count;
} states;

static void keep(void *data, const double *state, size_t size) {
  states *s = data;
  if (s->count == STATES) return;
  s->state[s->count] = MK_NEW(double, size);
  memcpy(s->state[s->count], state, size * sizeof *state);
  s->size[s->count++] = size;
}

static void test_every_state_leads_to_the_same_end(void) {
  world w;
  mk_solution whole, again;
  states kept = {.count = 0};
  world_new(&w, MK_LOSS_HINGE, 4.0 / 3.0);
  mk_control control = plain_control();
  control.tol = 1e-4;
  control.trace = 1;
  control.save = keep;
  control.data = &kept;
  CHECK(mk_solution_new(&whole, &w.problem) == MK_OK);
  CHECK(mk_optimize(MK_CHUNKING, &w.problem, &control, NULL, &whole) == MK_OK);
  CHECK(kept.count > 3);
  control.save = NULL;
  for (size_t k = 0; k < kept.count; k++) {
    mk_start start = {.state = kept.state[k], .state_count = kept.size[k]};
    CHECK(mk_solution_new(&again, &w.problem) == MK_OK);
    CHECK(mk_optimize(MK_CHUNKING, &w.problem, &control, &start, &again) == MK_OK);
    CHECK(memcmp(again.alpha, whole.alpha, N * sizeof(double)) == 0);
    CHECK(memcmp(again.theta, whole.theta, KERNELS * sizeof(double)) == 0);
    CHECK(again.gap == whole.gap && again.history.count == whole.history.count);
    CHECK(again.history.traced == whole.history.traced);
    mk_solution_clear(&again);
  }
  mk_start start = {.state = kept.state[0], .state_count = kept.size[0] - 1};
  CHECK(mk_solution_new(&again, &w.problem) == MK_OK);
  CHECK(mk_optimize(MK_CHUNKING, &w.problem, &control, &start, &again) == MK_BAD_ARGUMENT);
  start.state_count = 1;
  CHECK(mk_optimize(MK_CHUNKING, &w.problem, &control, &start, &again) == MK_BAD_ARGUMENT);
  start.state_count = kept.size[0];
  kept.state[0][0] = 1e300;
  CHECK(mk_optimize(MK_CHUNKING, &w.problem, &control, &start, &again) == MK_BAD_ARGUMENT);
  for (size_t k = 0; k < kept.count; k++) mk_free(kept.state[k]);
  mk_solution_clear(&again);
  mk_solution_clear(&whole);
  world_free(&w);
}

static void test_several_tasks_share_theta(void) {
  world w;
  mk_solution s, other;
  mk_control control = plain_control();
  world_new(&w, MK_LOSS_HINGE, 4.0 / 3.0);
  double *y = MK_NEW(double, 2 * N), *cost = MK_NEW(double, 2 * N), *shape = MK_NEW(double, 6 * N);
  for (int i = 0; i < N; i++) {
    y[i] = w.y[i];
    y[N + i] = w.x[2 * N + i] > 0.2 ? w.y[i] : -w.y[i];
    cost[i] = cost[N + i] = w.cost[i];
  }
  w.problem.tasks = 2;
  w.problem.linear = y;
  w.problem.cost = cost;
  mk_problem_shape(&w.problem, shape);
  CHECK(mk_solution_new(&s, &w.problem) == MK_OK);
  CHECK(mk_solution_new(&other, &w.problem) == MK_OK);
  CHECK(mk_optimize(MK_CHUNKING, &w.problem, &control, NULL, &s) == MK_OK);
  control.start = mk_seconds();
  CHECK(mk_optimize(MK_INTERLEAVED, &w.problem, &control, NULL, &other) == MK_OK);
  CHECK(s.optimizer == MK_CHUNKING && s.gap <= TOL && other.gap <= TOL);
  CHECK(s.dual <= other.primal && other.dual <= s.primal);
  check_feasible(&w, &s);
  mk_solution_clear(&s);
  mk_solution_clear(&other);
  mk_free(y);
  mk_free(cost);
  mk_free(shape);
  world_free(&w);
}

int main(void) {
  RUN(test_every_norm_ends_at_the_optimum);
  RUN(test_every_loss_ends_at_the_optimum);
  RUN(test_early_ends_leave_a_solution);
  RUN(test_an_end_within_the_sample_leaves_its_solution);
  RUN(test_every_state_leads_to_the_same_end);
  RUN(test_several_tasks_share_theta);
  return REPORT();
}
