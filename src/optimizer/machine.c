#include "machine.h"

#include "base/memory.h"
#include "kernel/features.h"

#include <math.h>
#include <string.h>

#define PRUNE 1e-7         /* of the largest weight */
#define FINEST_SINGLE 3e-6 /* tolerance that rows of floats can serve */
#define FIRST_SAMPLE 800   /* free variables of which theta's curvature is made at first ... */
#define EARLY_SAMPLE 200   /* ... and while candidates are far from complete, ... */
#define EARLY_SPARSE 400   /* ... where Newton steps are led astray sooner */
#define BEARABLE 0.3       /* of the goal: what holding coordinates off zero may cost */
#define PRICE 0.3          /* ... of the present gap */
#define CHEAP 0.1          /* share of that, or of the gap where rounding rules, that is little */
#define BLUNTEST 10.0      /* by how much weights become less for that at a time */
#define FOLLOW 0.1         /* share of the SVM gap at a new theta that may remain */

/* Rows of floats are worth it where rows are long. */
static int starts_single(const mk_problem *problem, const mk_control *control) {
  /* pure feature blocks are refined from true responses anyway */
  if (mk_set_explicit(problem->set) && mk_set_families(problem->set) == 1) return 0;
  return control->single && control->tol >= FINEST_SINGLE && problem->n > MK_ALL_AT_ONCE;
}

mk_status mk_machine_new(mk_machine *machine, const mk_problem *problem, const mk_control *control,
                         mk_solution *solution) {
  size_t tasks = problem->tasks, n = problem->n;
  memset(machine, 0, sizeof *machine);
  machine->own = *problem;
  machine->problem = &machine->own;
  machine->control = control;
  machine->solution = solution;
  machine->kernels = problem->part != NULL ? problem->part->count : mk_set_kernels(problem->set);
  mk_norm_bear(&machine->own.norm, machine->kernels, control->tol);
  machine->curvature.enough[0] = FIRST_SAMPLE;
  machine->curvature.enough[1] = mk_norm_is_sparse(&problem->norm) ? EARLY_SPARSE : EARLY_SAMPLE;
  if (problem->part != NULL)
    MK_TRY(mk_gram_of_part(&machine->gram, problem->part, tasks, control));
  else
    MK_TRY(mk_gram_new(&machine->gram, problem->set, starts_single(problem, control), control));
  machine->svm = MK_NEW0(mk_svm, tasks);
  machine->alpha = MK_NEW0(double *, tasks);
  machine->response = MK_NEW0(double *, tasks);
  machine->list = MK_NEW(int, n);
  machine->theta = MK_NEW0(double, machine->kernels);
  machine->s = MK_NEW0(double, machine->kernels);
  machine->trial = MK_NEW0(double, machine->kernels);
  machine->kept = MK_NEW0(double, machine->kernels);
  machine->earlier.theta = MK_NEW(double, machine->kernels);
  machine->best.theta = MK_NEW(double, machine->kernels);
  machine->best.alpha = MK_NEW(double, n *tasks);
  machine->best.gap = INFINITY;
  if (machine->svm == NULL || machine->alpha == NULL || machine->response == NULL ||
      machine->list == NULL || machine->theta == NULL || machine->s == NULL ||
      machine->trial == NULL || machine->kept == NULL || machine->earlier.theta == NULL ||
      machine->best.theta == NULL || machine->best.alpha == NULL)
    return MK_NO_MEMORY;
  for (size_t t = 0; t < tasks; t++) {
    MK_TRY(mk_svm_init(&machine->svm[t], n, &problem->loss));
    machine->alpha[t] = machine->svm[t].alpha;
    machine->response[t] = MK_NEW(double, n);
    if (machine->response[t] == NULL) return MK_NO_MEMORY;
  }
  return MK_OK;
}

void mk_machine_clear(mk_machine *machine) {
  size_t tasks = machine->problem != NULL ? machine->problem->tasks : 0;
  mk_gram_free(machine->gram);
  for (size_t t = 0; t < tasks; t++) {
    if (machine->svm != NULL) mk_svm_clear(&machine->svm[t]);
    if (machine->response != NULL) mk_free(machine->response[t]);
  }
  mk_free(machine->svm);
  mk_free(machine->alpha);
  mk_free(machine->response);
  mk_free(machine->list);
  mk_free(machine->theta);
  mk_free(machine->s);
  mk_free(machine->trial);
  mk_free(machine->kept);
  mk_free(machine->earlier.theta);
  mk_free(machine->best.theta);
  mk_free(machine->best.alpha);
  mk_buffer_free(&machine->system);
  mk_free(machine->curvature.z);
  mk_free(machine->curvature.at);
  mk_free(machine->stride.residual);
  memset(machine, 0, sizeof *machine);
}

/* Samples of each sign of y that can have an alpha for each such candidate. */
static void class_shares(const mk_machine *machine, size_t task, double *share) {
  const mk_problem *problem = machine->problem;
  const int *samples = mk_gram_samples(machine->gram);
  mk_terms terms = mk_problem_terms(problem, task);
  double all[2] = {0.0, 0.0}, chosen[2] = {0.0, 0.0};
  for (size_t k = 0; k < problem->n; k++) {
    size_t i = (size_t)samples[k];
    if (!(terms.upper[i] > terms.lower[i])) continue;
    int side = terms.linear[i] > 0.0;
    all[side] += 1.0;
    if (k < machine->svm[task].n) chosen[side] += 1.0;
  }
  for (int side = 0; side < 2; side++)
    share[side] = machine->stretched && chosen[side] > 0.0 ? all[side] / chosen[side] : 1.0;
}

static void set_boxes(mk_machine *machine, int stretched) {
  const mk_problem *problem = machine->problem;
  int cut = machine->stretched;
  machine->stretched = stretched;
  if (cut != stretched) machine->curvature.candidates = 0; /* it is of other boxes */
  for (size_t t = 0; t < problem->tasks; t++) {
    mk_svm *svm = &machine->svm[t];
    double share[2];
    class_shares(machine, t, share);
    for (size_t k = 0; k < svm->n; k++) {
      size_t from = t * problem->n + (size_t)mk_gram_samples(machine->gram)[k];
      double own = share[svm->linear[k] > 0.0];
      svm->lower[k] = own * problem->lower[from];
      svm->upper[k] = own * problem->upper[from];
      if (problem->ridge != NULL) svm->ridge[k] = problem->ridge[from] / own;
    }
    mk_terms terms = mk_svm_terms(svm);
    if (cut) mk_make_feasible(&terms, svm->alpha);
    mk_svm_reset_bounds(svm);
  }
}

void mk_machine_relax(mk_machine *machine) {
  if (machine->stretched) set_boxes(machine, 0);
}

mk_status mk_machine_extend(mk_machine *machine, const int *samples, size_t count, int stretched) {
  size_t old = mk_gram_count(machine->gram), n = machine->problem->n;
  MK_TRY(mk_gram_extend(machine->gram, samples, count));
  for (size_t t = 0; t < machine->problem->tasks; t++) {
    mk_svm *svm = &machine->svm[t];
    svm->n = old + count;
    for (size_t k = old; k < svm->n; k++) {
      svm->alpha[k] = 0.0;
      svm->linear[k] = machine->problem->linear[t * n + (size_t)samples[k - old]];
    }
  }
  set_boxes(machine, stretched);
  machine->old_left = 1;
  machine->least_gap = INFINITY;
  return MK_OK;
}

mk_status mk_machine_refresh(mk_machine *machine) {
  mk_alphas alphas = {machine->problem->tasks, machine->alpha};
  machine->measured = 0;
  MK_TRY(mk_gram_mix(machine->gram, machine->theta));
  MK_TRY(mk_gram_response(machine->gram, &alphas, machine->response));
  for (size_t t = 0; t < alphas.tasks; t++) {
    mk_svm *svm = &machine->svm[t];
    for (size_t i = 0; i < svm->n; i++) svm->gradient[i] = svm->linear[i] - machine->response[t][i];
  }
  return MK_OK;
}

mk_status mk_machine_sharpen(mk_machine *machine) {
  MK_TRY(mk_gram_sharpen(machine->gram));
  machine->least_gap = INFINITY;
  return mk_machine_refresh(machine);
}

static double inner(const double *x, const double *y, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

void mk_machine_measure(mk_machine *machine) {
  const mk_norm *norm = &machine->problem->norm;
  double gain = 0.0, loss = 0.0;
  machine->svm_gap = 0.0;
  for (size_t t = 0; t < machine->problem->tasks; t++) {
    mk_svm_measure(&machine->svm[t]);
    machine->svm_gap += machine->svm[t].gap;
    loss += machine->svm[t].loss;
    gain += mk_svm_gain(&machine->svm[t]);
  }
  double dual = mk_norm_dual(norm, machine->kernels, machine->s);
  double size = mk_norm_regularizer(norm, machine->kernels, machine->theta, machine->s);
  double value = inner(machine->theta, machine->s, machine->kernels);
  machine->lower = gain - 0.5 * dual;
  machine->upper = loss + 0.5 * size;
  machine->fixed_dual = gain - 0.5 * value;
  if (mk_norm_rises(norm)) machine->fixed_dual = -machine->fixed_dual;
  machine->theta_gap = mk_norm_gap(norm, dual, size, value);
  if (!machine->stretched) machine->bound = machine->lower;
}

double mk_machine_svm_gap(mk_machine *machine) {
  double gap = 0.0;
  for (size_t t = 0; t < machine->problem->tasks; t++) {
    mk_svm_measure(&machine->svm[t]);
    gap += machine->svm[t].gap;
  }
  return gap;
}

mk_status mk_machine_solve_svms(mk_machine *machine, double target) {
  mk_status status = MK_OK;
  for (size_t t = 0; t < machine->problem->tasks; t++) {
    mk_svm_task task = {.svm = &machine->svm[t],
                        .rows = mk_gram_svm_rows(machine->gram),
                        .columns = mk_gram_columns(machine->gram),
                        .diagonal = mk_gram_diagonal(machine->gram),
                        .control = machine->control,
                        .system = &machine->system};
    mk_status solved = mk_svm_solve(&task, target / (double)machine->problem->tasks);
    if (solved == MK_STALLED)
      status = MK_STALLED;
    else if (solved != MK_OK)
      return solved;
  }
  return status;
}

mk_status mk_machine_solve(mk_machine *machine) {
  mk_alphas alphas = {machine->problem->tasks, machine->alpha};
  mk_status status = mk_gram_is_model(machine->gram)
                         ? mk_machine_refine(machine)
                         : mk_machine_solve_svms(machine, machine->target);
  if (status != MK_OK && status != MK_STALLED) return status;
  MK_TRY(mk_gram_forms(machine->gram, &alphas, machine->s));
  mk_machine_measure(machine);
  machine->measured = 1;
  machine->iterations += 1.0;
  machine->solves += 1.0;
  return status;
}

/* Coordinates are held less far off zero where that costs too much and is most of the gap, farther
 * where it costs hardly anything. */
static void suit_norm(mk_machine *machine) {
  mk_norm *norm = &machine->own.norm;
  double bearable = BEARABLE * machine->control->tol * fabs(machine->upper);
  double price = mk_norm_price(norm, machine->kernels, machine->theta, machine->s);
  mk_norm_relax(norm, machine->kernels, machine->theta, machine->s,
                fmax(bearable, PRICE * mk_machine_gap(machine)));
  if (price > 0.0 && price < CHEAP * bearable)
    mk_norm_blunt(norm, machine->kernels, fmin(BLUNTEST, PRICE * bearable / price), machine->theta);
}

int mk_machine_blunt(mk_machine *machine) {
  mk_norm *norm = &machine->own.norm;
  double price = mk_norm_price(norm, machine->kernels, machine->theta, machine->s);
  if (mk_gram_is_single(machine->gram) || mk_gram_is_model(machine->gram)) return 0;
  return price <= CHEAP * mk_machine_gap(machine) &&
         mk_norm_blunt(norm, machine->kernels, MK_BLUNTER, machine->theta);
}

mk_status mk_machine_use_theta(mk_machine *machine, const double *theta) {
  double target = machine->target;
  if (machine->measured) suit_norm(machine);
  memcpy(machine->theta, theta, machine->kernels * sizeof *theta);
  if (machine->problem->norm.least > 0.0)
    mk_norm_normalize(&machine->problem->norm, machine->kernels, machine->theta);
  /* p = 1: weights that vanish beside the largest are zero, as they should be at
   * the optimum; Newton and interior steps can bring them back. */
  mk_norm_prune(&machine->problem->norm, machine->kernels, PRUNE, machine->theta);
  MK_TRY(mk_machine_refresh(machine));
  machine->target = fmin(target, fmax(FOLLOW * mk_machine_svm_gap(machine), machine->floor));
  mk_status status = mk_machine_solve(machine);
  machine->target = target;
  return status;
}

void mk_machine_keep(mk_machine *machine) {
  mk_best_pair *best = &machine->best;
  double gap = mk_machine_gap(machine) / fmax(fabs(machine->upper), 1e-300);
  if (!(gap < best->gap)) return;
  best->gap = gap;
  best->dual = machine->lower;
  best->primal = machine->upper;
  memcpy(best->theta, machine->theta, machine->kernels * sizeof(double));
  for (size_t t = 0; t < machine->problem->tasks; t++)
    memcpy(best->alpha + t * machine->problem->n, machine->alpha[t],
           machine->svm[t].n * sizeof(double));
}

void mk_machine_return(mk_machine *machine) {
  if (!isfinite(machine->best.gap)) return;
  memcpy(machine->theta, machine->best.theta, machine->kernels * sizeof(double));
  for (size_t t = 0; t < machine->problem->tasks; t++) {
    memcpy(machine->alpha[t], machine->best.alpha + t * machine->problem->n,
           machine->svm[t].n * sizeof(double));
    mk_svm_reset_bounds(&machine->svm[t]);
  }
}

mk_status mk_machine_settle(mk_machine *machine) {
  mk_alphas alphas = {machine->problem->tasks, machine->alpha};
  MK_TRY(mk_machine_refresh(machine));
  MK_TRY(mk_gram_forms(machine->gram, &alphas, machine->s));
  mk_machine_measure(machine);
  return MK_OK;
}

mk_status mk_machine_record(mk_machine *machine) {
  double kernels = 0.0, support = 0.0;
  for (size_t m = 0; m < machine->kernels; m++) kernels += machine->theta[m] > 0.0;
  for (size_t i = 0; i < mk_gram_count(machine->gram); i++)
    for (size_t t = 0; t < machine->problem->tasks; t++)
      if (machine->alpha[t][i] != 0.0) {
        support += 1.0;
        break;
      }
  const mk_control *control = machine->control;
  double seconds = mk_seconds() - control->start;
  double lower = machine->stretched ? machine->bound : machine->lower;
  double gap = (machine->best_upper - lower) / fmax(fabs(machine->best_upper), 1e-300);
  if (control->progress != NULL)
    control->progress(control->data, machine->iterations, seconds, lower, gap);
  mk_history *history = &machine->solution->history;
  mk_line line = {machine->iterations, seconds, lower, gap, kernels, support, machine->solves};
  MK_TRY(mk_history_add(history, &line));
  if (!control->trace) return MK_OK;
  return mk_history_trace(history, machine->theta, machine->kernels, mk_trace_budget(control));
}
