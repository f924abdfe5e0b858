/* Checks of fits from plain kernel matrices alone, for the hinge loss, and problems for them. */
#ifndef TEST_JUDGE_H
#define TEST_JUDGE_H

#include "both-sides.h"
#include "kernels.h"
#include "problem/problem.h"
#include "theta/norm.h"

#define TASKS 2

typedef struct judge {
  double gap, primal, dual;
} judge;

/* Returns the plain kernel matrices, one after another. */
static inline double *plain_matrices(const fixture *fx) {
  double *k = MK_NEW(double, (size_t)KERNELS *SAMPLES *SAMPLES);
  for (int m = 0; m < KERNELS; m++)
    for (int i = 0; i < SAMPLES; i++)
      for (int j = 0; j < SAMPLES; j++)
        k[(m * SAMPLES + i) * SAMPLES + j] = plain_kernel(fx, m, i, j);
  return k;
}

/* Returns (sum x^q)^(1/q), or the largest x for infinite q. */
static inline double norm_of(const double *x, double q) {
  double sum = 0.0, most = 0.0;
  for (int m = 0; m < KERNELS; m++) {
    most = fmax(most, x[m]);
    sum += pow(x[m], q);
  }
  return isinf(q) ? most : pow(sum, 1.0 / q);
}

static inline judge judge_fit(const double *k, const mk_problem *problem, const double *theta,
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
  if (!mk_norm_is_plain(&problem->norm)) { /* test-norm.c tests these two sides */
    seen.primal = loss + 0.5 * regularizer_of(&problem->norm, KERNELS, theta, s);
    seen.dual = linear - 0.5 * dual_of(&problem->norm, KERNELS, s);
  }
  seen.gap = (seen.primal - seen.dual) / fabs(seen.primal);
  return seen;
}

static inline void check_feasible(const mk_problem *problem, const mk_solution *solution) {
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

static inline void make_tasks(const fixture *fx, double c, task_data *out) {
  for (int i = 0; i < SAMPLES * TASKS; i++) {
    double score = i < SAMPLES ? fx->small[i] : fx->large[i - SAMPLES];
    out->y[i] = score + 0.5 * data_next() > 0 ? 1.0 : -1.0;
    out->upper[i] = out->y[i] > 0 ? c : 0.0;
    out->lower[i] = out->y[i] > 0 ? 0.0 : -c;
  }
}

static inline mk_problem problem_of(const fixture *fx, const task_data *data, size_t tasks,
                                    mk_norm norm) {
  return (mk_problem){.set = fx->set,
                      .n = SAMPLES,
                      .tasks = tasks,
                      .norm = norm,
                      .linear = data->y,
                      .lower = data->lower,
                      .upper = data->upper};
}

#endif
