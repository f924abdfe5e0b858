/* Iterative refinement where rows are a model of the kernel: with the true
 * gradient at alpha_0 in place, the SVM solver moves along
 *   gradient = linear - K alpha_0 - K_model (alpha - alpha_0);
 * then the truth at its answer is taken and the best point between both, which
 * needs no further kernel values, since gradients are linear in alpha. The model
 * learns from every such truth what the kernel does along the way it went. */
#include "fit-state.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define INNER 0.02 /* share of the gap that the SVM leaves on the model */
#define PATIENCE 8 /* rounds that may leave more than 0.9 of the gap */

typedef struct refinement {
  double *alpha, *gradient; /* tasks x n: where a round began */
  double *step, *rest;      /* tasks: shares of the new point and the old */
  double *way, *guess,
      *truth; /* n: the way of a round, the model's product with it, the kernel's */
} refinement;

static void remember(const mk_fit_state *fit, const refinement *r) {
  size_t n = fit->problem->n;
  for (size_t t = 0; t < fit->problem->tasks; t++) {
    const mk_svm *svm = &fit->svm[t];
    memcpy(r->alpha + t * n, svm->alpha, svm->n * sizeof(double));
    memcpy(r->gradient + t * n, svm->gradient, svm->n * sizeof(double));
  }
  mk_gram_keep(fit->gram);
}

/* The first task teaches: what the model says of another has changed by then. */
static void learn(mk_fit_state *fit, const refinement *r) {
  const mk_svm *svm = &fit->svm[0];
  for (size_t i = 0; i < svm->n; i++) r->truth[i] = r->gradient[i] - svm->gradient[i];
  mk_gram_learn(fit->gram, r->way, r->guess, r->truth);
}

typedef struct segment {
  const mk_svm *svm; /* where it ends */
  mk_terms terms;
  const double *alpha, *gradient; /* where it begins */
} segment;

/* Derivative of the dual along the segment, at this share of it. */
static double rise(const void *data, double share, double *rate) {
  const segment *s = data;
  const mk_svm *svm = s->svm;
  double sum = 0.0;
  *rate = 0.0;
  for (size_t i = 0; i < svm->n; i++) {
    double d = svm->alpha[i] - s->alpha[i], bend = s->gradient[i] - svm->gradient[i];
    if (d == 0.0) continue;
    double slope = 0.0;
    if (!mk_loss_is_linear(&svm->kind)) {
      double a = s->alpha[i] + share * d, right, left;
      mk_loss_slopes(&s->terms, i, a, &right, &left);
      slope = d > 0.0 ? left : right;
      bend += mk_loss_curvature(&s->terms, i, a) * d;
    }
    sum += (s->gradient[i] + share * (svm->gradient[i] - s->gradient[i]) - slope) * d;
    *rate += bend * d;
  }
  return sum;
}

/* Towards the new point: all of the way while the dual rises. */
static double best_step(const mk_svm *svm, const double *alpha, const double *gradient) {
  segment s = {svm, mk_svm_terms(svm), alpha, gradient};
  double rate;
  return rise(&s, 1.0, &rate) < 0.0 ? mk_loss_root(rise, &s, 0.0, 1.0) : 1.0;
}

/* True gradients at the answers; the step from the old point towards them. */
static mk_status look(mk_fit_state *fit, const refinement *r) {
  mk_alphas alphas = {fit->problem->tasks, fit->alpha};
  for (size_t i = 0; i < fit->svm[0].n; i++) {
    r->way[i] = fit->alpha[0][i] - r->alpha[i];
    r->guess[i] = r->gradient[i] - fit->svm[0].gradient[i];
  }
  MK_TRY(mk_gram_response(fit->gram, &alphas, fit->response));
  for (size_t t = 0; t < alphas.tasks; t++) {
    mk_svm *svm = &fit->svm[t];
    const double *alpha = r->alpha + t * fit->problem->n;
    const double *gradient = r->gradient + t * fit->problem->n;
    for (size_t i = 0; i < svm->n; i++) svm->gradient[i] = svm->linear[i] - fit->response[t][i];
    r->step[t] = best_step(svm, alpha, gradient);
  }
  return MK_OK;
}

static void step_back(mk_fit_state *fit, const refinement *r) {
  mk_alphas alphas = {fit->problem->tasks, fit->alpha};
  for (size_t t = 0; t < alphas.tasks; t++) {
    mk_svm *svm = &fit->svm[t];
    const double *alpha = r->alpha + t * fit->problem->n;
    const double *gradient = r->gradient + t * fit->problem->n;
    double step = r->step[t];
    if (step == 1.0) continue;
    for (size_t i = 0; i < svm->n; i++) {
      svm->alpha[i] = alpha[i] + step * (svm->alpha[i] - alpha[i]);
      svm->gradient[i] = gradient[i] + step * (svm->gradient[i] - gradient[i]);
    }
    mk_svm_reset_bounds(svm);
  }
  for (size_t t = 0; t < alphas.tasks; t++) r->rest[t] = 1.0 - r->step[t];
  mk_gram_blend(fit->gram, r->rest, r->step, &alphas);
}

/* ---- alpha times a factor near 1 ---- */

/* Where C is large beside alpha, a margin short of 1 costs much and one beyond
 * it little: a factor that lifts all margins closes most of the gap. */
typedef struct factor_search {
  const mk_svm *svm;
  mk_terms terms;
  double linear, square;    /* linear'alpha, alpha'K alpha */
  double *gradient, *alpha; /* scratch of n */
} factor_search;

static double gap_at(const factor_search *f, double factor) {
  const mk_svm *svm = f->svm;
  double offset;
  for (size_t i = 0; i < svm->n; i++) {
    f->gradient[i] = svm->linear[i] - factor * (svm->linear[i] - svm->gradient[i]);
    f->alpha[i] = factor * svm->alpha[i];
  }
  return mk_loss_total(&f->terms, f->gradient, svm->order, &offset) +
         mk_loss_total_penalty(&f->terms, f->alpha) + factor * (factor * f->square - f->linear);
}

#define REACH 0.25  /* factors looked at: 1 -+ this */
#define SECTIONS 30 /* steps of the golden section */
#define GOLDEN 0.61803398874989485

static double best_factor(const factor_search *f, double least, double most) {
  double a = most - GOLDEN * (most - least), b = least + GOLDEN * (most - least);
  double at_a = gap_at(f, a), at_b = gap_at(f, b);
  for (int k = 0; k < SECTIONS; k++)
    if (at_a < at_b) {
      most = b;
      b = a;
      at_b = at_a;
      a = most - GOLDEN * (most - least);
      at_a = gap_at(f, a);
    } else {
      least = a;
      a = b;
      at_a = at_b;
      b = least + GOLDEN * (most - least);
      at_b = gap_at(f, b);
    }
  return at_a < at_b ? a : b;
}

static double find_factor(const mk_svm *svm, double *scratch, double *other, double *gap) {
  factor_search f = {.svm = svm, .terms = mk_svm_terms(svm), .gradient = scratch, .alpha = other};
  double most = 1.0 + REACH;
  for (size_t i = 0; i < svm->n; i++) {
    f.linear += svm->linear[i] * svm->alpha[i];
    f.square += svm->alpha[i] * (svm->linear[i] - svm->gradient[i]);
    if (svm->alpha[i] > 0.0) most = fmin(most, svm->upper[i] / svm->alpha[i]);
    if (svm->alpha[i] < 0.0) most = fmin(most, svm->lower[i] / svm->alpha[i]);
  }
  double factor = best_factor(&f, 1.0 - REACH, most), own = gap_at(&f, 1.0);
  *gap = gap_at(&f, factor);
  if (*gap < own) return factor;
  *gap = own;
  return 1.0;
}

/* Multiplies by the factors that close the gap most, if that meets the target. */
static int rescue(mk_fit_state *fit, const refinement *r, double target) {
  mk_alphas alphas = {fit->problem->tasks, fit->alpha};
  double sum = 0.0, gap;
  for (size_t t = 0; t < alphas.tasks; t++) {
    r->step[t] = find_factor(&fit->svm[t], r->way, r->guess, &gap);
    sum += gap;
  }
  if (sum > target) return 0;
  for (size_t t = 0; t < alphas.tasks; t++) {
    mk_svm *svm = &fit->svm[t];
    for (size_t i = 0; i < svm->n; i++) {
      svm->alpha[i] = fmin(fmax(r->step[t] * svm->alpha[i], svm->lower[i]), svm->upper[i]);
      svm->gradient[i] = svm->linear[i] - r->step[t] * (svm->linear[i] - svm->gradient[i]);
    }
    mk_svm_reset_bounds(svm);
  }
  mk_gram_blend(fit->gram, NULL, r->step, &alphas);
  return 1;
}

static mk_status one_round(mk_fit_state *fit, const refinement *r, double gap, double target) {
  remember(fit, r);
  mk_status solved = mk_fit_solve_svms(fit, fmax(INNER * gap, 0.05 * target));
  if (solved != MK_OK && solved != MK_STALLED) return solved;
  MK_TRY(look(fit, r));
  learn(fit, r);
  step_back(fit, r);
  return MK_OK;
}

static mk_status rounds(mk_fit_state *fit, const refinement *r, double target) {
  double gap = mk_fit_svm_gap(fit);
  int renewed = 0, slow = 0;
  while (gap > target) {
    double before = gap;
    MK_TRY(mk_check(fit->control));
    MK_TRY(one_round(fit, r, gap, target));
    gap = mk_fit_svm_gap(fit);
    if (!isfinite(gap)) return MK_NOT_FINITE;
    slow = gap > 0.9 * before ? slow + 1 : 0;
    if (slow > PATIENCE) return MK_STALLED;
    if (gap > target && rescue(fit, r, target)) return MK_OK;
    if (slow < 3 || renewed || gap <= target) continue;
    MK_TRY(mk_gram_renew_model(fit->gram, fit->theta));
    renewed = 1;
  }
  return MK_OK;
}

mk_status mk_fit_refine(mk_fit_state *fit, double target) {
  size_t tasks = fit->problem->tasks, size = tasks * fit->problem->n;
  size_t n = fit->problem->n;
  double *block = MK_NEW(double, 2 * size + 2 * tasks + 3 * n);
  if (block == NULL) return MK_NO_MEMORY;
  refinement r = {.alpha = block, .gradient = block + size, .step = block + 2 * size};
  r.rest = r.step + tasks;
  r.way = r.rest + tasks;
  r.guess = r.way + n;
  r.truth = r.guess + n;
  mk_status status = rounds(fit, &r, target);
  mk_free(block);
  return status;
}
