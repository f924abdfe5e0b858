#include "interleaved.h"

#include "base/mechanisms.h"
#include "optimizer/fit-state.h"
#include "optimizer/interior.h"
#include "optimizer/theta-step.h"
#include "optimizer/working-set.h"
#include "problem/sides.h"
#include "svm/loss.h"
#include "theta/norm.h"
#include "theta/rule.h"

#include <math.h>

/* relative gap for the first working sets, which are only samples of the data */
#define FIRST_ACCURACY 0.02
/* share of the tolerance for the working set; samples outside have the rest */
#define WORKING_SET_SHARE 0.7
/* share of a working set; if fewer samples join, others seldom become violators after them */
#define LAST_ROUND_JOINING_SHARE 0.25
#define SVM_SLACK 2.5   /* multiple of the SVMs' share of a gap that is small enough */
#define SHARPER_SVM 0.1 /* factor of the SVMs' share after a move without progress */

/* least relative gap to aim at; with smaller ones, SVMs stall by rounding before theta is found */
#define LEAST_ACCURACY 1e-13

/* ---- the working set ---- */

/* Progress of the moves over one working set. */
typedef struct progress {
  double gap, upper; /* least values so far */
  double svm_share;  /* share of the goal to which SVMs are solved */
  int idle;          /* moves since the last progress */
  int interior;      /* number of calls of the interior point method */
} progress;

/* Returns 1 for sparse weights over columns only. Alphas that are good at one theta are then far
 * from those at nearby ones, and alternating moves go back and forth. The interior point method
 * changes alphas and theta at once, so it comes early. */
static int moves_zigzag(const mk_fit_state *fit) {
  return MK_WITH_EARLY_INTERIOR && mk_norm_is_sparse(&fit->problem->norm) &&
         mk_gram_is_columns(fit->gram);
}

/* Records progress: the gap falls, or the primal value falls by a part of the goal, since the gap
 * becomes small only at the end for p near 1. Forms err by the root of the SVMs' gap, so after a
 * move without progress SVMs are solved more accurately. */
static void update_progress(progress *p, const mk_fit_state *fit, double goal) {
  double gap = mk_fit_gap(fit);
  int better = gap < MK_SLIGHT_PROGRESS * p->gap ||
               (!moves_zigzag(fit) && fit->upper < p->upper - (1.0 - MK_SLIGHT_PROGRESS) * goal);
  p->idle = better ? 0 : p->idle + 1;
  if (!better) p->svm_share *= SHARPER_SVM;
  p->gap = fmin(p->gap, gap);
  p->upper = fmin(p->upper, fit->upper);
}

/* Leaves single precision, or else alternating moves, after moves without progress. */
static mk_status try_another_way(mk_fit_state *fit, double accuracy, progress *p) {
  p->idle = 0;
  if (mk_gram_is_single(fit->gram) || mk_gram_is_approximate(fit->gram)) {
    MK_TRY(mk_fit_sharpen(fit));
    return mk_fit_solve(fit, MK_ANSWER_SHARE * accuracy * fabs(fit->upper));
  }
  p->interior++;
  return mk_interior(fit, accuracy);
}

/* Returns the gap of which SVMs are solved to a share. Less accuracy will do while theta is far
 * from its goal and rows are approximate, where each round of the SVMs' solver reads all data. */
static double wanted_gap(const mk_fit_state *fit, double goal) {
  int loose = MK_WITH_LOOSE_SVMS && mk_gram_is_approximate(fit->gram);
  return loose ? fmax(goal, MK_ANSWER_SHARE * fit->theta_gap) : goal;
}

/* Solves the SVMs to a share of the wanted gap, or moves theta if they are solved. */
static mk_status next_move(mk_fit_state *fit, double goal, mk_status solved, const progress *p) {
  double wanted = wanted_gap(fit, goal), target = p->svm_share * wanted;
  int unsolved =
      fit->svm_gap > SVM_SLACK * MK_ANSWER_SHARE * wanted || fit->theta_gap <= 0.5 * goal;
  if (unsolved && solved != MK_STALLED) return mk_fit_solve(fit, target);
  mk_aim aim = {
      .goal = goal, .svm_target = target, .idle = p->idle, .lengthens = !moves_zigzag(fit)};
  return mk_theta_step(fit, &aim);
}

/* Alternates SVM solves and theta steps until the relative gap over the working set is within
 * `accuracy`. MK_STALLED: rounding allows no more; the fit then holds the best iterate. */
static mk_status solve_working_set(mk_fit_state *fit, double accuracy) {
  progress p = {.gap = INFINITY, .upper = INFINITY, .svm_share = MK_ANSWER_SHARE};
  fit->best.gap = INFINITY;
  mk_status solved = mk_fit_solve(fit, MK_ANSWER_SHARE * accuracy * fabs(fit->upper));
  for (;;) {
    if (solved != MK_OK && solved != MK_STALLED) break;
    MK_TRY(mk_fit_record(fit, fit->lower));
    mk_fit_keep(fit);
    double goal = accuracy * fabs(fit->upper);
    if (mk_fit_gap(fit) <= goal) return MK_OK;
    update_progress(&p, fit, goal);
    int blocked = solved == MK_STALLED && fit->theta_gap < 0.5 * fit->svm_gap;
    int early = moves_zigzag(fit) && p.interior == 0;
    int stuck = blocked || p.idle > (early ? 0 : MK_MAX_IDLE);
    if (stuck && p.interior > 1) {
      solved = MK_STALLED;
      break;
    }
    solved =
        fit->iterations >= fit->control->max_iter ? MK_ITERATION_LIMIT : mk_check(fit->control);
    if (solved != MK_OK) break;
    solved = stuck ? try_another_way(fit, accuracy, &p) : next_move(fit, goal, solved, &p);
  }
  if (!mk_usable_end(solved)) return solved;
  mk_fit_return(fit);
  if (solved == MK_STALLED) MK_TRY(mk_fit_settle(fit));
  return solved;
}

/* ---- all samples ---- */

/* Computes responses at all samples; those of the working set follow from its gradients. */
static mk_status respond_to_all(mk_fit_state *fit) {
  mk_alphas alphas = {fit->problem->tasks, fit->alpha};
  const int *samples = mk_gram_samples(fit->gram);
  double began = mk_seconds();
  MK_TRY(mk_gram_response_outside(fit->gram, &alphas, fit->response));
  fit->pace.outside = mk_seconds() - began;
  for (size_t t = 0; t < alphas.tasks; t++) {
    const mk_svm *svm = &fit->svm[t];
    for (size_t k = 0; k < svm->n; k++)
      fit->response[t][samples[k]] = svm->linear[k] - svm->gradient[k];
  }
  return MK_OK;
}

static mk_status primal_value(const mk_fit_state *fit, double *value) {
  const mk_problem *problem = fit->problem;
  double offset, dual;
  MK_TRY(mk_sides(&problem->norm, fit->kernels, fit->theta, fit->s, value, &dual));
  *value *= 0.5;
  for (size_t t = 0; t < problem->tasks; t++) {
    mk_terms terms = mk_problem_terms(problem, t);
    for (size_t i = 0; i < problem->n; i++)
      fit->gradient[i] = terms.linear[i] - fit->response[t][i];
    *value += mk_loss_total(&terms, fit->gradient, fit->list, &offset);
  }
  return MK_OK;
}

/* Finds at most as many violators as the working set has samples. Offsets are those of the working
 * set, since the certificate's may leave all losses to samples inside. */
static mk_status find_violators(mk_fit_state *fit, size_t *count) {
  size_t inside = mk_gram_count(fit->gram), n = fit->problem->n;
  for (size_t t = 0; t < fit->problem->tasks; t++)
    for (size_t i = 0; i < n; i++) fit->response[t][i] += fit->svm[t].offset;
  return mk_find_violators(fit->problem, mk_gram_samples(fit->gram) + inside, n - inside,
                           fit->response, fit->list, count);
}

/* Computes the relative gap over all samples by the fit's rows, and the worst violators into
 * fit->list. */
static mk_status check_rows(mk_fit_state *fit, double *gap, size_t *count) {
  double upper;
  MK_TRY(respond_to_all(fit));
  MK_TRY(primal_value(fit, &upper));
  fit->best_upper = fmin(fit->best_upper, upper);
  *gap = mk_relative_gap(upper, fit->lower);
  return find_violators(fit, count);
}

/* Computes gap and violators from the certificate, which evaluates all samples in any case. */
static mk_status certify_rows(mk_fit_state *fit, double *gap, size_t *count) {
  const mk_problem *problem = fit->problem;
  const mk_solution *solution = fit->solution;
  MK_TRY(mk_fit_certify(fit));
  *gap = solution->gap;
  *count = 0;
  if (*gap <= fit->control->tol || mk_gram_count(fit->gram) == fit->usable) return MK_OK;
  for (size_t t = 0; t < problem->tasks; t++)
    for (size_t i = 0; i < problem->n; i++)
      fit->response[t][i] = solution->decision[t * problem->n + i] - solution->offset[t];
  return find_violators(fit, count);
}

/* ---- the algorithm ---- */

/* The accuracy of the first rounds, and whether the last iterate is certified. */
typedef struct rounds {
  mk_fit_state *fit;
  double first_accuracy; /* relative gap */
  int certified;
} rounds;

/* Evaluates all samples by the fit's rows, which may be approximate, then by the certificate if
 * this may be the last round. */
static mk_status look_at_all(rounds *r, int last, double *gap, size_t *violators) {
  const mk_control *control = r->fit->control;
  if (!last || control->rough) MK_TRY(check_rows(r->fit, gap, violators));
  if (!last && *gap > control->tol) return MK_OK;
  if (!control->rough) MK_TRY(certify_rows(r->fit, gap, violators));
  if (*gap <= control->tol) *violators = 0;
  r->certified = 1;
  return MK_OK;
}

/* Solves over the working set to a relative gap of `final`, evaluates all samples and adds
 * violators, until the gap over all samples is within the tolerance. The first working sets are
 * only samples of the data, so they are solved to an accuracy that depends on the gap over all
 * samples. */
static mk_status grow_working_set(rounds *r, double final) {
  mk_fit_state *fit = r->fit;
  size_t violators = 0, outside = fit->usable - mk_gram_count(fit->gram);
  double accuracy = final, gap;
  if (outside > 0) accuracy = fmax(final, r->first_accuracy);
  for (;; r->certified = 0) {
    mk_status solved = solve_working_set(fit, accuracy);
    if (solved != MK_OK && solved != MK_STALLED) return solved;
    MK_TRY(look_at_all(r, accuracy == final || solved == MK_STALLED, &gap, &violators));
    if (r->certified && violators == 0) return solved;
    size_t inside = mk_gram_count(fit->gram);
    if (violators > 0) MK_TRY(mk_fit_extend(fit, violators));
    outside -= violators;
    /* the next round may be the last once most samples are in, or few have joined */
    int last =
        outside < violators || (double)violators <= LAST_ROUND_JOINING_SHARE * (double)inside;
    accuracy = last ? final : fmax(final, fmin(accuracy, MK_ROUND_SHARE * gap));
  }
}

static mk_status solve_and_certify(void *data, double goal) {
  rounds *r = data;
  r->certified = 0;
  mk_status status = grow_working_set(r, fmax(goal, LEAST_ACCURACY));
  if (mk_usable_end(status) && (!r->certified || r->fit->control->rough))
    MK_TRY(mk_fit_certify(r->fit));
  return status;
}

mk_status mk_interleaved(const mk_problem *problem, const mk_control *control,
                         const mk_start *start, mk_solution *solution) {
  mk_fit_state fit;
  rounds rounds = {.fit = &fit, .first_accuracy = FIRST_ACCURACY};
  if (start->decision != NULL) rounds.first_accuracy = 0.0;
  mk_status status = mk_fit_new(&fit, problem, control, solution);
  if (status == MK_OK)
    status = mk_fit_finish(&fit, mk_fit_begin(&fit, start), WORKING_SET_SHARE * control->tol,
                           solve_and_certify, &rounds);
  mk_fit_clear(&fit);
  return status;
}
