/* Computes primal and dual values, their gap, and bounds of their rounding errors. Called by the
 * optimisers and by the glue. MATHEMATICS.md, section 1: the problem and its certificate. */
#include "certificate.h"

#include "base/memory.h"
#include "base/sum.h"
#include "exact/expansion.h"
#include "certificate/losses.h"
#include "problem/sides.h"

#include <math.h>
#include <string.h>

/* roundings of one loss or gain, and of the sums of parts in primal and dual */
#define ROUNDINGS 16.0

/* Sums over all samples: the losses and gains without rounding errors, the squares of their
 * possible errors (which have either sign), and the loss of gain from alphas that do not sum to 0
 * exactly. */
typedef struct sums {
  mk_sum loss, gain;
  double loss_square, gain_square, unbalanced;
} sums;

/* The inputs of a certificate and its error bounds. */
typedef struct evidence {
  const mk_problem *problem;
  const double *theta, *alpha; /* alpha is feasible */
  double *slack;               /* n x tasks: error bounds of the decision values */
  double *form_slack;          /* M: error bounds of the forms */
  double *reach; /* M: roots of the forms that any part of the alphas can have, at most */
  double *form;  /* M, scratch */
} evidence;

/* ---- decision values and quadratic forms ---- */

static int is_support(const mk_problem *problem, const double *alpha, size_t i) {
  for (size_t t = 0; t < problem->tasks; t++)
    if (alpha[t * problem->n + i] != 0.0) return 1;
  return 0;
}

/* Lists the samples in `order`, support vectors first, and returns the number of these. */
static size_t order_samples(const mk_problem *problem, const double *alpha, int *order) {
  size_t front = 0, back = problem->n, support;
  for (size_t i = 0; i < problem->n; i++)
    if (is_support(problem, alpha, i)) order[front++] = (int)i;
  support = front;
  for (size_t i = problem->n; i-- > 0;)
    if (!is_support(problem, alpha, i)) order[--back] = (int)i;
  return support;
}

/* Computes decision values and forms. `own`, `value` and `slack` are indexed by place in `order`,
 * all other vectors by sample. */
static mk_status evaluate_solution(const evidence *e, const mk_control *control,
                                   mk_certificate *certificate) {
  const mk_problem *problem = e->problem;
  size_t n = problem->n, tasks = problem->tasks;
  int *order = MK_NEW(int, n);
  double *own = MK_NEW(double, n *tasks), *value = MK_NEW(double, n *tasks);
  double *slack = MK_NEW(double, n *tasks);
  mk_status status =
      order == NULL || own == NULL || value == NULL || slack == NULL ? MK_NO_MEMORY : MK_OK;
  if (status == MK_OK) {
    size_t support = order_samples(problem, e->alpha, order);
    for (size_t t = 0; t < tasks; t++)
      for (size_t k = 0; k < support; k++)
        own[t * support + k] = e->alpha[t * n + (size_t)order[k]];
    mk_expansion expansion = {.set = problem->set,
                              .sample = order,
                              .support = support,
                              .count = n,
                              .tasks = tasks,
                              .alpha = own,
                              .theta = e->theta,
                              .value = value,
                              .forms = certificate->forms,
                              .level = !problem->loss.no_offset,
                              .value_slack = slack,
                              .form_slack = e->form_slack,
                              .reach = e->reach};
    status = control->passes != NULL ? control->passes->expand(control->passes->data, &expansion)
                                     : mk_expand(&expansion, control);
    for (size_t t = 0; status == MK_OK && t < tasks; t++)
      for (size_t k = 0; k < n; k++) {
        certificate->decision[t * n + (size_t)order[k]] = value[t * n + k];
        e->slack[t * n + (size_t)order[k]] = slack[t * n + k];
      }
  }
  mk_free(order);
  mk_free(own);
  mk_free(value);
  mk_free(slack);
  return status;
}

/* ---- the primal ---- */

/* Returns the loss of sample i of a task at the decision value f. */
static double loss_at(const mk_problem *problem, size_t task, size_t i, double f) {
  double y = problem->linear[task * problem->n + i];
  return mk_loss_at(&problem->loss, y, mk_problem_cost(problem, task, i, f > y), f);
}

static void weigh_losses(const evidence *e, size_t task, mk_certificate *certificate, sums *sums) {
  const mk_problem *problem = e->problem;
  size_t from = task * problem->n;
  double *f = certificate->decision + from;
  double b = mk_primal_offset(problem, task, f);
  certificate->offset[task] += b;
  for (size_t i = 0; i < problem->n; i++) {
    double y = problem->linear[from + i], sum = f[i], lost = 0.0;
    mk_add_to(&sum, &lost, b);
    double slack = e->slack[from + i] + fabs(lost) + ROUNDINGS * MK_UNIT * fabs(y - sum);
    double own = loss_at(problem, task, i, sum);
    double most = fmax(loss_at(problem, task, i, sum + slack),
                       loss_at(problem, task, i, sum - slack)); /* losses within f's error bound */
    most *= 1.0 + ROUNDINGS * MK_UNIT;
    mk_sum_add(&sums->loss, own);
    sums->loss_square += (most - own) * (most - own);
    f[i] = sum;
  }
}

/* Weighs the losses that all tasks share. The class of a sample is the task whose y is 1. */
static void weigh_joint_losses(const evidence *e, mk_certificate *certificate, sums *sums) {
  const mk_problem *problem = e->problem;
  size_t n = problem->n, tasks = problem->tasks;
  for (size_t i = 0; i < n; i++) {
    size_t own = 0;
    double size = 1.0;
    for (size_t t = 0; t < tasks; t++) {
      if (problem->linear[t * n + i] > 0.0) own = t;
      size += fabs(certificate->decision[t * n + i]);
    }
    const double *f = certificate->decision + i, *slack = e->slack + i;
    double c = mk_problem_cost(problem, own, i, 0);
    double value = mk_joint_loss_at(n, tasks, own, c, f, slack, 0.0);
    double most = mk_joint_loss_at(n, tasks, own, c, f, slack, 1.0);
    most += ROUNDINGS * MK_UNIT * c * size;
    mk_sum_add(&sums->loss, value);
    sums->loss_square += (most - value) * (most - value);
  }
}

/* ---- the dual ---- */

/* Returns the share by which the alphas of the heavier sign exceed the others, a matter of
 * rounding: shrinking them by this share makes the sum exactly 0. */
static double unbalanced_share(const evidence *e, size_t task) {
  mk_sum sum = {0.0, 0.0};
  double positive = 0.0, negative = 0.0;
  if (e->problem->loss.no_offset) return 0.0;
  for (size_t i = task * e->problem->n; i < (task + 1) * e->problem->n; i++) {
    mk_sum_add(&sum, e->alpha[i]);
    *(e->alpha[i] > 0.0 ? &positive : &negative) += fabs(e->alpha[i]);
  }
  double total = mk_sum_total(&sum), heavier = total > 0.0 ? positive : negative;
  return heavier > 0.0 ? fabs(total) / heavier : 0.0;
}

/* Sums the gains. They are concave and 0 at 0, so shrinking alpha by a share costs at most this
 * share of them. */
static void weigh_gains(const evidence *e, size_t task, double share, sums *sums) {
  const mk_problem *problem = e->problem;
  for (size_t i = 0; i < problem->n; i++) {
    size_t at = task * problem->n + i;
    double y = problem->linear[at], alpha = e->alpha[at];
    double c = mk_problem_cost(problem, task, i, alpha < 0.0);
    double own = mk_gain_at(&problem->loss, y, c, alpha);
    double lost = ROUNDINGS * MK_UNIT * mk_gain_size(&problem->loss, y, c, alpha);
    mk_sum_add(&sums->gain, own);
    sums->gain_square += lost * lost;
    sums->unbalanced += share * fabs(own);
  }
}

/* ---- both ---- */

/* Returns 1 if all forms are finite. The larger of a form and 0, which is taken later, would hide
 * NaN. */
static int have_forms(const mk_certificate *certificate, size_t kernels) {
  for (size_t m = 0; m < kernels; m++) {
    if (!isfinite(certificate->forms[m])) return 0;
  }
  return 1;
}

/* Enlarges the forms by their error bounds, and by the growth that is possible if alphas shrink by
 * this share. The roots of forms are norms, so they obey the triangle inequality. */
static void stretch_forms(const evidence *e, const mk_certificate *certificate, double share) {
  for (size_t m = 0; m < mk_set_kernels(e->problem->set); m++) {
    double form = fmax(certificate->forms[m], 0.0) + e->form_slack[m], part = share * e->reach[m];
    e->form[m] = form + part * (2.0 * sqrt(form) + part);
  }
}

static mk_status weigh_sides(const evidence *e, mk_certificate *certificate) {
  const mk_problem *problem = e->problem;
  size_t kernels = mk_set_kernels(problem->set);
  sums sums = {.loss = {0.0, 0.0}};
  double share = 0.0, price, worth, least_price, least_worth;
  int joint = mk_loss_is_joint(&problem->loss);
  if (!have_forms(certificate, kernels)) return MK_NOT_FINITE;
  if (joint) weigh_joint_losses(e, certificate, &sums);
  for (size_t t = 0; t < problem->tasks; t++) {
    double own = unbalanced_share(e, t);
    share = fmax(share, own);
    if (!joint) weigh_losses(e, t, certificate, &sums);
    weigh_gains(e, t, own, &sums);
  }
  const mk_norm *norm = &problem->norm;
  MK_TRY(mk_sides(norm, kernels, e->theta, certificate->forms, &least_price, &least_worth));
  stretch_forms(e, certificate, share);
  MK_TRY(mk_sides(norm, kernels, e->theta, e->form, &price, &worth));
  price *= 1.0 + MK_SIDE_ROUNDINGS * MK_UNIT;
  worth *= 1.0 + MK_SIDE_ROUNDINGS * MK_UNIT;
  double unit = ROUNDINGS * MK_UNIT, loss = mk_sum_total(&sums.loss),
         gain = mk_sum_total(&sums.gain);
  double lost = sqrt(sums.loss_square), missed = sqrt(sums.gain_square) + sums.unbalanced;
  certificate->loss = loss + lost;
  certificate->primal = (1.0 + unit) * (certificate->loss + 0.5 * price);
  certificate->gain = gain - missed - unit * fabs(gain);
  certificate->dual = certificate->gain - (1.0 + unit) * 0.5 * worth;
  double size = fmax(fabs(certificate->primal), MK_LEAST_PRIMAL);
  double gap = (certificate->primal - certificate->dual) / size;
  certificate->gap = fmax(gap, 0.0); /* 0 where it is not a number */
  certificate->rounding =
      (lost + missed + 0.5 * (price - least_price + worth - least_worth)) / size;
  return isfinite(gap) ? MK_OK : MK_NOT_FINITE;
}

/* Makes alphas feasible; an optimiser's alphas are so already, up to rounding. */
static mk_status make_feasible(const mk_problem *problem, double *alpha) {
  double **own = MK_NEW(double *, problem->tasks);
  const double **upper = MK_NEW(const double *, problem->tasks);
  mk_status status = own == NULL || upper == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t t = 0; status == MK_OK && t < problem->tasks; t++) {
    mk_terms terms = mk_problem_terms(problem, t);
    own[t] = alpha + t * problem->n;
    upper[t] = terms.upper;
    mk_make_feasible(&terms, own[t]);
  }
  if (status == MK_OK && mk_loss_is_joint(&problem->loss))
    mk_make_joint_feasible(problem->n, problem->tasks, upper, own);
  mk_free(own);
  mk_free(upper);
  return status;
}

/* Allocates memory for one certificate, in addition to the caller's. NULL: out of memory. */
static double *scratch(const mk_problem *problem, const double *theta, const double *alpha,
                       mk_certificate *certificate, evidence *e) {
  size_t size = problem->n * problem->tasks, kernels = mk_set_kernels(problem->set);
  int own_slack = certificate->slack == NULL;
  double *feasible = MK_NEW(double, size + kernels + (own_slack ? size + 2 * kernels : 0));
  if (feasible == NULL) return NULL;
  *e = (evidence){.problem = problem, .theta = theta, .alpha = feasible, .form = feasible + size};
  e->slack = own_slack ? e->form + kernels : certificate->slack;
  e->form_slack = e->slack + size;
  e->reach = e->form_slack + kernels;
  memcpy(feasible, alpha, size * sizeof *feasible);
  if (make_feasible(problem, feasible) == MK_OK) return feasible;
  mk_free(feasible);
  return NULL;
}

mk_status mk_certify(const mk_problem *problem, const double *theta, const double *alpha,
                     const mk_control *control, mk_certificate *certificate) {
  evidence e;
  double *own = scratch(problem, theta, alpha, certificate, &e);
  if (own == NULL) return MK_NO_MEMORY;
  for (size_t t = 0; t < problem->tasks; t++) certificate->offset[t] = 0.0;
  mk_status status = evaluate_solution(&e, control, certificate);
  if (status == MK_OK) status = weigh_sides(&e, certificate);
  mk_free(own);
  return status;
}

/* ---- solutions ---- */

static mk_certificate solution_certificate(const mk_solution *solution) {
  return (mk_certificate){.offset = solution->offset,
                          .forms = solution->forms,
                          .decision = solution->decision,
                          .slack = solution->slack};
}

static void take_certificate(mk_solution *solution, const mk_certificate *certificate) {
  solution->primal = certificate->primal;
  solution->dual = certificate->dual;
  solution->gap = certificate->gap;
  solution->rounding = certificate->rounding;
}

mk_status mk_certify_solution(const mk_problem *problem, const mk_control *control,
                              mk_solution *solution) {
  mk_certificate certificate = solution_certificate(solution);
  mk_control patient = mk_patient(control);
  MK_TRY(mk_certify(problem, solution->theta, solution->alpha, &patient, &certificate));
  take_certificate(solution, &certificate);
  return MK_OK;
}

mk_status mk_recertify_solution(const mk_problem *problem, mk_solution *solution) {
  mk_certificate certificate = solution_certificate(solution);
  evidence e;
  double *own = scratch(problem, solution->theta, solution->alpha, &certificate, &e);
  if (own == NULL) return MK_NO_MEMORY;
  mk_status status = weigh_sides(&e, &certificate);
  mk_free(own);
  if (status == MK_OK) take_certificate(solution, &certificate);
  return status;
}
