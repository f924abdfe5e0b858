/* All optimisers on the same problems, checked by plain kernel matrices, and the loop that moves
 * theta by rules. */
#include "judge.h"
#include "optimizer/interleaved.h"
#include "optimizer/optimizers.h"
#include "optimizer/outer-loop.h"
#include "theta/lp.h"
#include "theta/norm.h"

#define TOL 1e-6

/* Returns the tolerance of an optimiser; reduced gradients would take seconds for TOL. */
static double tol_of(mk_optimizer optimizer) {
  return optimizer == MK_REDUCED_GRADIENT ? 1e-3 : TOL;
}

static mk_control plain_control(void) {
  return (mk_control){.tol = TOL,
                      .max_time = INFINITY,
                      .max_iter = INFINITY,
                      .cache = MK_DEFAULT_CACHE,
                      .start = mk_seconds()};
}

static mk_solution fit(mk_optimizer optimizer, const mk_problem *problem) {
  mk_control control = plain_control();
  mk_solution solution;
  control.tol = tol_of(optimizer);
  CHECK(mk_solution_new(&solution, problem) == MK_OK);
  CHECK(mk_optimize(optimizer, problem, &control, NULL, &solution) == MK_OK);
  return solution;
}

/* What rules remember is part of the memory that a fit says it took: a cut is a slope and an alpha.
 * The wrapper remembers nothing; at p = 1 it needs hundreds of moves, which gain little each. */
static void check_counts(const mk_solution *found) {
  const mk_solution *wrapper = &found[MK_WRAPPER];
  const double cut = (KERNELS + SAMPLES) * sizeof(double);
  for (int o = MK_CUTTING_PLANE; o <= MK_LEVEL; o++)
    CHECK((double)found[o].bytes >= (double)wrapper->bytes + cut * found[o].iterations);
  CHECK(wrapper->iterations > 300);
}

static void test_all_find_the_same(void) {
  const double norms[] = {1.0, 4.0 / 3.0, 2.0};
  fixture *fx = fixture_new();
  double *k = plain_matrices(fx);
  task_data data;
  make_tasks(fx, 1.0, &data);
  for (int p = 0; p < 3; p++) {
    mk_norm norm = mk_lp(norms[p]);
    mk_problem problem = problem_of(fx, &data, 1, norm);
    mk_solution found[MK_OPTIMIZERS];
    for (int o = 0; o < MK_OPTIMIZERS; o++) {
      CHECK(mk_optimizer_serves(o, &norm) == (o != MK_REDUCED_GRADIENT || p == 0));
      if (!mk_optimizer_serves(o, &norm)) continue;
      found[o] = fit(o, &problem);
      judge seen = judge_fit(k, &problem, found[o].theta, found[o].alpha, found[o].offset);
      check_feasible(&problem, &found[o]);
      CHECK(found[o].gap <= tol_of(o) && seen.gap <= tol_of(o));
      CHECK_NEAR(found[o].dual, found[0].dual, tol_of(o) * found[0].primal);
    }
    if (p == 0) check_counts(found);
    for (int o = 0; o < MK_OPTIMIZERS; o++)
      if (mk_optimizer_serves(o, &norm)) mk_solution_clear(&found[o]);
  }
  mk_free(k);
  fixture_free(fx);
}

/* Who asks for more than rounding allows gets what it allows, whatever the norm. */
static void test_rounding_is_the_limit(void) {
  fixture *fx = fixture_new();
  task_data data;
  mk_norm block;
  make_tasks(fx, 1.0, &data);
  CHECK(mk_norm_make(&block, MK_NORM_BLOCK, KERNELS, 6.0, NULL, NULL) == MK_OK);
  const mk_norm norms[] = {mk_lp(1.0), mk_lp(4.0 / 3.0), mk_lp(INFINITY), block};
  for (int k = 0; k < 4; k++)
    for (size_t tasks = 1; tasks <= TASKS; tasks++) {
      mk_problem problem = problem_of(fx, &data, tasks, norms[k]);
      mk_control control = plain_control();
      mk_solution solution;
      control.tol = 1e-17;
      CHECK(mk_solution_new(&solution, &problem) == MK_OK);
      CHECK(mk_optimize(MK_INTERLEAVED, &problem, &control, NULL, &solution) == MK_STALLED);
      CHECK(solution.gap < 1e-10);
      mk_solution_clear(&solution);
    }
  fixture_free(fx);
}

/* Similarities that are no kernel leave a gap that no optimiser closes. */
static void test_a_stalled_fit_is_not_repeated(void) {
  enum { N = 20 };
  static double k[N * N], y[N], cost[N], shape[3 * N];
  data_fill(N * N, k);
  for (int i = 0; i < N; i++) {
    y[i] = i % 2 ? 1.0 : -1.0;
    cost[i] = 1.0;
    for (int j = 0; j < i; j++) k[j * N + i] = k[i * N + j];
  }
  const mk_kernel_spec spec = {.type = MK_PRECOMPUTED, .view = -1, .matrix = k};
  mk_kernel_set *set = NULL;
  CHECK(mk_set_new(&set, N, NULL, 0, &spec, 1, NULL) == MK_OK);
  mk_problem problem = {
      .set = set, .n = N, .tasks = 1, .norm = mk_lp(2.0), .linear = y, .cost = cost};
  mk_problem_shape(&problem, shape);
  mk_control control = plain_control();
  mk_solution once, again;
  CHECK(mk_solution_new(&once, &problem) == MK_OK);
  CHECK(mk_solution_new(&again, &problem) == MK_OK);
  CHECK(mk_interleaved(&problem, &control, &(mk_start){.theta = NULL}, &once) == MK_STALLED);
  CHECK(once.gap > control.tol && once.rounding < control.tol);
  CHECK(mk_optimize(MK_INTERLEAVED, &problem, &control, NULL, &again) == MK_STALLED);
  CHECK(again.solves == once.solves);
  mk_solution_clear(&once);
  mk_solution_clear(&again);
  mk_set_free(set);
}

/* ---- what the loop tells a rule ---- */

typedef struct witness {
  const double *k; /* plain matrices */
  const double *y;
  int answers;
  double wrong; /* the worst so far, relative */
  double mean[SAMPLES];
} witness;

static witness *current; /* rules are tables without data of their own before they begin */

/* s_m = alpha'K_m alpha and y'alpha - theta's/2 of an answer's own alpha. */
static void check_answer(witness *w, const mk_answer *answer) {
  double linear = 0.0, form = 0.0;
  for (int i = 0; i < SAMPLES; i++) linear += w->y[i] * answer->alpha[i];
  for (size_t m = 0; m < KERNELS; m++) {
    double s = 0.0;
    for (size_t i = 0; i < SAMPLES; i++)
      for (size_t j = 0; j < SAMPLES; j++)
        s += answer->alpha[i] * w->k[(m * SAMPLES + i) * SAMPLES + j] * answer->alpha[j];
    w->wrong = fmax(w->wrong, fabs(answer->s[m] - s) / (1.0 + s));
    form += answer->theta[m] * s;
  }
  w->wrong = fmax(w->wrong, fabs(answer->lower - (linear - 0.5 * form)) / linear);
}

/* The analytic step. It claims to know the optimum, by half an answer's alphas, which prove
 * nothing: the loop looks, and goes on as before. */
static mk_status next(const mk_rule *rule, const mk_answer *answer, mk_question *question) {
  witness *w = current;
  w->answers++;
  check_answer(w, answer);
  mk_lp_step(rule->count, rule->norm->p, answer->theta, answer->s, question->theta);
  for (int i = 0; i < SAMPLES; i++) w->mean[i] = 0.5 * answer->alpha[i];
  question->lower = answer->lower;
  question->mean = w->mean;
  return MK_OK;
}

static void test_answers_belong_to_their_alphas(void) {
  const mk_rule_type rule = {.next = next};
  fixture *fx = fixture_new();
  double *k = plain_matrices(fx);
  task_data data;
  make_tasks(fx, 1.0, &data);
  mk_problem problem = problem_of(fx, &data, 1, mk_lp(4.0 / 3.0));
  mk_control control = plain_control();
  mk_solution solution;
  witness w = {.k = k, .y = data.y};
  current = &w;
  CHECK(mk_solution_new(&solution, &problem) == MK_OK);
  CHECK(mk_outer_loop(&problem, &control, &(mk_start){.theta = NULL}, &rule, &solution) == MK_OK);
  CHECK(solution.gap <= TOL && w.answers > 5);
  CHECK_NEAR(w.wrong, 0.0, 1e-10);
  mk_solution_clear(&solution);
  mk_free(k);
  fixture_free(fx);
}

int main(void) {
  RUN(test_all_find_the_same);
  RUN(test_rounding_is_the_limit);
  RUN(test_a_stalled_fit_is_not_repeated);
  RUN(test_answers_belong_to_their_alphas);
  return REPORT();
}
