/* A whole fit over all kinds of kernels, judged from plain kernel matrices only. */
#include "judge.h"
#include "optimizer/rescale.h"
#include "certificate/certificate.h"
#include "optimizer/optimizers.h"
#include "team.h"
#include "theta/norm.h"

static void check_fit(const fixture *fx, const double *k, mk_norm norm, double c, size_t tasks,
                      double tol) {
  task_data data;
  make_tasks(fx, c, &data);
  mk_problem problem = problem_of(fx, &data, tasks, norm);
  mk_control control = {.tol = tol,
                        .max_time =
                            600.0, /* of which a busy machine under a sanitizer takes a part */
                        .max_iter = INFINITY,
                        .team = team,
                        .working_set = 1,
                        .start = mk_seconds()};
  mk_solution solution;
  CHECK(mk_solution_new(&solution, &problem) == MK_OK);
  mk_status status = mk_optimize(MK_INTERLEAVED, &problem, &control, NULL, &solution);
  CHECK(status == MK_OK);
  if (status != MK_OK)
    printf("    norm %d (%g), C = %g, %d tasks, tol %g: %s, gap %g\n", (int)norm.type,
           norm.type == MK_NORM_LP ? norm.p : norm.parameter, c, (int)tasks, tol,
           mk_status_message(status), solution.gap);
  judge seen = judge_fit(k, &problem, solution.theta, solution.alpha, solution.offset);
  check_feasible(&problem, &solution);
  CHECK(seen.gap <= tol * 1.001 + 1e-12);
  /* what rounding may have done is part of the gap, and no more than that */
  double allowed = 1e-9 + solution.rounding;
  CHECK_NEAR(seen.gap, solution.gap, allowed);
  CHECK_NEAR(seen.primal, solution.primal, allowed * fabs(seen.primal));
  CHECK_NEAR(seen.dual, solution.dual, allowed * fabs(seen.primal));
  CHECK(seen.gap <= solution.gap + 1e-11);
  CHECK(solution.rounding < 1e-7);
  int sure = 0; /* decision values that no rounding can have moved: there is none */
  for (size_t i = 0; i < SAMPLES * tasks; i++) sure += !(solution.slack[i] > 0.0);
  CHECK(sure == 0);
  mk_solution_clear(&solution);
}

static void test_every_norm_is_solved(void) {
  const double norms[] = {1.0, 32.0 / 31.0, 4.0 / 3.0, 2.0, 16.0, INFINITY};
  fixture *fx = fixture_new();
  double *k = plain_matrices(fx);
  for (size_t i = 0; i < sizeof norms / sizeof *norms; i++)
    for (size_t tasks = 1; tasks <= TASKS; tasks++) {
      check_fit(fx, k, mk_lp(norms[i]), 1.0, tasks, 1e-3);
      check_fit(fx, k, mk_lp(norms[i]), 0.1, tasks, 1e-6);
      check_fit(fx, k, mk_lp(norms[i]), 100.0, tasks, 1e-3);
    }
  mk_free(k);
  fixture_free(fx);
}

/* A matrix with entries of both signs, diagonally dominant. */
static void make_matrix(double *e) {
  for (int i = 0; i < KERNELS; i++)
    for (int j = 0; j <= i; j++)
      e[i * KERNELS + j] = e[j * KERNELS + i] = i == j ? 2.0 : 1.8 / KERNELS * data_next();
}

static void test_other_norms_are_solved(void) {
  static const struct {
    mk_norm_type type;
    double parameter;
  } kinds[] = {{MK_NORM_LP, 1.0},     {MK_NORM_LP, 1.5},    {MK_NORM_QUADRATIC, 0.0},
               {MK_NORM_BLOCK, 2.5},  {MK_NORM_BLOCK, 6.0}, {MK_NORM_ELASTIC, 0.02},
               {MK_NORM_ELASTIC, 0.6}};
  fixture *fx = fixture_new();
  double *k = plain_matrices(fx), weights[KERNELS], matrix[KERNELS * KERNELS];
  for (int m = 0; m < KERNELS; m++) weights[m] = 1.5 + data_next();
  make_matrix(matrix);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    mk_norm norm;
    double *memory = MK_NEW(double, mk_norm_memory(kinds[i].type, KERNELS));
    const double *values = kinds[i].type == MK_NORM_LP          ? weights
                           : kinds[i].type == MK_NORM_QUADRATIC ? matrix
                                                                : NULL;
    CHECK(mk_norm_make(&norm, kinds[i].type, KERNELS, kinds[i].parameter, values, memory) == MK_OK);
    for (size_t tasks = 1; tasks <= TASKS; tasks++) {
      check_fit(fx, k, norm, 1.0, tasks, 1e-3);
      check_fit(fx, k, norm, 0.1, tasks, 1e-6);
      check_fit(fx, k, norm, 100.0, tasks, 1e-3);
    }
    mk_free(memory);
  }
  mk_free(k);
  fixture_free(fx);
}

/* The certificate of any point, not only of a good one. */
static void test_certificate_of_any_point(void) {
  fixture *fx = fixture_new();
  double *k = plain_matrices(fx), theta[KERNELS], alpha[SAMPLES], offset, forms[KERNELS];
  double decision[SAMPLES];
  task_data data;
  make_tasks(fx, 2.0, &data);
  for (int round = 0; round < 5; round++) {
    double p = round < 4 ? 1.0 + round : INFINITY, balance = 0.0;
    mk_problem problem = problem_of(fx, &data, 1, mk_lp(p));
    mk_control control = {.max_time = INFINITY, .team = team, .start = mk_seconds()};
    for (int m = 0; m < KERNELS; m++) theta[m] = fabs(data_next());
    double size = norm_of(theta, p);
    for (int m = 0; m < KERNELS; m++) theta[m] /= size;
    for (int i = 0; i < SAMPLES; i++) {
      alpha[i] = data.y[i] * fabs(data_next());
      balance += alpha[i];
    }
    for (int i = 0; i < SAMPLES; i++) /* sum 0, inside the box of 2 */
      alpha[i] = 0.5 * alpha[i] - (alpha[i] * balance > 0 ? 0.5 * alpha[i] : 0.0);
    balance = 0.0;
    for (int i = 0; i < SAMPLES; i++) balance += alpha[i];
    for (int i = 0; i < SAMPLES && balance != 0.0; i++)
      if (data.y[i] * balance < 0) {
        double room = 2.0 - fabs(alpha[i]), take = fmin(room, fabs(balance));
        alpha[i] += data.y[i] * take;
        balance += data.y[i] * take;
      }
    mk_certificate certificate = {.offset = &offset, .forms = forms, .decision = decision};
    CHECK(mk_certify(&problem, theta, alpha, &control, &certificate) == MK_OK);
    judge seen = judge_fit(k, &problem, theta, alpha, &offset);
    CHECK_NEAR(certificate.primal, seen.primal, 1e-10 * seen.primal);
    CHECK_NEAR(certificate.dual, seen.dual, 1e-10 * seen.primal);
    CHECK_NEAR(certificate.gap, seen.gap, 1e-9 * (1.0 + fabs(seen.gap)));
    CHECK(certificate.gap >= 0.0);
  }
  mk_free(k);
  fixture_free(fx);
}

/* A solution at gap 1e-10 whose alphas are taken to a factor of themselves. */
typedef struct scaled {
  fixture *fx;
  task_data data;
  mk_problem problem;
  mk_control control;
  mk_solution solution;
  double best[SAMPLES];
} scaled;

static scaled *scaled_new(double positive, double negative) {
  scaled *s = MK_NEW0(scaled, 1);
  s->fx = fixture_new();
  make_tasks(s->fx, 1.0, &s->data);
  for (int i = 0; i < SAMPLES; i++) {
    s->data.upper[i] *= positive;
    s->data.lower[i] *= negative;
  }
  s->problem = problem_of(s->fx, &s->data, 1, mk_lp(2.0));
  s->control = (mk_control){.tol = 1e-10,
                            .max_time = INFINITY,
                            .max_iter = INFINITY,
                            .working_set = 1,
                            .team = team,
                            .start = mk_seconds()};
  CHECK(mk_solution_new(&s->solution, &s->problem) == MK_OK);
  CHECK(mk_optimize(MK_INTERLEAVED, &s->problem, &s->control, NULL, &s->solution) == MK_OK);
  CHECK(s->solution.gap <= 1e-10);
  memcpy(s->best, s->solution.alpha, sizeof s->best);
  return s;
}

static void scale_to(scaled *s, double factor, double tol) {
  s->control.tol = tol;
  for (int i = 0; i < SAMPLES; i++) s->solution.alpha[i] = factor * s->best[i];
}

static void scaled_free(scaled *s) {
  mk_solution_clear(&s->solution);
  fixture_free(s->fx);
  mk_free(s);
}

/* The certificate says what theta and alpha are worth and leaves them alone, whatever is asked. */
static void test_certificates_change_nothing(void) {
  const double factors[] = {1.0 - 2e-5, 1.0};
  scaled *s = scaled_new(100.0, 100.0);
  for (int k = 0; k < 2; k++)
    for (int patient = 0; patient < 2; patient++) {
      scale_to(s, factors[k], patient ? 1.0 : 1e-10);
      CHECK(mk_certify_solution(&s->problem, &s->control, &s->solution) == MK_OK);
      CHECK(k == 1 ? s->solution.gap <= 1e-10 : s->solution.gap > 1e-10);
      for (int i = 0; i < SAMPLES; i++) CHECK(s->solution.alpha[i] == factors[k] * s->best[i]);
    }
  scaled_free(s);
}

static void test_solutions_are_rescaled(void) {
  const double factors[] = {1.0 - 2e-5, 1.0 + 2e-5, 1.0};
  scaled *s = scaled_new(100.0, 100.0);
  double most = 0.0;
  for (int i = 0; i < SAMPLES; i++) most = fmax(most, fabs(s->best[i]));
  for (int k = 0; k < 3; k++) {
    double gap[2];
    for (int patient = 0; patient < 2; patient++) {
      scale_to(s, factors[k], patient ? 1.0 : 1e-10);
      CHECK(mk_certify_rescaled(&s->problem, &s->control, &s->solution) == MK_OK);
      gap[patient] = s->solution.gap;
      double far = 0.0, wanted = patient ? factors[k] : 1.0;
      for (int i = 0; i < SAMPLES; i++)
        far = fmax(far, fabs(s->solution.alpha[i] - wanted * s->best[i]));
      CHECK_NEAR(far, 0.0, 1e-8 * most);
    }
    CHECK(k == 2 ? gap[1] <= 1e-10 : gap[0] <= (k == 0 ? 1e-3 : 0.02) * gap[1]);
  }
  scaled_free(s);
}

/* The dual would gain by growth where alphas are at their bound, here those of one class alone:
 * none leaves its box. */
static void test_rescaled_solutions_stay_in_their_box(void) {
  const double bounds[2][2] = {{0.1, 100.0}, {100.0, 0.1}};
  for (int k = 0; k < 2; k++) {
    scaled *s = scaled_new(bounds[k][0], bounds[k][1]);
    int at_bound[2] = {0, 0}, outside = 0;
    for (int i = 0; i < SAMPLES; i++) {
      int negative = s->data.y[i] < 0.0;
      at_bound[negative] += fabs(s->best[i]) > 0.999 * bounds[k][negative];
    }
    CHECK(at_bound[k] > 0 && at_bound[1 - k] == 0);
    s->control.tol = 0.0;
    CHECK(mk_certify_rescaled(&s->problem, &s->control, &s->solution) == MK_OK);
    for (int i = 0; i < SAMPLES; i++)
      outside += s->solution.alpha[i] < s->data.lower[i] || s->solution.alpha[i] > s->data.upper[i];
    CHECK(outside == 0);
    scaled_free(s);
  }
}

/* Decision values that a start expects choose the first working set, and nothing else: whatever
 * they are, the fit is certified and as good as without. */
static void test_starts_may_expect_anything(void) {
  scaled *s = scaled_new(100.0, 100.0);
  double best = s->solution.dual, theta[KERNELS], expected[4][SAMPLES];
  memcpy(theta, s->solution.theta, sizeof theta);
  for (int i = 0; i < SAMPLES; i++) {
    expected[0][i] = s->solution.decision[i];
    expected[1][i] = 5.0 * s->data.y[i]; /* nobody costs anything */
    expected[2][i] = 5.0;                /* one class does, ... */
    expected[3][i] = -5.0;               /* ... or the other */
  }
  s->control.tol = 1e-6;
  for (int known = 0; known < 2; known++)
    for (int k = 0; k < 4; k++) {
      mk_start start = {.theta = theta,
                        .alpha = known ? s->best : NULL,
                        .decision = expected[k],
                        .decision_error = k == 0 ? 0.1 : 0.0};
      mk_solution found;
      CHECK(mk_solution_new(&found, &s->problem) == MK_OK);
      CHECK(mk_optimize(MK_INTERLEAVED, &s->problem, &s->control, &start, &found) == MK_OK);
      CHECK(found.gap <= 1e-6);
      CHECK_NEAR(found.dual, best, 2e-6 * fabs(best));
      mk_solution_clear(&found);
    }
  scaled_free(s);
}

static int stop_now(void *data) {
  return ++*(int *)data > 3;
}

static void test_interrupts_and_failing_functions_leak_nothing(void) {
  fixture *fx = fixture_new();
  task_data data;
  int polls = 0;
  make_tasks(fx, 100.0, &data);
  mk_problem problem = problem_of(fx, &data, 1, mk_lp(4.0 / 3.0));
  mk_control control = {.tol = 1e-9,
                        .max_time = INFINITY,
                        .max_iter = INFINITY,
                        .working_set = 1,
                        .poll = stop_now,
                        .data = &polls,
                        .start = mk_seconds()};
  mk_solution solution;
  CHECK(mk_solution_new(&solution, &problem) == MK_OK);
  CHECK(mk_optimize(MK_INTERLEAVED, &problem, &control, NULL, &solution) == MK_INTERRUPTED);
  mk_solution_clear(&solution);
  fx->broken = 1;
  control.poll = NULL;
  CHECK(mk_solution_new(&solution, &problem) == MK_OK);
  CHECK(mk_optimize(MK_INTERLEAVED, &problem, &control, NULL, &solution) == MK_CALLBACK);
  mk_solution_clear(&solution);
  fixture_free(fx);
}

int main(void) {
  RUN_TEAM(2, test_every_norm_is_solved);
  RUN_TEAM(2, test_other_norms_are_solved);
  RUN_TEAM(2, test_certificate_of_any_point);
  RUN_TEAM(2, test_certificates_change_nothing);
  RUN_TEAM(2, test_solutions_are_rescaled);
  RUN_TEAM(2, test_rescaled_solutions_stay_in_their_box);
  RUN_TEAM(2, test_starts_may_expect_anything);
  RUN_TEAM(2, test_interrupts_and_failing_functions_leak_nothing);
  return REPORT();
}
