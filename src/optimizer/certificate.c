#include "certificate.h"

#include "base/memory.h"
#include "kernel/expansion.h"
#include "optimizer/losses.h"
#include "optimizer/sides.h"

#include <math.h>

#define ROUNDING 1e-13 /* of the primal value */

/* ---- decision values and quadratic forms ---- */

static int is_support(const mk_problem *problem, const double *alpha, size_t i) {
  for (size_t t = 0; t < problem->tasks; t++)
    if (alpha[t * problem->n + i] != 0.0) return 1;
  return 0;
}

/* Samples, support vectors first; how many those are. */
static size_t order_samples(const mk_problem *problem, const double *alpha, int *order) {
  size_t front = 0, back = problem->n, support;
  for (size_t i = 0; i < problem->n; i++)
    if (is_support(problem, alpha, i)) order[front++] = (int)i;
  support = front;
  for (size_t i = problem->n; i-- > 0;)
    if (!is_support(problem, alpha, i)) order[--back] = (int)i;
  return support;
}

/* Values and alphas here are by place in the order, elsewhere by sample. */
static mk_status evaluate(const mk_problem *problem, const double *theta, const double *alpha,
                          const mk_control *control, mk_certificate *certificate, double *error) {
  size_t n = problem->n, tasks = problem->tasks;
  int *order = MK_NEW(int, n);
  double *own = MK_NEW(double, n *tasks), *value = MK_NEW(double, n *tasks);
  mk_status status = order == NULL || own == NULL || value == NULL ? MK_NO_MEMORY : MK_OK;
  if (status == MK_OK) {
    size_t support = order_samples(problem, alpha, order);
    for (size_t t = 0; t < tasks; t++)
      for (size_t k = 0; k < support; k++) own[t * support + k] = alpha[t * n + (size_t)order[k]];
    mk_expansion expansion = {.set = problem->set,
                              .sample = order,
                              .support = support,
                              .count = n,
                              .tasks = tasks,
                              .alpha = own,
                              .theta = theta,
                              .value = value,
                              .forms = certificate->forms};
    status = mk_expand(&expansion, control);
    *error = expansion.error;
    for (size_t t = 0; status == MK_OK && t < tasks; t++)
      for (size_t k = 0; k < n; k++)
        certificate->decision[t * n + (size_t)order[k]] = value[t * n + k];
  }
  mk_free(order);
  mk_free(own);
  mk_free(value);
  return status;
}

/* What an error of `error` in every exp(-d/w) can do: to f of a task `shift`, to
 * the forms `form[m]`. */
typedef struct reach {
  double shift, *form;
} reach;

static void find_reach(const mk_problem *problem, const double *theta, const double *alpha,
                       double error, size_t task, reach *reach) {
  size_t n = problem->n, kernels = mk_set_kernels(problem->set);
  double size = 0.0;
  for (size_t i = 0; i < n; i++) size += fabs(alpha[task * n + i]);
  reach->shift = 0.0;
  for (size_t m = 0; m < kernels; m++) {
    double scale = mk_set_scale(problem->set, m);
    reach->shift += error * theta[m] * scale * size;
    reach->form[m] += error * scale * size * size;
  }
}

/* ---- the two sides ---- */

/* The most that the loss can be where f is off by up to `shift`. */
static double most_loss(const mk_problem *problem, size_t task, const double *f, double b,
                        double shift) {
  size_t from = task * problem->n;
  double sum = 0.0;
  for (size_t i = 0; i < problem->n; i++) {
    double y = problem->linear[from + i], c = mk_problem_cost(problem, task, i);
    double up = mk_loss_at(&problem->loss, y, c, f[i] + b + shift);
    double down = mk_loss_at(&problem->loss, y, c, f[i] + b - shift);
    sum += fmax(up, down);
  }
  return sum;
}

static mk_status weigh_sides(const mk_problem *problem, const double *theta, const double *alpha,
                             double error, mk_certificate *certificate, double *form, int *list) {
  size_t n = problem->n, kernels = mk_set_kernels(problem->set);
  reach reach = {.form = form};
  double loss = 0.0, gain = 0.0;
  for (size_t t = 0; t < problem->tasks; t++) {
    double *f = certificate->decision + t * n;
    double b = mk_primal_offset(problem, t, f, list);
    find_reach(problem, theta, alpha, error, t, &reach);
    loss += most_loss(problem, t, f, b, reach.shift);
    certificate->offset[t] = b;
    for (size_t i = 0; i < n; i++) {
      gain += mk_gain_at(&problem->loss, problem->linear[t * n + i], mk_problem_cost(problem, t, i),
                         alpha[t * n + i]);
      f[i] += b;
    }
  }
  for (size_t m = 0; m < kernels; m++) form[m] += certificate->forms[m]; /* both sides grow in s */
  double price, worth;
  MK_TRY(mk_sides(&problem->norm, kernels, theta, form, &price, &worth));
  certificate->primal = loss + 0.5 * price;
  certificate->gain = gain;
  certificate->dual = gain - 0.5 * worth;
  double gap = (certificate->primal - certificate->dual) / fmax(fabs(certificate->primal), 1e-300);
  /* primal and dual agree to the last digit: which is larger says nothing */
  certificate->gap = gap < 0.0 && gap > -ROUNDING ? 0.0 : gap;
  return isfinite(certificate->gap) ? MK_OK : MK_NOT_FINITE;
}

mk_status mk_certify(const mk_problem *problem, const double *theta, const double *alpha,
                     const mk_control *control, mk_certificate *certificate) {
  double error;
  MK_TRY(evaluate(problem, theta, alpha, control, certificate, &error));
  double *form = MK_NEW0(double, mk_set_kernels(problem->set));
  int *list = MK_NEW(int, problem->n);
  mk_status status = MK_NO_MEMORY;
  if (form != NULL && list != NULL)
    status = weigh_sides(problem, theta, alpha, error, certificate, form, list);
  mk_free(form);
  mk_free(list);
  return status;
}
