/* How theta moves between SVM solves (mathematics section 2). */
#include "machine.h"

#include "base/memory.h"
#include "kernel/features.h"
#include "optimizer/curvature.h"
#include "optimizer/step-length.h"

#include <math.h>
#include <string.h>

#define ENOUGH 0.5  /* an analytic step should leave at most this share of the theta gap, ... */
#define SOON 2.0    /* ... and as many more of them should do, ... */
#define AT_ONCE 1.0 /* ... or these where they cost more than a Newton step: with so many ... */
#define MANY 2      /* ... candidates for each free variable that shows the curvature */
#define HALVINGS 5
#define ROUGH_HALVINGS 2 /* where a better curvature is to be had */
#define SHARP 0.5        /* SVM gap, of the theta gap beside it, that will do then */
#define CLOSE 0.03       /* theta gap, of the objective, from which Newton steps are good at once */
#define DEAR 1e8 /* operations of a Newton step beyond which analytic steps are quicker, ... */
#define DEAR_NEAR_ONE 6e9 /* ... and for p near 1, where those are slow */
#define FREE 4.0          /* free variables for each of few columns ... */
#define NEAR 1e-3         /* ... and share of the objective that Newton steps are worth then */
#define REVIVED 1e-3      /* weight of a kernel that returns, of the largest */
#define POOR 0.25         /* share of the promised fall that asks for more damping, ... */
#define GOOD 0.75         /* ... and for less, ... */
#define STEEPER 4.0
#define LEAST_DAMPING 0.03 /* ... which starts and ends here */

static mk_status analytic_move(mk_machine *machine) {
  double before = machine->theta_gap;
  mk_norm_step(&machine->problem->norm, machine->kernels, machine->theta, machine->s,
               machine->trial);
  MK_TRY(mk_machine_use_theta(machine, machine->trial));
  machine->left = machine->theta_gap / before;
  machine->old_left = 0;
  return MK_OK;
}

/* By what the last one left; that of fewer candidates or for a larger goal counts where theta is
 * near its end, since Newton steps from afar lead astray. */
static int too_many_analytic(const mk_machine *machine) {
  if (machine->left == 0.0) return 0;
  if (machine->old_left && machine->theta_gap > CLOSE * fabs(machine->upper)) return 0;
  int dear = mk_gram_count(machine->gram) > MANY * machine->curvature.enough[0];
  double left = pow(machine->left, dear ? AT_ONCE : SOON);
  return machine->left > ENOUGH || left * machine->theta_gap > machine->theta_goal;
}

/* Weights near zero whose kernels are worth more than the mixture come back with some: steps in
 * log theta would take long, or for ever. */
static void revive(const mk_machine *machine, double *next) {
  double most = 0.0, mean = 0.0, sum = 0.0;
  for (size_t m = 0; m < machine->kernels; m++) {
    most = fmax(most, next[m]);
    mean += machine->theta[m] * machine->s[m];
    sum += machine->theta[m];
  }
  for (size_t m = 0; m < machine->kernels; m++)
    if (machine->s[m] * sum > mean) next[m] = fmax(next[m], REVIVED * most);
  mk_norm_normalize(&machine->problem->norm, machine->kernels, next);
}

/* A longer step; after one that does not pay, what is known is forgotten. */
static mk_status long_move(mk_machine *machine) {
  double before = machine->theta_gap;
  mk_stride *stride = &machine->stride;
  if (stride->residual == NULL) stride->residual = MK_NEW0(double, machine->kernels);
  if (stride->residual == NULL) return MK_NO_MEMORY;
  mk_norm_stride(&machine->problem->norm, stride, machine->kernels, machine->theta, machine->s,
                 machine->trial);
  if (mk_norm_is_plain(&machine->problem->norm) && mk_norm_is_sparse(&machine->problem->norm))
    revive(machine, machine->trial);
  MK_TRY(mk_machine_use_theta(machine, machine->trial));
  if (machine->theta_gap > before) stride->length = 0.0;
  return MK_OK;
}

/* ---- Newton ---- */

/* The Newton point and by what it should pay. */
static mk_status newton_point(mk_machine *machine, double *point, double *fall) {
  MK_TRY(mk_curvature_find(machine));
  return mk_norm_newton(&machine->problem->norm,
                        &(mk_theta_model){.count = machine->kernels,
                                          .rank = machine->curvature.rank,
                                          .damping = machine->damping,
                                          .team = machine->control->team,
                                          .theta = machine->theta,
                                          .s = machine->s,
                                          .z = machine->curvature.z},
                        point, fall);
}

/* The free variables change on the way: more damping where the value falls short of what the model
 * promised, unless a rough one is to blame; less where it keeps its word, and where a promise is as
 * small as the errors of the values: steps must not stay short for ever. */
static void adapt_damping(mk_machine *machine, double fell, double promised, int rough) {
  int judged = promised > machine->svm_gap;
  double damping = machine->damping;
  if (judged && fell < POOR * promised)
    machine->damping = rough ? damping : fmin(1.0, fmax(LEAST_DAMPING, STEEPER * damping));
  else if (!judged || fell > GOOD * promised)
    machine->damping = damping > LEAST_DAMPING ? damping / STEEPER : 0.0;
}

/* Tries theta + step (point - theta), halving until the value of the SVM at
 * theta does not rise, or the theta gap is half of the least so far: half of the present one would
 * let steps go to and fro. Back to theta otherwise, for an analytic step or, if the curvature was
 * an old one or sampled, a better one. */
static mk_status newton_move(mk_machine *machine, const double *point, double fall, double step) {
  size_t kernels = machine->kernels;
  double value = machine->fixed_dual, gap = machine->theta_gap;
  double slack = machine->svm_gap + 1e-14 * fabs(value);
  int rough = machine->curvature.used > 0 || machine->curvature.sampled;
  memcpy(machine->kept, machine->theta, kernels * sizeof(double));
  if (MK_LANDING * gap <= machine->theta_goal) /* the last move, most likely */
    machine->target = fmin(machine->target, machine->svm_goal);
  else if (machine->curvature.used == 0) /* so sharp that the next move need not wait */
    machine->target = fmin(machine->target, SHARP * MK_LANDING * gap);
  machine->least_gap = fmin(machine->least_gap, gap);
  for (int k = 0; k < (rough ? ROUGH_HALVINGS : HALVINGS); k++, step *= 0.5) {
    mk_norm_between(&machine->problem->norm, kernels, machine->kept, point, step, machine->trial);
    MK_TRY(mk_machine_use_theta(machine, machine->trial));
    if (k == 0) adapt_damping(machine, value - machine->fixed_dual, fall, rough);
    if (machine->fixed_dual <= value + slack || machine->theta_gap < 0.5 * machine->least_gap) {
      double fell = value - machine->fixed_dual;
      machine->least_gap = fmin(machine->least_gap, machine->theta_gap);
      mk_curvature_judge(machine, gap, fell / fall);
      return MK_OK;
    }
  }
  mk_curvature_reject(machine);
  MK_TRY(mk_machine_use_theta(machine, machine->kept));
  if (rough) return MK_OK;
  machine->use_newton = 0;
  return analytic_move(machine);
}

/* Columns of feature blocks are many, and each is a kernel of its own to a Newton step. Where they
 * are few, SVMs are quick, and Newton steps pay near the end of what p = 1 does to the others. */
static int newton_is_dear(const mk_machine *machine) {
  const mk_norm *norm = &machine->problem->norm;
  double free = 0.0, largest = 0.0;
  if (!mk_set_explicit(machine->problem->set) || mk_norm_is_fixed(norm)) return 0;
  for (size_t t = 0; t < machine->problem->tasks; t++) {
    double count = (double)mk_svm_free_count(&machine->svm[t]);
    free += count;
    largest = fmax(largest, count);
  }
  const mk_thin *columns = mk_gram_columns(machine->gram);
  if (columns != NULL)
    return !mk_norm_is_sparse(norm) || largest > FREE * (double)columns->count ||
           machine->theta_gap > NEAR * fabs(machine->upper);
  return largest * free * (double)machine->kernels >
         (mk_norm_is_sparse(norm) ? DEAR_NEAR_ONE : DEAR);
}

mk_status mk_machine_newton(mk_machine *machine) {
  double fall = 0.0, length = 1.0, *point = MK_NEW(double, machine->kernels);
  mk_status status = point == NULL ? MK_NO_MEMORY : newton_point(machine, point, &fall);
  if (status == MK_OK) status = mk_step_length(machine, point, &length);
  if (status == MK_OK)
    status = newton_move(machine, point, fall, length);
  else if (status == MK_STALLED)
    status = analytic_move(machine);
  mk_free(point);
  return status;
}

mk_status mk_machine_move_theta(mk_machine *machine) {
  if (machine->rough || newton_is_dear(machine)) return long_move(machine);
  if (too_many_analytic(machine)) machine->use_newton = 1;
  return machine->use_newton ? mk_machine_newton(machine) : analytic_move(machine);
}
