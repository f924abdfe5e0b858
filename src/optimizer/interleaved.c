#include "interleaved.h"

#include "base/memory.h"
#include "kernel/features.h"
#include "optimizer/active-kernels.h"
#include "optimizer/candidates.h"
#include "optimizer/interior.h"
#include "optimizer/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NARROW 0.65   /* of a first sample are support vectors: if fewer, violators say more ... */
#define SMALL 400     /* ... than samples do, beyond so many */
#define AHEAD 0.8     /* of the way to theta of all: chance has its share in it ... */
#define AT_MOST 16.0  /* ... and may not change a weight by more than this factor */
#define WIDER 2.0     /* losses of a sample of twice the size */
#define NEARER 0.3    /* of what chance leaves is what foretold theta leaves, often */
#define FORETOLD 0.01 /* of the theta gap then: SVMs that show violators */
#define SVM_SHARE 0.2 /* SVM gap against theta gap to aim at before theta moves ... */
#define ENOUGH 2.5    /* ... which it may miss by this factor */
#define FIRST_TARGET 0.02  /* of the loss at alpha = 0 */
#define THETA_SHARE 0.5    /* theta's part of the final gap: theta errs by its square root */
#define DEAR 2400          /* candidates: theta's part of their gap is not worth a move */
#define FIRST_SHARE 0.3    /* of the goal, for SVMs whose theta has not been judged yet */
#define SVM_PART 0.4       /* of it, for SVMs that are solved to the end */
#define FEW 0.15           /* new candidates beside the others */
#define BESIDE 2.0         /* theta gaps that SVMs may err by when theta moves past such */
#define HARDLY 0.15        /* of the goal: others that cost no more can wait, and need no check */
#define HIDDEN 2           /* times as many violators at the candidates' offset: take those */
#define MOST 0.85          /* of the others are violators: candidates are far from complete */
#define ALMOST_ALL 0.88    /* of them: all kinds of samples are support vectors */
#define CHANCE 10.0        /* theta gap that such a sample of one would leave: it falls with size */
#define LAST_SAMPLE 0.3    /* of that gap: theta of the last sample is no nearer that of all */
#define REST 0.1           /* beside the candidates: others that are not worth checks */
#define BLUNT 4            /* times that theta is made less extreme ... */
#define ROUNDED 0.3        /* ... where SVMs stall at more than this share of its own gap */
#define STUCK 5            /* moves without progress before the interior point helps */
#define LONG 40            /* ... or so many, of little cost */
#define SHARPER 2          /* ... of which ask for sharper SVMs than the one before, then */
#define SLOW 0.7           /* rows of floats that leave more than this of the gap ... */
#define PATIENCE 4         /* ... so many times running are given up */
#define FINEST_ROUNDS 1e-4 /* gap that kernels by floats are asked for */

/* ---- start ---- */

/* At alpha = 0; `order`: scratch of n. */
static double loss_at_zero(const mk_problem *problem, int *order) {
  double loss = 0.0, offset;
  for (size_t t = 0; t < problem->tasks; t++) {
    mk_terms terms = mk_problem_terms(problem, t);
    loss += mk_loss_total(&terms, terms.linear, order, &offset);
  }
  return loss;
}

mk_status mk_machine_begin(mk_machine *machine, const mk_start *start) {
  const mk_problem *problem = machine->problem;
  machine->iterations = start->iterations;
  machine->solves = start->solves;
  size_t count;
  MK_TRY(mk_first_candidates(machine, start, &count));
  if (count == 0) return MK_BAD_ARGUMENT;
  if (start->theta != NULL && !mk_norm_is_fixed(&problem->norm)) {
    memcpy(machine->theta, start->theta, machine->kernels * sizeof(double));
    mk_norm_normalize(&problem->norm, machine->kernels, machine->theta);
  } else {
    mk_norm_start(&problem->norm, machine->kernels, machine->theta);
  }
  machine->even = start->alpha == NULL;
  int stretched = mk_stand_for_all(problem, start) && count < mk_usable_count(problem);
  MK_TRY(mk_machine_extend(machine, machine->list, count, stretched));
  const int *samples = mk_gram_samples(machine->gram);
  for (size_t t = 0; start->alpha != NULL && t < problem->tasks; t++) {
    mk_svm *svm = &machine->svm[t];
    for (size_t i = 0; i < svm->n; i++)
      svm->alpha[i] = start->alpha[t * problem->n + (size_t)samples[i]];
    mk_terms terms = mk_svm_terms(svm);
    mk_make_feasible(&terms, svm->alpha);
    mk_svm_reset_bounds(svm);
  }
  machine->best_upper = loss_at_zero(problem, machine->list);
  machine->target = FIRST_TARGET * machine->best_upper;
  return mk_machine_refresh(machine);
}

/* ---- solving on the candidates ---- */

/* What solve_candidates remembers of its moves. */
typedef struct pursuit {
  double goal, best;
  int idle;    /* moves without progress ... */
  int slow;    /* ... and with little */
  int rescued; /* calls of the interior point */
  int blunted; /* times theta was made less extreme */
  int landed;  /* the last move was one */
  int passing; /* more candidates are to come: theta will move again */
} pursuit;

/* Within the goal; theta's part asks for more while that is cheap to get. */
static int arrived(const mk_machine *machine, const pursuit *p) {
  double goal = p->goal * fabs(machine->upper);
  if (mk_machine_gap(machine) > goal) return 0;
  if (mk_gram_is_model(machine->gram)) return 1; /* more is not cheap to get */
  if (p->passing || p->landed || p->idle > 1) return 1;
  return mk_gram_count(machine->gram) > DEAR || machine->theta_gap <= THETA_SHARE * goal;
}

/* Single precision has given what it can. */
static mk_status sharpen(mk_machine *machine) {
  MK_TRY(mk_machine_sharpen(machine));
  return mk_machine_solve(machine);
}

/* SVMs that rounding stops at weights that need not be so large. */
static mk_status restart_blunt(mk_machine *machine) {
  MK_TRY(mk_machine_refresh(machine));
  return mk_machine_solve(machine);
}

/* Moves without progress to put up with; those of few columns cost little, and there is no other
 * way. With many columns and p near 1, dual variables that are any good are far from those of a
 * theta nearby: moves seldom make progress. */
static int patience(const mk_machine *machine) {
  const mk_problem *problem = machine->problem;
  int few = mk_norm_is_sparse(&problem->norm) && mk_set_explicit(problem->set);
  if (few && mk_gram_columns(machine->gram) != NULL) return LONG;
  return few && !machine->rough && !mk_gram_is_model(machine->gram) ? 0 : STUCK;
}

static mk_status next_move(mk_machine *machine, pursuit *p, int stuck, int rounded) {
  double goal = p->goal * fabs(machine->upper);
  double wanted = fmax(SVM_SHARE * machine->theta_gap, 0.3 * goal);
  /* forms err by the root of the SVM gap: no progress asks for sharper SVMs */
  int sharper = patience(machine) > STUCK && p->idle > SHARPER ? SHARPER : p->idle;
  machine->target = wanted * pow(0.1, sharper);
  machine->floor = 0.1 * goal * pow(0.01, sharper);
  machine->theta_goal = THETA_SHARE * goal;
  machine->svm_goal = SVM_PART * goal;
  p->landed = stuck;
  if (rounded && p->blunted++ < BLUNT && mk_machine_blunt(machine)) return restart_blunt(machine);
  if (stuck) {
    p->idle = 0;
    p->slow = 0;
    if (mk_gram_is_single(machine->gram) || mk_gram_is_model(machine->gram))
      return sharpen(machine);
    p->rescued++;
    return mk_interior(machine, p->goal);
  }
  int sharp = machine->svm_gap <= ENOUGH * wanted && machine->theta_gap > machine->theta_goal;
  if (sharp || machine->due) {
    machine->due = 0;
    return mk_machine_move_theta(machine);
  }
  return mk_machine_solve(machine);
}

/* Theta moves and SVM solves until the gap over the candidates is within
 * `goal` (relative). MK_STALLED: rounding allows no more. */
static mk_status pursue(mk_machine *machine, double goal, int all, int passing) {
  pursuit p = {.goal = goal, .best = INFINITY, .passing = passing};
  double first = FIRST_SHARE * goal * fabs(machine->upper);
  /* of fewer candidates, but a guess */
  if (machine->theta_gap > 0.0)
    machine->target = fmin(machine->target, SVM_SHARE * machine->theta_gap);
  if (!machine->measured) machine->target = fmax(machine->target, first);
  mk_status solved = machine->due        ? next_move(machine, &p, 0, 0)
                     : machine->measured ? MK_OK
                                         : mk_machine_solve(machine);
  for (;;) {
    if (solved != MK_OK && solved != MK_STALLED) return solved;
    if (all) machine->best_upper = fmin(machine->best_upper, machine->upper);
    MK_TRY(mk_machine_record(machine));
    mk_machine_keep(machine);
    double gap = mk_machine_gap(machine);
    p.idle = gap < 0.99 * p.best ? 0 : p.idle + 1;
    p.slow = gap < SLOW * p.best ? 0 : p.slow + 1;
    p.best = fmin(p.best, gap);
    if (arrived(machine, &p)) return MK_OK;
    int rounded = solved == MK_STALLED && ROUNDED * machine->theta_gap < machine->svm_gap;
    int blocked = solved == MK_STALLED && machine->theta_gap < 0.5 * machine->svm_gap;
    int stuck = p.idle > patience(machine) || blocked ||
                (p.slow > PATIENCE && mk_gram_is_single(machine->gram));
    if (stuck && (p.rescued > 1 || machine->rough)) return MK_STALLED;
    if (machine->iterations >= machine->control->max_iter) return MK_ITERATION_LIMIT;
    MK_TRY(mk_check(machine->control));
    solved = next_move(machine, &p, stuck, rounded);
  }
}

/* The same; where it ends too early with the best pair on the way, not the last. */
static mk_status solve_candidates(mk_machine *machine, double goal, int all, int passing) {
  machine->best.gap = INFINITY;
  mk_status status = pursue(machine, goal, all, passing);
  double gap = mk_machine_gap(machine) / fmax(fabs(machine->upper), 1e-300);
  if (status == MK_OK || (machine->measured && gap <= machine->best.gap)) return status;
  mk_machine_return(machine);
  if (status == MK_STALLED || machine->problem->part != NULL) MK_TRY(mk_machine_settle(machine));
  return status;
}

/* ---- checking all samples ---- */

typedef struct violator {
  double size;
  int sample;
} violator;

static int compare_violators(const void *a, const void *b) {
  const violator *x = a, *y = b;
  if (x->size != y->size) return x->size < y->size ? 1 : -1;
  return x->sample - y->sample;
}

/* What sample i, its alpha being 0, costs. */
static double violation(const mk_problem *problem, const mk_machine *machine, const double *offset,
                        size_t i) {
  double most = 0.0;
  for (size_t t = 0; t < problem->tasks; t++) {
    mk_terms terms = mk_problem_terms(problem, t);
    double g = terms.linear[i] - machine->response[t][i] - offset[t];
    most = fmax(most, mk_loss_value(&terms, i, g));
  }
  return most;
}

/* The others than candidates, what they cost, and how many cost anything. */
typedef struct outsiders {
  violator *list;
  size_t count, found;
  double cost;
} outsiders;

static void judge_others(const mk_machine *machine, const char *chosen, const double *offset,
                         outsiders *others) {
  const mk_problem *problem = machine->problem;
  others->count = others->found = 0;
  others->cost = 0.0;
  for (size_t i = 0; i < problem->n; i++) {
    if (chosen[i] || !mk_is_usable(problem, i)) continue;
    double size = violation(problem, machine, offset, i);
    others->cost += size;
    others->found += size > 0.0;
    others->list[others->count++] = (violator){size, (int)i};
  }
}

/* Where a class is rare, the offset that is best for all samples may be one at which few others
 * cost anything, or none, but candidates do: then at the candidates' `own` offset. */
static void find_violators(const mk_machine *machine, const char *chosen, const double *best,
                           double *own, outsiders *others) {
  for (size_t t = 0; t < machine->problem->tasks; t++) own[t] = machine->svm[t].offset;
  judge_others(machine, chosen, own, others);
  size_t found = others->found;
  judge_others(machine, chosen, best, others);
  if (found > HIDDEN * others->found) judge_others(machine, chosen, own, others);
  qsort(others->list, others->count, sizeof *others->list, compare_violators);
}

/* The candidates are an even sample, or stand for one, that is large enough: all violators come. */
static int leaps(const mk_machine *machine) {
  size_t a = mk_gram_count(machine->gram), others = mk_usable_count(machine->problem) - a;
  return (machine->even || machine->stretched) && others <= MK_LEAP * a;
}

/* Of so many violators among the others: at most as many as there are candidates; where almost all
 * others violate up to three times as many, but not more than half of them; all at a leap. Where
 * hardly any others would be left, all of them. */
static size_t how_many(size_t found, size_t candidates, size_t others, int leap) {
  size_t most = candidates, half = found / 2;
  if ((double)found > MOST * (double)others && half > most)
    most = half < 3 * candidates ? half : 3 * candidates;
  size_t taken = found < most || leap ? found : most;
  int rest = taken > 0 && (double)(others - taken) <= REST * (double)(candidates + taken);
  return rest ? others : taken;
}

/* Violators in falling order: the worst, or some of all kinds. */
static void choose_new(const violator *violators, size_t others, int even, size_t count,
                       int *list) {
  for (size_t k = 0; k < count; k++) list[k] = violators[even ? k * others / count : k].sample;
}

/* The candidates' responses follow from their gradients. */
static mk_status respond_to_all(mk_machine *machine) {
  mk_alphas alphas = {machine->problem->tasks, machine->alpha};
  const int *samples = mk_gram_samples(machine->gram);
  MK_TRY(mk_gram_response_others(machine->gram, &alphas, machine->response));
  for (size_t t = 0; t < alphas.tasks; t++) {
    const mk_svm *svm = &machine->svm[t];
    for (size_t k = 0; k < svm->n; k++)
      machine->response[t][samples[k]] = svm->linear[k] - svm->gradient[k];
  }
  return MK_OK;
}

/* The primal over all samples, what of it the others than candidates cost, and those of these that
 * are to be candidates into the machine's list: violators first, or, where almost all are, an even
 * sample. */
static mk_status check_all(mk_machine *machine, double *upper, double *outside, size_t *count) {
  const mk_problem *problem = machine->problem;
  size_t n = problem->n, a = mk_gram_count(machine->gram);
  MK_TRY(respond_to_all(machine));
  double *gradient = MK_NEW(double, n), *best = MK_NEW(double, problem->tasks);
  double *own = MK_NEW(double, problem->tasks);
  int *order = MK_NEW(int, n);
  char *chosen = MK_NEW0(char, n);
  outsiders others = {.list = MK_NEW(violator, n)};
  mk_status status = MK_NO_MEMORY;
  if (gradient != NULL && best != NULL && own != NULL && order != NULL && chosen != NULL &&
      others.list != NULL) {
    *upper =
        0.5 * mk_norm_regularizer(&problem->norm, machine->kernels, machine->theta, machine->s);
    for (size_t t = 0; t < problem->tasks; t++) {
      mk_terms terms = mk_problem_terms(problem, t);
      for (size_t i = 0; i < n; i++) gradient[i] = terms.linear[i] - machine->response[t][i];
      *upper += mk_loss_total(&terms, gradient, order, &best[t]);
    }
    for (size_t k = 0; k < a; k++) chosen[mk_gram_samples(machine->gram)[k]] = 1;
    find_violators(machine, chosen, best, own, &others);
    *outside = others.cost;
    machine->even &= !mk_norm_is_fixed(&problem->norm) &&
                     (double)others.found > ALMOST_ALL * (double)others.count;
    int leap = leaps(machine);
    *count = how_many(others.found, a, others.count, leap);
    choose_new(others.list, others.count, machine->even && !leap, *count, machine->list);
    status = MK_OK;
  }
  mk_free(gradient);
  mk_free(best);
  mk_free(own);
  mk_free(order);
  mk_free(chosen);
  mk_free(others.list);
  return status;
}

/* What theta of an even sample leaves by chance, relative. */
static double chance(const mk_machine *machine) {
  return CHANCE / (double)mk_gram_count(machine->gram);
}

/* That, until it is measured. */
static void expect_chance(mk_machine *machine, double upper) {
  machine->theta_gap = chance(machine) * fabs(upper);
  machine->target = SVM_SHARE * machine->theta_gap;
}

/* Few new candidates hardly change theta's step: where it needs one, SVMs are not solved at the
 * present theta once more. */
static int moves_first(const mk_machine *machine, size_t count, double goal) {
  if (!machine->measured || machine->stretched || machine->even || machine->rough) return 0;
  return (double)count < FEW * (double)mk_gram_count(machine->gram) &&
         machine->theta_gap > THETA_SHARE * goal * fabs(machine->upper) &&
         machine->svm_gap <= BESIDE * machine->theta_gap;
}

/* New candidates and what rows they make necessary. */
static mk_status take_in(mk_machine *machine, size_t count, int stretched) {
  MK_TRY(mk_machine_extend(machine, machine->list, count, stretched));
  if (machine->due) return mk_gram_mix(machine->gram, machine->theta); /* rows will be others */
  MK_TRY(mk_machine_refresh(machine));
  return mk_gram_fetch_last(machine->gram, count); /* violators: SMO asks for almost all */
}

/* ---- samples that foretell theta ---- */

/* From theta of the last two samples to what it is for `size` of them. */
static void look_ahead(mk_machine *machine, double size) {
  mk_earlier *earlier = &machine->earlier;
  double *theta = machine->theta, count = (double)mk_gram_count(machine->gram);
  memcpy(machine->trial, theta, machine->kernels * sizeof *theta);
  if (earlier->count > 0.0) {
    double steps = AHEAD * log(size / count) / log(count / earlier->count);
    for (size_t m = 0; m < machine->kernels; m++) {
      if (theta[m] == 0.0 || earlier->theta[m] == 0.0) continue;
      double factor = pow(theta[m] / earlier->theta[m], steps);
      theta[m] *= fmin(fmax(factor, 1.0 / AT_MOST), AT_MOST);
    }
    mk_norm_normalize(&machine->problem->norm, machine->kernels, theta);
  }
  memcpy(earlier->theta, machine->trial, machine->kernels * sizeof *theta);
  earlier->count = count;
}

static mk_status double_sample(mk_machine *machine) {
  size_t count;
  MK_TRY(mk_next_candidates(machine, &count));
  look_ahead(machine, (double)(mk_gram_count(machine->gram) + count));
  MK_TRY(take_in(machine, count, 0));
  expect_chance(machine, WIDER * machine->upper);
  return MK_OK;
}

static double support_share(const mk_machine *machine) {
  size_t support = 0, count = mk_gram_count(machine->gram);
  for (size_t k = 0; k < count; k++) support += machine->alpha[0][k] != 0.0;
  return (double)support / (double)count;
}

static int has_all(const mk_machine *machine) {
  return mk_gram_count(machine->gram) == mk_usable_count(machine->problem);
}

/* The sample's boxes stand for all at the theta of all: they show who violates there. */
static mk_status stand_at_theta_of_all(mk_machine *machine) {
  look_ahead(machine, (double)mk_usable_count(machine->problem));
  machine->even = 0;
  MK_TRY(take_in(machine, 0, 1));
  expect_chance(machine, machine->best_upper);
  machine->target = FORETOLD * machine->theta_gap;
  mk_status solved = mk_machine_solve(machine);
  return solved == MK_STALLED ? MK_OK : solved;
}

/* Theta of even samples, each of twice the size of the one before, then of all. Where most samples
 * of the first have no say, few violators say more than more samples do. */
static mk_status foretell(mk_machine *machine) {
  for (int left = machine->doublings, first = 1; !has_all(machine); first = 0, left--) {
    machine->doublings = 0;
    mk_status solved = solve_candidates(machine, LAST_SAMPLE * chance(machine), 0, 1);
    if (solved != MK_OK && solved != MK_STALLED) return solved;
    if (first && support_share(machine) < NARROW) {
      while (mk_gram_count(machine->gram) < SMALL && !has_all(machine))
        MK_TRY(double_sample(machine));
      return MK_OK;
    }
    if (left == 0) return stand_at_theta_of_all(machine);
    MK_TRY(double_sample(machine));
  }
  return MK_OK;
}

/* ---- all samples ---- */

/* Rounds of solving on the candidates and taking in violators, until the gap
 * over all samples is within `goal`; the last check is left to the certificate
 * where `trusting` and the one before it found hardly any. */
static mk_status solve_all(mk_machine *machine, double goal, int trusting) {
  int foretold = machine->doublings > 0;
  if (foretold) MK_TRY(foretell(machine));
  foretold &= machine->stretched;
  double round_goal = goal;
  int all = has_all(machine), complete = 0;
  machine->unchecked = 0;
  if (!all) round_goal = fmax(goal, 0.02);
  for (;; foretold = 0) {
    double near = round_goal;
    if (machine->stretched && leaps(machine))
      near = fmax(LAST_SAMPLE * chance(machine), THETA_SHARE * goal);
    mk_status solved = MK_OK;
    if (!foretold)
      solved = solve_candidates(machine, fmin(near, round_goal), all, round_goal > goal);
    if (all || (solved != MK_OK && solved != MK_STALLED)) return solved;
    machine->unchecked =
        trusting && complete && round_goal <= goal && solved == MK_OK && !machine->stretched;
    if (machine->unchecked) return MK_OK;
    double upper, outside;
    size_t count;
    MK_TRY(check_all(machine, &upper, &outside, &count));
    machine->best_upper = fmin(machine->best_upper, upper);
    double gap = (upper - machine->bound) / fabs(upper);
    if (gap <= goal) return MK_OK;
    complete = outside <= HARDLY * goal * fabs(upper);
    if (count == 0 && !machine->stretched) {
      if (solved == MK_STALLED && mk_gram_is_single(machine->gram)) {
        MK_TRY(mk_machine_sharpen(machine));
        continue;
      }
      if (solved == MK_STALLED) return MK_STALLED;
      round_goal = round_goal > goal ? goal : 0.3 * round_goal;
      continue;
    }
    /* the gap over all samples says what accuracy the next round is worth;
     * with few violators it is the candidates' own */
    int wait = complete && round_goal > goal && !machine->stretched;
    if (complete || count < FEW * mk_gram_count(machine->gram))
      round_goal = fmin(round_goal, 0.8 * goal);
    else
      round_goal = fmax(0.5 * goal, fmin(round_goal, 0.1 * gap));
    if (wait) continue;
    size_t a = mk_gram_count(machine->gram);
    all = a + count == mk_usable_count(machine->problem);
    if (all) round_goal = goal;
    int leap = leaps(machine);
    if (machine->even || leap) expect_chance(machine, machine->best_upper);
    if (foretold && leap) machine->target *= NEARER;
    machine->even &= !leap;
    machine->due = !leap && moves_first(machine, count, round_goal);
    MK_TRY(take_in(machine, count, machine->even));
  }
}

static mk_status solve(mk_machine *machine, double goal, int attempt, void *data) {
  (void)data;
  return solve_all(machine, goal, attempt == 0);
}

mk_status mk_interleaved_whole(const mk_problem *problem, const mk_control *control,
                               const mk_start *start, int rough, mk_solution *solution) {
  mk_machine machine;
  mk_status status = mk_machine_new(&machine, problem, control, solution);
  machine.rough = rough;
  if (status == MK_OK)
    status = mk_machine_conclude(&machine, mk_machine_begin(&machine, start), solve, NULL);
  mk_machine_clear(&machine);
  return status;
}

static void copy_part(const mk_machine *machine, mk_solution *part) {
  size_t n = machine->problem->n;
  memcpy(part->theta, machine->theta, machine->kernels * sizeof(double));
  memcpy(part->forms, machine->s, machine->kernels * sizeof(double));
  for (size_t t = 0; t < machine->problem->tasks; t++) {
    mk_svm_restore_sum(&machine->svm[t]); /* rounding lets it drift */
    memcpy(part->alpha + t * n, machine->alpha[t], n * sizeof(double));
  }
  part->primal = machine->upper;
  part->dual = machine->lower;
  part->iterations = machine->iterations;
  part->solves = machine->solves;
  part->bytes = mk_gram_bytes(machine->gram) + machine->system.bytes;
}

mk_status mk_interleaved_part(const mk_problem *problem, const mk_control *control,
                              const mk_start *start, double goal, mk_solution *part) {
  mk_machine machine;
  mk_status status = mk_machine_new(&machine, problem, control, part);
  if (status == MK_OK) status = mk_machine_begin(&machine, start);
  if (status == MK_OK) {
    status = solve_candidates(&machine, goal, 1, 1);
    copy_part(&machine, part);
  }
  mk_machine_clear(&machine);
  return status;
}

/* With some kernels as far as that leads, then with all. */
static mk_status begin_with_some(const mk_problem *problem, const mk_control *control,
                                 const mk_start *start, mk_solution *solution) {
  mk_control rough = *control;
  rough.tol = fmax(control->tol, FINEST_ROUNDS);
  mk_status status = mk_active_kernels(problem, &rough, start, &mk_triangle_pool, solution);
  if (status == MK_OK && solution->gap <= control->tol) return MK_OK;
  if (status == MK_NO_MEMORY || status == MK_NOT_FINITE)
    return mk_interleaved_whole(problem, control, start, 0, solution);
  if (status != MK_OK && status != MK_STALLED) return status;
  size_t kernels = mk_set_kernels(problem->set), size = problem->n * problem->tasks;
  double *theta = MK_NEW(double, kernels + size), *alpha = theta + kernels;
  if (theta == NULL) return MK_NO_MEMORY;
  memcpy(theta, solution->theta, kernels * sizeof *theta);
  memcpy(alpha, solution->alpha, size * sizeof *alpha);
  mk_start next = {theta, alpha, solution->iterations, solution->solves};
  status = mk_interleaved_whole(problem, control, &next, 0, solution);
  mk_free(theta);
  return status;
}

mk_status mk_interleaved(const mk_problem *problem, const mk_control *control,
                         const mk_start *start, mk_solution *solution) {
  mk_start nothing = {.theta = NULL};
  if (start == NULL) start = &nothing;
  if (mk_has_many_columns(problem))
    return mk_active_kernels(problem, control, start, &mk_column_pool, solution);
  return mk_has_few_samples(problem, control)
             ? begin_with_some(problem, control, start, solution)
             : mk_interleaved_whole(problem, control, start, 0, solution);
}
