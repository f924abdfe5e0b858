/* The proximal point method on the dual (Rockafellar 1976): the next alpha minimises
 *   alpha'K alpha / 2 + sum psi(alpha) - linear'alpha + delta / 2 |alpha - centre|^2
 * over the box and the equality, centre being the last one. Its own dual, over beta and an offset,
 *   beta'K beta / 2 + sum_i h_i(t_i),  t = linear - K beta - offset,
 *   h_i'(t) = a_i(t) := argmax a t - psi_i(a) - delta / 2 (a - centre_i)^2,
 * for hinge loss centre_i + t / delta cut to the box, is convex and smooth and has no constraints:
 * Newton's method with an exact line search (Chapelle 2007; Li, Sun, Toh 2018) needs a few systems
 * of the variables that are not cut (a' > 0), hundreds of which may change sides in one step. At
 * its end beta is alpha. Smooth losses need no centres: delta is 0, and this is Newton's method on
 * the primal; for squared loss one system. A loss that is smooth but bends sharply, as Huber's with
 * a small parameter, gets centres once Newton's method does not arrive. */
#include "proximal-internal.h"

#include <math.h>
#include <string.h>

#define MOST_STEPS 60 /* Newton steps for one centre */
#define HALVINGS 30   /* of the line search */
#define OUTSIDE 1e-7  /* of its width: what an answer may miss the box by */
#define FIRST 0.03    /* delta, of the violation by the width of the box, ... */
#define LEAST 10.0    /* ... and at least, in relative errors of the diagonal */
#define FALL 0.3      /* of delta after few steps; */
#define FEW_STEPS 6   /* it grows again after ... */
#define MANY_STEPS 12 /* ... many */
#define NOTHING 1e-9  /* of that: what is no promise, where K says nothing of beta */
#define ENOUGH 0.1    /* of the target: what the last step for a centre may have promised */
#define PROGRESS 0.8  /* share of the gap that a round may leave ... */
#define ROUNDS 60     /* centres */
#define PATIENCE 5    /* ... but for so many running */
#define FLAT 1e-10    /* a' of a curved loss below this, of the box, counts as none */
#define WIDEN 60      /* doublings of a bracket */

/* a_i(t) */
static double answer(const mk_proximal *p, size_t i, double t, double *rate) {
  return mk_loss_answer(&p->terms, i, t, p->delta, p->centre[i], rate);
}

static double answer_sum(const void *data, double b, double *rate) {
  const mk_proximal *p = data;
  double sum = 0.0, own;
  *rate = 0.0;
  for (size_t i = 0; i < p->svm->n; i++) {
    sum += answer(p, i, p->gradient[i] - b, &own);
    *rate += own;
  }
  return sum;
}

/* The offset at which the answers at beta sum to zero. */
static double best_offset(const mk_proximal *p) {
  double low = INFINITY, high = -INFINITY, rate;
  if (p->terms.loss.no_offset) return 0.0;
  for (size_t i = 0; i < p->svm->n; i++) {
    if (p->svm->upper[i] == p->svm->lower[i]) continue;
    low = fmin(low, p->gradient[i]);
    high = fmax(high, p->gradient[i]);
  }
  double reach = fmax(high - low, 1.0);
  for (int k = 0; k < WIDEN && answer_sum(p, low, &rate) < 0.0; k++, reach *= 2.0) low -= reach;
  for (int k = 0; k < WIDEN && answer_sum(p, high, &rate) > 0.0; k++, reach *= 2.0) high += reach;
  return mk_loss_root(answer_sum, p, low, high);
}

static void follow_columns(const mk_proximal *p, const int *list, size_t count) {
  const mk_thin *z = p->task->columns;
  double *product = p->ones, *change = p->wide;
  mk_thin_project(z, list, count, p->step, product);
  mk_thin_combine(z, NULL, p->svm->n, product, change);
  for (size_t i = 0; i < p->svm->n; i++) p->point_gradient[i] -= change[i];
}

/* The gradient at the point after `list` of it has changed by `step`. */
static mk_status follow(const mk_proximal *p, const int *list, size_t count) {
  mk_status status;
  if (p->task->columns != NULL) {
    if (count > 0) follow_columns(p, list, count);
    return MK_OK;
  }
  for (size_t k = 0; k < count; k++) {
    mk_row row = mk_proximal_row(p, list, count, k, &status);
    if (row.at == NULL) return status;
    p->svm->simd->rows[row.single].axpy(p->svm->n, -p->step[k], row.at, p->point_gradient);
  }
  return MK_OK;
}

/* ---- Newton ---- */

enum side { UNKNOWN, LOWER, UPPER, KINK, BELOW, ABOVE };

static enum side side_of(const mk_proximal *p, size_t i, double a, double rate) {
  if (a <= p->svm->lower[i]) return LOWER;
  if (a >= p->svm->upper[i]) return UPPER;
  double least =
      mk_loss_is_quadratic(&p->terms.loss) ? 0.0 : FLAT * (p->svm->upper[i] - p->svm->lower[i]);
  if (rate <= least) return KINK;
  return a < 0.0 && mk_loss_tube(&p->terms.loss) > 0.0 ? BELOW : ABOVE;
}

/* Which variables are cut at beta: these go where they belong. */
static mk_status cut(mk_proximal *p, size_t *changed) {
  const mk_svm *svm = p->svm;
  size_t moved = 0;
  p->count = *changed = 0;
  p->softest = INFINITY;
  for (size_t i = 0; i < svm->n; i++) {
    double rate, a = answer(p, i, p->gradient[i] - p->offset, &rate);
    enum side side = side_of(p, i, a, rate);
    *changed += side != (enum side)p->side[i];
    p->side[i] = (char)side;
    if (side == BELOW || side == ABOVE) {
      p->answer[p->count] = a;
      p->stiff[p->count] = 1.0 / rate;
      p->softest = fmin(p->softest, 1.0 / rate);
      p->uncut[p->count++] = (int)i;
    } else if (p->point[i] != a) {
      p->moved[moved] = (int)i;
      p->step[moved++] = a - p->point[i];
      p->point[i] = a;
    }
  }
  return follow(p, p->moved, moved);
}

/* Newton's point: for the uncut point = a + a' (t(point) - t), t without and with the step, that is
 * (K + diag(stiff)) step = t(point) - t + stiff (a - point), and sum 0. */
static mk_status newton_point(mk_proximal *p) {
  double sum = 0.0;
  p->point_offset = p->offset;
  if (p->count == 0) return MK_OK;
  if (p->count > p->most && !mk_loss_is_dense(&p->terms.loss)) return MK_STALLED;
  for (size_t i = 0; i < p->svm->n; i++) sum += p->point[i];
  for (size_t k = 0; k < p->count; k++) {
    size_t i = (size_t)p->uncut[k];
    p->step[k] = p->point_gradient[i] - (p->gradient[i] - p->offset) +
                 p->stiff[k] * (p->answer[k] - p->point[i]);
  }
  MK_TRY(mk_proximal_solve(p, -sum, &p->point_offset));
  for (size_t k = 0; k < p->count; k++) p->point[p->uncut[k]] += p->step[k];
  return follow(p, p->uncut, p->count);
}

/* ---- line search ---- */

/* The objective's derivative at this share of the way from beta to the point. */
static double slope(const mk_proximal *p, double share) {
  double sum = 0.0, rise = p->point_offset - p->offset, rate;
  for (size_t i = 0; i < p->svm->n; i++) {
    double d = p->point[i] - p->beta[i], kd = p->gradient[i] - p->point_gradient[i];
    double t = p->gradient[i] - p->offset - share * (kd + rise);
    sum += (p->beta[i] + share * d) * kd - answer(p, i, t, &rate) * (kd + rise);
  }
  return sum;
}

/* Where the slope is zero, at most 1. */
static double best_share(const mk_proximal *p) {
  double low = 0.0, high = 1.0;
  if (!(slope(p, 1.0) > 0.0)) return 1.0;
  for (int k = 0; k < HALVINGS; k++) {
    double middle = 0.5 * (low + high);
    *(slope(p, middle) > 0.0 ? &high : &low) = middle;
  }
  return high;
}

static void advance(mk_proximal *p, double share) {
  for (size_t i = 0; i < p->svm->n; i++) {
    p->beta[i] += share * (p->point[i] - p->beta[i]);
    p->gradient[i] += share * (p->point_gradient[i] - p->gradient[i]);
  }
  p->offset += share * (p->point_offset - p->offset);
}

/* ---- one centre ---- */

/* 1: the point is in the box but for rounding. */
static int is_inside(const mk_proximal *p) {
  const mk_svm *svm = p->svm;
  for (size_t k = 0; k < p->count; k++) {
    size_t i = (size_t)p->uncut[k];
    double room = OUTSIDE * (svm->upper[i] - svm->lower[i]);
    if (p->point[i] > svm->upper[i] + room || p->point[i] < svm->lower[i] - room) return 0;
  }
  return 1;
}

/* Newton steps until the objective has less than `enough` to fall; *found: the point is the
 * answer. */
static mk_status search(mk_proximal *p, double enough, int *steps, int *found) {
  size_t changed;
  double share = 0.0;
  *found = 0;
  p->offset = best_offset(p);
  for (*steps = 0; *steps < MOST_STEPS; ++*steps) {
    MK_TRY(mk_check(p->task->control));
    MK_TRY(cut(p, &changed));
    *found = changed == 0 && share == 1.0 && mk_loss_is_quadratic(&p->terms.loss);
    if (*found) return MK_OK;
    MK_TRY(newton_point(p));
    double fall = -slope(p, 0.0);
    if (!(fall > NOTHING * enough)) { /* all betas near are as good, the answer one of them */
      *found = is_inside(p);
      return MK_OK;
    }
    share = best_share(p);
    advance(p, share);
    *found = share > 0.5 && fall < enough && is_inside(p);
    if (*found) return MK_OK;
  }
  return MK_OK;
}

/* alpha := the point; what misses the box is made up for by the variable with the most room. */
static mk_status land(mk_proximal *p) {
  mk_svm *svm = p->svm;
  size_t moved = 0, widest = 0;
  double sum = 0.0, most = -1.0;
  for (size_t i = 0; i < svm->n; i++) {
    double a = fmin(fmax(p->point[i], svm->lower[i]), svm->upper[i]);
    double room = fmin(svm->upper[i] - a, a - svm->lower[i]);
    if (room > most) {
      most = room;
      widest = i;
    }
    sum += a;
    if (a == p->point[i]) continue;
    p->moved[moved] = (int)i;
    p->step[moved++] = a - p->point[i];
    p->point[i] = a;
  }
  if (moved > 0 && fabs(sum) < most && !p->terms.loss.no_offset) {
    p->moved[moved] = (int)widest;
    p->step[moved++] = -sum;
    p->point[widest] -= sum;
  }
  MK_TRY(follow(p, p->moved, moved));
  memcpy(svm->alpha, p->point, svm->n * sizeof(double));
  memcpy(svm->gradient, p->point_gradient, svm->n * sizeof(double));
  mk_svm_reset_bounds(svm);
  return MK_OK;
}

/* From the SVM's alpha to the next; *landed = 0: it stays. */
static mk_status next_centre(mk_proximal *p, double enough, int *steps, int *landed) {
  mk_svm *svm = p->svm;
  size_t bytes = svm->n * sizeof(double);
  p->centre = svm->alpha;
  memcpy(p->beta, svm->alpha, bytes);
  memcpy(p->point, svm->alpha, bytes);
  memcpy(p->gradient, svm->gradient, bytes);
  memcpy(p->point_gradient, svm->gradient, bytes);
  mk_status status = search(p, enough, steps, landed);
  if (status == MK_STALLED) return MK_OK;
  return status == MK_OK && *landed ? land(p) : status;
}

/* ---- all ---- */

static double widest_box(const mk_svm *svm) {
  double width = 0.0;
  for (size_t i = 0; i < svm->n; i++) width = fmax(width, svm->upper[i] - svm->lower[i]);
  return width;
}

/* What rounding of rows leaves of smaller ones is noise. */
static double least_delta(const mk_svm_task *task) {
  double most = 0.0;
  for (size_t i = 0; i < task->svm->n; i++) most = fmax(most, task->diagonal[i]);
  return LEAST * task->rows.unit * most;
}

/* The gradient anew: points far from the box have cost it digits. */
static mk_status renew(mk_proximal *p) {
  mk_svm *svm = p->svm;
  size_t count = 0, bytes = svm->n * sizeof(double);
  for (size_t i = 0; i < svm->n; i++) {
    if (svm->alpha[i] == 0.0) continue;
    p->moved[count] = (int)i;
    p->step[count++] = svm->alpha[i];
  }
  memcpy(p->point_gradient, svm->linear, bytes);
  MK_TRY(follow(p, p->moved, count));
  memcpy(svm->gradient, p->point_gradient, bytes);
  mk_svm_measure(svm);
  return MK_OK;
}

static mk_status rounds(mk_proximal *p, double target) {
  mk_svm *svm = p->svm;
  double least = least_delta(p->task), best = svm->gap;
  if (p->delta > 0.0) p->delta = fmax(p->delta, least);
  for (int k = 0, idle = 0; k < ROUNDS && idle < PATIENCE; k++) {
    int steps = 0, landed = 0;
    MK_TRY(next_centre(p, ENOUGH * target, &steps, &landed));
    if (landed) mk_svm_measure(svm);
    if (svm->gap <= target || (p->count > p->most && !landed)) return MK_OK;
    idle = svm->gap < PROGRESS * best ? 0 : idle + 1;
    best = fmin(best, svm->gap);
    if (!landed)
      p->delta = p->delta > 0.0 ? 10.0 * p->delta : fmax(least, p->first);
    else if (steps > MANY_STEPS)
      p->delta *= 2.0;
    else if (steps <= FEW_STEPS && p->delta > 0.0)
      p->delta = fmax(least, FALL * p->delta);
  }
  return MK_STALLED;
}

mk_status mk_svm_proximal(const mk_svm_task *task, double violation, double target, size_t most) {
  size_t n = task->svm->n;
  size_t size = task->columns != NULL && task->columns->count > n ? task->columns->count : n;
  double *block = MK_NEW(double, 9 * size), delta = FIRST * violation / widest_box(task->svm);
  mk_proximal p = {
      .task = task, .svm = task->svm, .delta = delta, .first = delta, .most = most};
  p.terms = mk_svm_terms(task->svm);
  if (mk_loss_is_smooth(&p.terms.loss)) p.delta = 0.0;
  p.uncut = MK_NEW(int, 2 * n);
  p.side = MK_NEW0(char, n);
  mk_status status = MK_NO_MEMORY;
  if (block != NULL && p.uncut != NULL && p.side != NULL) {
    double **vector[] = {&p.beta, &p.gradient, &p.point,  &p.point_gradient, &p.step,
                         &p.ones, &p.wide,     &p.answer, &p.stiff};
    for (size_t k = 0; k < 9; k++) *vector[k] = block + k * size;
    p.moved = p.uncut + n;
    status = isfinite(delta) ? rounds(&p, target) : MK_STALLED;
    mk_status renewed = status == MK_OK || status == MK_STALLED ? renew(&p) : MK_OK;
    if (renewed != MK_OK) status = renewed;
  }
  mk_free(block);
  mk_free(p.uncut);
  mk_free(p.side);
  return status;
}
