/* A whole fit over all kinds of kernels, judged from plain kernel matrices only. */
#include "both-sides.h"
#include "kernels.h"
#include "optimizer/certificate.h"
#include "optimizer/optimizers.h"
#include "team.h"

#define TASKS 2

typedef struct judge {
  double gap, primal, dual;
} judge;

/* Plain kernel matrices, m after m. */
static double *plain_matrices(const fixture *fx) {
  double *k = MK_NEW(double, (size_t)KERNELS *SAMPLES *SAMPLES);
  for (int m = 0; m < KERNELS; m++)
    for (int i = 0; i < SAMPLES; i++)
      for (int j = 0; j < SAMPLES; j++)
        k[(m * SAMPLES + i) * SAMPLES + j] = plain_kernel(fx, m, i, j);
  return k;
}

/* (sum x^q)^(1/q), the largest for q infinite */
static double norm_of(const double *x, double q) {
  double sum = 0.0, most = 0.0;
  for (int m = 0; m < KERNELS; m++) {
    most = fmax(most, x[m]);
    sum += pow(x[m], q);
  }
  return isinf(q) ? most : pow(sum, 1.0 / q);
}

static judge judge_fit(const double *k, const mk_problem *problem, const double *theta,
                       const double *alpha, const double *offset) {
  double s[KERNELS] = {0}, w[KERNELS], loss = 0.0, linear = 0.0;
  for (size_t t = 0; t < problem->tasks; t++) {
    const double *a = alpha + t * SAMPLES, *y = problem->linear + t * SAMPLES;
    double f[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) f[i] = offset[t];
    for (int m = 0; m < KERNELS; m++)
      for (int i = 0; i < SAMPLES; i++)
        for (int j = 0; j < SAMPLES; j++) {
          double value = k[(m * SAMPLES + i) * SAMPLES + j] * a[j];
          s[m] += a[i] * value;
          f[i] += theta[m] * value;
        }
    for (int i = 0; i < SAMPLES; i++) {
      double c = problem->upper[t * SAMPLES + i] - problem->lower[t * SAMPLES + i];
      loss += c * fmax(0.0, 1.0 - y[i] * f[i]);
      linear += y[i] * a[i];
    }
  }
  double p = problem->norm.p, dual = isinf(p) ? 1.0 : p == 1.0 ? INFINITY : p / (p - 1.0);
  double q = isinf(p) ? 2.0 : 2.0 * p / (p + 1.0);
  for (int m = 0; m < KERNELS; m++) {
    s[m] = fmax(s[m], 0.0);
    w[m] = theta[m] * sqrt(s[m]);
  }
  judge seen = {0};
  seen.primal = loss + 0.5 * pow(norm_of(w, q), 2.0);
  seen.dual = linear - 0.5 * norm_of(s, dual);
  if (!mk_norm_is_plain(&problem->norm)) { /* test-norm.c is about these two */
    seen.primal = loss + 0.5 * regularizer_of(&problem->norm, KERNELS, theta, s);
    seen.dual = linear - 0.5 * dual_of(&problem->norm, KERNELS, s);
  }
  seen.gap = (seen.primal - seen.dual) / fabs(seen.primal);
  return seen;
}

static void check_feasible(const mk_problem *problem, const mk_solution *solution) {
  double size = 0.0;
  for (int m = 0; m < KERNELS; m++) CHECK(solution->theta[m] >= 0.0);
  size = norm_of(solution->theta, problem->norm.p);
  if (mk_norm_is_plain(&problem->norm)) CHECK_NEAR(size, 1.0, 1e-12);
  for (size_t t = 0; t < problem->tasks; t++) {
    double sum = 0.0, most = 0.0;
    int outside = 0;
    for (size_t i = t * SAMPLES; i < (t + 1) * SAMPLES; i++) {
      outside +=
          !(solution->alpha[i] >= problem->lower[i] && solution->alpha[i] <= problem->upper[i]);
      sum += solution->alpha[i];
      most = fmax(most, problem->upper[i]);
    }
    CHECK(outside == 0);
    CHECK_NEAR(sum, 0.0, 1e-10 * most * SAMPLES);
  }
}

typedef struct task_data {
  double y[SAMPLES * TASKS], lower[SAMPLES * TASKS], upper[SAMPLES * TASKS];
} task_data;

static void make_tasks(const fixture *fx, double c, task_data *out) {
  for (int i = 0; i < SAMPLES * TASKS; i++) {
    double score = i < SAMPLES ? fx->small[i] : fx->large[i - SAMPLES];
    out->y[i] = score + 0.5 * data_next() > 0 ? 1.0 : -1.0;
    out->upper[i] = out->y[i] > 0 ? c : 0.0;
    out->lower[i] = out->y[i] > 0 ? 0.0 : -c;
  }
}

static mk_problem problem_of(const fixture *fx, const task_data *data, size_t tasks, mk_norm norm) {
  return (mk_problem){.set = fx->set,
                      .n = SAMPLES,
                      .tasks = tasks,
                      .norm = norm,
                      .linear = data->y,
                      .lower = data->lower,
                      .upper = data->upper};
}

static void check_fit(const fixture *fx, const double *k, mk_norm norm, double c, size_t tasks,
                      double tol) {
  task_data data;
  make_tasks(fx, c, &data);
  mk_problem problem = problem_of(fx, &data, tasks, norm);
  mk_control control = {.tol = tol,
                        .max_time = 60.0,
                        .max_iter = INFINITY,
                        .team = team,
                        .candidate = 1,
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

/* The certificate says what theta and alpha are worth and leaves them alone, whatever is asked. */
static void test_certificates_change_nothing(void) {
  const double factors[] = {1.0 - 2e-5, 1.0};
  fixture *fx = fixture_new();
  task_data data;
  make_tasks(fx, 100.0, &data);
  mk_problem problem = problem_of(fx, &data, 1, mk_lp(2.0));
  mk_control control = {.tol = 1e-10,
                        .max_time = INFINITY,
                        .max_iter = INFINITY,
                        .candidate = 1,
                        .team = team,
                        .start = mk_seconds()};
  mk_solution solution;
  CHECK(mk_solution_new(&solution, &problem) == MK_OK);
  CHECK(mk_optimize(MK_INTERLEAVED, &problem, &control, NULL, &solution) == MK_OK);
  CHECK(solution.gap <= 1e-10);
  double best[SAMPLES];
  memcpy(best, solution.alpha, sizeof best);
  for (int k = 0; k < 2; k++)
    for (int patient = 0; patient < 2; patient++) {
      control.tol = patient ? 1.0 : 1e-10;
      for (int i = 0; i < SAMPLES; i++) solution.alpha[i] = factors[k] * best[i];
      CHECK(mk_certify_solution(&problem, &control, &solution) == MK_OK);
      CHECK(k == 1 ? solution.gap <= 1e-10 : solution.gap > 1e-10);
      for (int i = 0; i < SAMPLES; i++) CHECK(solution.alpha[i] == factors[k] * best[i]);
    }
  mk_solution_clear(&solution);
  fixture_free(fx);
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
                        .candidate = 1,
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
  RUN_TEAM(2, test_interrupts_and_failing_functions_leak_nothing);
  return REPORT();
}
