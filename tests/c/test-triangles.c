/* Values of all kernels on few samples: passes over them and rows of them against the plain
 * definition, and fits that begin with some kernels against those with all. */
#include "kernels.h"

#include "optimizer/active-kernels.h"
#include "optimizer/gram.h"
#include "optimizer/interleaved.h"
#include "team.h"

static mk_control any_control(double tol) {
  return (mk_control){.tol = tol,
                      .cache = (size_t)1 << 28,
                      .team = team,
                      .single = 1,
                      .candidate = 1,
                      .max_time = INFINITY,
                      .max_iter = INFINITY,
                      .start = mk_seconds()};
}

/* ---- passes ---- */

typedef struct matrices {
  double k[KERNELS][SAMPLES * SAMPLES];
} matrices;

static void check_mix(const matrices *all, const mk_triangles *t) {
  enum { LD = SAMPLES + 2 };
  const int list[] = {1, 3, 7, 10};
  const double weight[] = {0.5, 0.0, 2.0, 0.25};
  double *rows = MK_NEW(double, SAMPLES *LD), worst = 0.0;
  mk_triangles_mix(t, list, 4, weight, team, rows, LD);
  for (int i = 0; i < SAMPLES; i++) {
    for (int j = 0; j < SAMPLES; j++) {
      double sum = 0.0;
      for (int k = 0; k < 4; k++) sum += weight[k] * all->k[list[k]][i * SAMPLES + j];
      worst = worse(worst, fabs(rows[i * LD + j] - sum) / (1.0 + fabs(sum)));
    }
    CHECK(rows[i * LD + SAMPLES] == 0.0 && rows[i * LD + SAMPLES + 1] == 0.0);
  }
  CHECK_NEAR(worst, 0.0, 1e-5);
  mk_free(rows);
}

static void respond(const double *k, const double *alpha, double *u) {
  for (int i = 0; i < SAMPLES; i++) {
    u[i] = 0.0;
    for (int j = 0; j < SAMPLES; j++) u[i] += k[i * SAMPLES + j] * alpha[j];
  }
}

static void check_responses(const matrices *all, const mk_triangles *t, const double *alpha) {
  const int list[] = {0, 2, 11};
  double u[3 * SAMPLES], want[SAMPLES], worst[2] = {0.0, 0.0};
  for (int whole = 0; whole < 2; whole++) {
    mk_triangles_respond(t, list, 3, alpha, whole, team, u);
    for (int k = 0; k < 3; k++) {
      respond(all->k[list[k]], alpha, want);
      for (int i = 0; i < SAMPLES; i++)
        if (whole || alpha[i] != 0.0)
          worst[whole] = worse(worst[whole], fabs(u[k * SAMPLES + i] - want[i]));
    }
    CHECK_NEAR(worst[whole], 0.0, 1e-4);
  }
}

static void check_forms(const matrices *all, const mk_triangles *t, const double *alpha) {
  double s[KERNELS], u[SAMPLES], worst = 0.0;
  CHECK(mk_triangles_forms(t, alpha, 2, team, s) == MK_OK);
  for (int m = 0; m < KERNELS; m++) {
    double sum = 0.0;
    for (int task = 0; task < 2; task++) {
      const double *own = alpha + task * SAMPLES;
      respond(all->k[m], own, u);
      for (int i = 0; i < SAMPLES; i++) sum += own[i] * u[i];
    }
    worst = worse(worst, fabs(s[m] - sum) / (1.0 + fabs(sum)));
  }
  CHECK_NEAR(worst, 0.0, 1e-5);
}

static void test_passes(void) {
  fixture *fx = fixture_new();
  matrices *all = MK_NEW(matrices, 1);
  mk_control control = any_control(1e-3);
  mk_triangles *t;
  double alpha[2 * SAMPLES], mean[SAMPLES], root[SAMPLES];
  for (int i = 0; i < SAMPLES; i++) {
    mean[i] = 0.1 * data_next();
    root[i] = 1.0 + 0.5 * data_next();
  }
  CHECK(mk_set_normalization(fx->set, 1, 3.0, NULL, 0.0, NULL) == MK_OK);
  CHECK(mk_set_normalization(fx->set, 3, 0.5, mean, 0.2, NULL) == MK_OK);
  CHECK(mk_set_normalization(fx->set, 7, 2.0, NULL, 0.0, root) == MK_OK);
  data_fill(2 * SAMPLES, alpha);
  for (int i = 0; i < 2 * SAMPLES; i += 3) alpha[i] = 0.0;
  for (size_t m = 0; m < KERNELS; m++) exact_matrix(fx, m, all->k[m]);
  CHECK(mk_triangles_new(&t, fx->set, &control) == MK_OK);
  check_mix(all, t);
  check_responses(all, t, alpha);
  check_forms(all, t, alpha);
  mk_triangles_free(t);
  mk_free(all);
  fixture_free(fx);
}

/* ---- rows ---- */

/* Kernels that take part in a Gram, and what they are. */
typedef struct members {
  const matrices *all;
  const int *list;
  size_t count;
} members;

/* One response after another, with the same alphas and with others, where these are 0 and where
 * not. */
static void check_members(mk_gram *gram, const members *m, const double *alpha) {
  enum { COUNT = 9 };
  int positions[COUNT];
  double u[KERNELS * COUNT], want[SAMPLES], worst = 0.0;
  for (int zeros = 0; zeros < 2; zeros++) {
    int count = 0;
    for (int i = 0; i < SAMPLES && count < COUNT; i++)
      if (zeros || alpha[i] != 0.0) positions[count++] = i;
    CHECK(mk_gram_member_responses(gram, alpha, positions, COUNT, u) == MK_OK);
    for (size_t k = 0; k < m->count; k++) {
      respond(m->all->k[m->list[k]], alpha, want);
      for (size_t i = 0; i < COUNT; i++)
        worst = worse(worst, fabs(u[i * m->count + k] - want[positions[i]]));
    }
  }
  CHECK_NEAR(worst, 0.0, 1e-4);
}

static void check_rows(mk_gram *gram, const members *m, const double *theta) {
  double worst = 0.0;
  mk_status status = MK_OK;
  CHECK(mk_gram_mix(gram, theta) == MK_OK);
  for (size_t i = 0; i < SAMPLES; i++) {
    mk_row row = mk_gram_row(gram, i, &status);
    for (size_t j = 0; status == MK_OK && j < SAMPLES; j++) {
      double sum = 0.0;
      for (size_t k = 0; k < m->count; k++)
        sum += theta[k] * m->all->k[m->list[k]][i * SAMPLES + j];
      worst = worse(worst, fabs(mk_row_at(row, j) - sum) / (1.0 + fabs(sum)));
    }
  }
  CHECK(status == MK_OK);
  CHECK_NEAR(worst, 0.0, 1e-5);
}

/* As the optimiser asks for them: all samples, two tasks. */
static void check_gram(mk_gram *gram, const members *m) {
  double theta[KERNELS], s[KERNELS], alpha[2 * SAMPLES], u[SAMPLES];
  double *columns[] = {alpha, alpha + SAMPLES};
  int order[SAMPLES];
  for (int i = 0; i < SAMPLES; i++) order[i] = i;
  for (size_t k = 0; k < m->count; k++) theta[k] = k % 4 == 3 ? 0.0 : 0.1 * (double)(k + 1);
  CHECK(mk_gram_extend(gram, order, SAMPLES) == MK_OK);
  check_rows(gram, m, theta);
  for (int round = 0; round < 3; round++) {
    data_fill(2 * SAMPLES, alpha);
    for (int i = round; i < 2 * SAMPLES; i += 3) alpha[i] = 0.0;
    mk_alphas alphas = {2, columns};
    CHECK(mk_gram_forms(gram, &alphas, s) == MK_OK);
    for (size_t k = 0; k < m->count; k++) {
      double sum = 0.0;
      for (int task = 0; task < 2; task++) {
        respond(m->all->k[m->list[k]], columns[task], u);
        for (int i = 0; i < SAMPLES; i++) sum += columns[task][i] * u[i];
      }
      CHECK_NEAR(s[k], sum, 1e-5 * (1.0 + fabs(sum)));
    }
    for (int task = 0; task < 2; task++) check_members(gram, m, columns[task]);
  }
}

static void test_rows_of_some_and_all(void) {
  int every[KERNELS];
  const int list[] = {1, 3, 7, 10};
  fixture *fx = fixture_new();
  matrices *all = MK_NEW(matrices, 1);
  mk_control control = any_control(1e-3);
  mk_triangles *t;
  mk_gram *gram;
  for (int m = 0; m < KERNELS; m++) {
    every[m] = m;
    exact_matrix(fx, (size_t)m, all->k[m]);
  }
  CHECK(mk_triangles_new(&t, fx->set, &control) == MK_OK);
  mk_some_kernels some = {fx->set, t, list, 4};
  CHECK(mk_gram_of_part(&gram, &some, 2, &control) == MK_OK);
  check_gram(gram, &(members){all, list, 4});
  mk_gram_free(gram);
  CHECK(mk_gram_new(&gram, fx->set, 0, &control) == MK_OK);
  check_gram(gram, &(members){all, every, KERNELS});
  mk_gram_free(gram);
  mk_triangles_free(t);
  mk_free(all);
  fixture_free(fx);
}

static void test_out_of_range(void) {
  const double scales[] = {1e-40, 1e40};
  mk_control control = any_control(1e-3);
  for (int k = 0; k < 2; k++) {
    fixture *fx = fixture_new();
    mk_triangles *t;
    CHECK(mk_set_normalization(fx->set, 2, scales[k], NULL, 0.0, NULL) == MK_OK);
    CHECK(mk_triangles_new(&t, fx->set, &control) == MK_NOT_FINITE);
    mk_triangles_free(t);
    fixture_free(fx);
  }
}

/* ---- fits ---- */

#define N 90
#define FEATURES 12
#define WIDTHS 6
#define MANY (FEATURES * WIDTHS)

typedef struct task {
  double x[N * FEATURES], y[2 * N], cost[2 * N], box[6 * N];
  int feature[FEATURES];
  mk_kernel_set *set;
  mk_problem problem;
} task;

static task *task_new(mk_loss_type loss, size_t tasks, double C) {
  task *t = MK_NEW0(task, 1);
  mk_kernel_spec spec[MANY];
  memset(spec, 0, sizeof spec);
  data_fill(N * FEATURES, t->x);
  for (int i = 0; i < N; i += 9) /* duplicates, and columns of few values */
    for (int j = 0; j < FEATURES; j++) t->x[i + j * N] = j % 2 ? t->x[j * N] : 1.0;
  for (int i = 0; i < N; i++)
    for (size_t k = 0; k < tasks; k++) {
      t->y[k * N + i] = t->x[i + k * N] * t->x[i + k * N] + 0.3 * data_next() > 0.3 ? 1.0 : -1.0;
      t->cost[k * N + i] = i % 11 == 5 ? 0.0 : C;
    }
  for (int m = 0; m < MANY; m++) {
    t->feature[m / WIDTHS] = m / WIDTHS;
    spec[m] = (mk_kernel_spec){.type = MK_GAUSSIAN,
                               .width = 0.01 * pow(5.0, m % WIDTHS),
                               .features = &t->feature[m / WIDTHS],
                               .feature_count = 1};
  }
  mk_view view = {.rows = N, .cols = FEATURES, .x = t->x};
  CHECK(mk_set_new(&t->set, N, &view, 1, spec, MANY, NULL) == MK_OK);
  t->problem = (mk_problem){.set = t->set,
                            .n = N,
                            .tasks = tasks,
                            .norm = mk_lp(1.0),
                            .linear = t->y,
                            .cost = t->cost,
                            .loss = {.type = loss, .parameter = 0.1}};
  mk_problem_shape(&t->problem, t->box);
  return t;
}

static void task_free(task *t) {
  mk_set_free(t->set);
  mk_free(t);
}

static double fit(const task *t, const mk_control *control, const mk_start *start, int some) {
  mk_start nothing = {.theta = NULL};
  mk_solution solution;
  CHECK(mk_solution_new(&solution, &t->problem) == MK_OK);
  if (start == NULL) start = &nothing;
  if (some)
    CHECK(mk_interleaved(&t->problem, control, start, &solution) == MK_OK);
  else
    CHECK(mk_interleaved_whole(&t->problem, control, start, 0, &solution) == MK_OK);
  CHECK(solution.gap <= control->tol && solution.gap >= -1e-12);
  double last = 0.0;
  for (size_t k = 0; k < solution.history.count; k++) {
    CHECK(solution.history.line[k].iteration >= last);
    last = solution.history.line[k].iteration;
  }
  double dual = solution.dual;
  mk_solution_clear(&solution);
  return dual;
}

static void test_fits(void) {
  const mk_loss_type losses[] = {MK_LOSS_HINGE,   MK_LOSS_SQUARED_HINGE, MK_LOSS_LOGISTIC,
                                 MK_LOSS_SQUARED, MK_LOSS_EPSILON,       MK_LOSS_HUBER};
  const double tols[] = {1e-2, 1e-6}, costs[] = {0.1, 10.0, 1e4};
  for (int k = 0; k < 6; k++)
    for (int c = 0; c < 3; c++) {
      task *t = task_new(losses[k], 1 + (size_t)(c == 1), costs[c]);
      for (int g = 0; g < 2; g++) {
        mk_control control = any_control(tols[g]);
        CHECK(mk_has_few_samples(&t->problem, &control));
        double some = fit(t, &control, NULL, 1), all = fit(t, &control, NULL, 0);
        CHECK_NEAR(some, all, 2.0 * tols[g] * fabs(all));
      }
      task_free(t);
    }
}

/* Theta is on the sphere, and the pair the best on the way, as floats see it. */
static void check_solution(const mk_solution *solution) {
  double sum = 0.0, least = INFINITY;
  for (int m = 0; m < MANY; m++) sum += solution->theta[m];
  CHECK_NEAR(sum, 1.0, 1e-9);
  for (size_t k = 0; k < solution->history.count; k++)
    least = fmin(least, solution->history.line[k].gap);
  CHECK(solution->gap <= 1.001 * least + 1e-5);
}

/* Whatever theta and alpha say, and however soon it must end. */
static void test_starts_and_limits(void) {
  task *t = task_new(MK_LOSS_HINGE, 1, 10.0);
  mk_control control = any_control(1e-3);
  double theta[MANY], alpha[N], value = fit(t, &control, NULL, 1);
  memset(theta, 0, sizeof theta);
  theta[5] = 1.0;
  data_fill(N, alpha);
  for (int i = 0; i < N; i++) alpha[i] *= 30.0;
  mk_start start = {.theta = theta, .alpha = alpha};
  CHECK_NEAR(fit(t, &control, &start, 1), value, 2e-3 * value);
  for (double limit = 0.0; limit < 20.0; limit += 2.0) {
    mk_solution solution;
    mk_control hasty = any_control(1e-9);
    if (limit == 0.0)
      hasty.max_time = 0.0;
    else
      hasty.max_iter = limit;
    CHECK(mk_solution_new(&solution, &t->problem) == MK_OK);
    mk_status status = mk_interleaved(&t->problem, &hasty, NULL, &solution);
    CHECK(status == (limit == 0.0 ? MK_TIME_LIMIT : MK_ITERATION_LIMIT));
    CHECK(solution.primal >= value && solution.dual <= value * (1.0 + 1e-3));
    CHECK_NEAR(solution.primal - solution.dual, solution.gap * solution.primal, 1e-9);
    check_solution(&solution);
    mk_solution_clear(&solution);
  }
  task_free(t);
}

/* Zero alphas are the best: weights are as good as any others, but there. */
static void test_nothing_to_learn(void) {
  task *t = task_new(MK_LOSS_EPSILON, 1, 1.0);
  t->problem.loss.parameter = 2.0;
  mk_problem_shape(&t->problem, t->box);
  mk_control control = any_control(1e-3);
  mk_solution solution;
  CHECK(mk_solution_new(&solution, &t->problem) == MK_OK);
  CHECK(mk_has_few_samples(&t->problem, &control));
  CHECK(mk_interleaved(&t->problem, &control, NULL, &solution) == MK_OK);
  CHECK(solution.gap == 0.0);
  check_solution(&solution);
  mk_solution_clear(&solution);
  task_free(t);
}

int main(void) {
  RUN(test_passes);
  RUN_TEAM(2, test_passes);
  RUN(test_rows_of_some_and_all);
  RUN(test_out_of_range);
  RUN(test_fits);
  RUN_TEAM(2, test_starts_and_limits);
  RUN(test_nothing_to_learn);
  return REPORT();
}
