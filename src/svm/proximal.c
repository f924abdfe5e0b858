/* The proximal point method on the dual (Rockafellar 1976): the next alpha minimises
 *   alpha'K alpha / 2 + sum psi(alpha) - linear'alpha + delta / 2 |alpha - centre|^2
 * over the box and the equality, where centre is the last alpha. The dual of this problem, over
 * beta and an offset,
 *   beta'K beta / 2 + sum_i h_i(t_i),  t = linear - K beta - offset,
 *   h_i'(t) = a_i(t) := argmax a t - psi_i(a) - delta / 2 (a - centre_i)^2
 * (hinge loss: centre_i + t / delta, cut to the box), is convex and smooth and has no constraints.
 * Newton's method with an exact line search (Chapelle 2007; Li, Sun, Toh 2018) needs a few systems
 * over the variables that are not cut (a' > 0), hundreds of which may change sides in one step. At
 * its end beta is alpha. Smooth losses need no centres: delta is 0, and this is Newton's method on
 * the primal; squared loss needs one system. A smooth loss with large curvature, such as Huber's
 * with a small parameter, gets centres if Newton's method does not converge. Called by solve.c.
 * MATHEMATICS.md, section 3.1. */
#include "proximal.h"

#include "svm/loss.h"
#include "svm/proximal-system.h"
#include "svm/state.h"

#include <math.h>
#include <string.h>

#define MAX_ROUNDS 60       /* most Newton steps for one centre, and most centres */
#define CENTRE_PROGRESS 0.8 /* share of the gap above which a centre has made no progress */
#define BOX_SLACK 1e-7      /* share of a box's width by which an answer may miss the box */
#define FLAT_RATE 1e-10     /* share of a box's width below which a' of a curved loss counts as 0 */
/* first delta, as a share of the violation divided by the width of the box */
#define FIRST_DELTA 0.03
/* least delta, in relative errors of the rows, as a share of the diagonal */
#define LEAST_DELTA 10.0
#define DELTA_FALL 0.3  /* factor of delta after a quick centre */
#define DELTA_RISE 10.0 /* factor of delta after a centre that was not reached */
#define QUICK_STEPS 6   /* most Newton steps of a quick centre */
/* share of the goal that counts as no promise, where K does not determine beta */
#define LEAST_PROMISE 1e-9

/* Returns a_i(t). */
static double alpha_at(const mk_proximal *p, size_t i, double t, double *rate) {
  return mk_loss_answer(&p->terms, i, t, p->delta, p->centre[i], rate);
}

static double answer_sum(const void *data, double b, double *rate) {
  const mk_proximal *p = data;
  double sum = 0.0, own;
  *rate = 0.0;
  for (size_t i = 0; i < p->svm->n; i++) {
    sum += alpha_at(p, i, p->gradient[i] - b, &own);
    *rate += own;
  }
  return sum;
}

static void follow_columns(const mk_proximal *p, const int *list, size_t count) {
  const mk_thin *z = p->task->columns;
  double *product = p->ones, *change = p->wide;
  mk_thin_project(z, list, count, p->step, product);
  mk_thin_combine(z, NULL, p->svm->n, product, change);
  for (size_t i = 0; i < p->svm->n; i++) p->point_gradient[i] -= change[i];
}

/* Updates the gradient at the point after the variables in `list` have changed by `step`. */
static mk_status follow_step(const mk_proximal *p, const int *list, size_t count) {
  const mk_svm_rows *rows = &p->task->rows;
  mk_status status;
  if (p->task->columns != NULL) {
    if (count > 0) follow_columns(p, list, count);
    return MK_OK;
  }
  for (size_t k = 0; k < count; k++) {
    mk_row row = rows->row(rows->data, (size_t)list[k], &status);
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
  double width = p->svm->upper[i] - p->svm->lower[i];
  double least = mk_loss_is_quadratic(&p->terms.loss) || !isfinite(width) ? 0.0 : FLAT_RATE * width;
  if (rate <= least) return KINK;
  return a < 0.0 && mk_loss_tube(&p->terms.loss) > 0.0 ? BELOW : ABOVE;
}

/* Finds the variables that are cut at beta and sets them to their bounds. */
static mk_status cut_variables(mk_proximal *p, size_t *changed) {
  const mk_svm *svm = p->svm;
  size_t moved = 0;
  p->count = *changed = 0;
  p->softest = INFINITY;
  for (size_t i = 0; i < svm->n; i++) {
    double rate, a = alpha_at(p, i, p->gradient[i] - p->offset, &rate);
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
  return follow_step(p, p->moved, moved);
}

/* Computes Newton's point. For uncut variables point = a + a' (t(point) - t), where t belongs to
 * beta, hence (K + diag(stiff)) step = t(point) - t + stiff (a - point), with sum 0. */
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
  return follow_step(p, p->uncut, p->count);
}

/* ---- line search ---- */

/* Returns the derivative of the objective at this share of the way from beta to the point. */
static double fall_at(const void *data, double share, double *rate) {
  const mk_proximal *p = data;
  double sum = 0.0, rise = p->point_offset - p->offset, own;
  *rate = 0.0;
  for (size_t i = 0; i < p->svm->n; i++) {
    double d = p->point[i] - p->beta[i], kd = p->gradient[i] - p->point_gradient[i];
    double t = p->gradient[i] - p->offset - share * (kd + rise);
    sum += alpha_at(p, i, t, &own) * (kd + rise) - (p->beta[i] + share * d) * kd;
    *rate += own * (kd + rise) * (kd + rise) + d * kd;
  }
  return sum;
}

static void advance_beta(mk_proximal *p, double share) {
  for (size_t i = 0; i < p->svm->n; i++) {
    p->beta[i] += share * (p->point[i] - p->beta[i]);
    p->gradient[i] += share * (p->point_gradient[i] - p->gradient[i]);
  }
  p->offset += share * (p->point_offset - p->offset);
}

/* ---- one centre ---- */

/* Returns 1 if the point is in the box, up to rounding. */
static int is_inside(const mk_proximal *p) {
  const mk_svm *svm = p->svm;
  for (size_t k = 0; k < p->count; k++) {
    size_t i = (size_t)p->uncut[k];
    double room = BOX_SLACK * (svm->upper[i] - svm->lower[i]);
    if (p->point[i] > svm->upper[i] + room || p->point[i] < svm->lower[i] - room) return 0;
  }
  return 1;
}

/* Makes Newton steps until the objective has less than `fall_goal` to fall. *found is 1 if the
 * point is the answer. */
static mk_status search_centre(mk_proximal *p, double fall_goal, int *steps, int *found) {
  size_t changed;
  double share = 0.0, rate;
  *found = 0;
  p->offset = mk_loss_offset(&p->terms, p->gradient, answer_sum, p);
  for (*steps = 0; *steps < MAX_ROUNDS; ++*steps) {
    MK_TRY(mk_check(p->task->control));
    MK_TRY(cut_variables(p, &changed));
    *found = changed == 0 && share == 1.0 && mk_loss_is_quadratic(&p->terms.loss);
    if (*found) return MK_OK;
    MK_TRY(newton_point(p));
    double fall = fall_at(p, 0.0, &rate);
    if (!(fall > LEAST_PROMISE * fall_goal)) { /* betas nearby have the same value up to rounding */
      *found = is_inside(p);
      return MK_OK;
    }
    share = fall_at(p, 1.0, &rate) < 0.0 ? mk_loss_root(fall_at, p, 0.0, 1.0) : 1.0;
    advance_beta(p, share);
    *found = share > 0.5 && fall < fall_goal && is_inside(p);
    if (*found) return MK_OK;
  }
  return MK_OK;
}

/* Sets alpha to the point, cut to the box and with its sum restored. */
static mk_status land_in_box(mk_proximal *p) {
  mk_svm *svm = p->svm;
  size_t moved = 0;
  for (size_t i = 0; i < svm->n; i++)
    svm->alpha[i] = fmin(fmax(p->point[i], svm->lower[i]), svm->upper[i]);
  mk_svm_reset_bounds(svm);
  mk_svm_restore_sum(svm);
  for (size_t i = 0; i < svm->n; i++) {
    if (svm->alpha[i] == p->point[i]) continue;
    p->moved[moved] = (int)i;
    p->step[moved++] = svm->alpha[i] - p->point[i];
  }
  MK_TRY(follow_step(p, p->moved, moved));
  memcpy(svm->gradient, p->point_gradient, svm->n * sizeof(double));
  mk_svm_reset_bounds(svm);
  return MK_OK;
}

/* Moves from the SVM's alpha to the next centre. *landed is 0 if alpha is unchanged. */
static mk_status next_centre(mk_proximal *p, double fall_goal, int *steps, int *landed) {
  mk_svm *svm = p->svm;
  size_t bytes = svm->n * sizeof(double);
  p->centre = svm->alpha;
  memcpy(p->beta, svm->alpha, bytes);
  memcpy(p->point, svm->alpha, bytes);
  memcpy(p->gradient, svm->gradient, bytes);
  memcpy(p->point_gradient, svm->gradient, bytes);
  mk_status status = search_centre(p, fall_goal, steps, landed);
  if (status == MK_STALLED) return MK_OK;
  return status == MK_OK && *landed ? land_in_box(p) : status;
}

/* ---- all ---- */

static double widest_box(const mk_svm *svm) {
  double width = 0.0;
  for (size_t i = 0; i < svm->n; i++) width = fmax(width, svm->upper[i] - svm->lower[i]);
  return width;
}

/* Returns the least delta; below it, the rounding errors of rows dominate. */
static double least_delta(const mk_svm_task *task) {
  double most = 0.0;
  for (size_t i = 0; i < task->svm->n; i++) most = fmax(most, task->diagonal[i]);
  return LEAST_DELTA * task->rows.unit * most;
}

/* Computes the gradient anew, since it has lost digits at points far from the box. */
static mk_status renew_gradient(mk_proximal *p) {
  mk_svm *svm = p->svm;
  size_t count = 0, bytes = svm->n * sizeof(double);
  for (size_t i = 0; i < svm->n; i++) {
    if (svm->alpha[i] == 0.0) continue;
    p->moved[count] = (int)i;
    p->step[count++] = svm->alpha[i];
  }
  memcpy(p->point_gradient, svm->linear, bytes);
  MK_TRY(follow_step(p, p->moved, count));
  memcpy(svm->gradient, p->point_gradient, bytes);
  mk_svm_measure(svm);
  return MK_OK;
}

static mk_status move_centres(mk_proximal *p, double target) {
  mk_svm *svm = p->svm;
  double least = least_delta(p->task), best = svm->gap;
  if (p->delta > 0.0) p->delta = fmax(p->delta, least);
  for (int k = 0, idle = 0; k < MAX_ROUNDS && idle < MK_MAX_IDLE; k++) {
    int steps = 0, landed = 0;
    MK_TRY(next_centre(p, MK_ROUND_SHARE * target, &steps, &landed));
    if (landed) mk_svm_measure(svm);
    int too_large = p->count > p->most && !mk_loss_is_dense(&p->terms.loss);
    if (svm->gap <= target || (too_large && !landed)) return MK_OK;
    idle = svm->gap < CENTRE_PROGRESS * best ? 0 : idle + 1;
    best = fmin(best, svm->gap);
    if (!landed)
      p->delta = p->delta > 0.0 ? DELTA_RISE * p->delta : fmax(least, p->first);
    else if (steps <= QUICK_STEPS && p->delta > 0.0)
      p->delta = fmax(least, DELTA_FALL * p->delta);
  }
  return MK_STALLED;
}

mk_status mk_svm_proximal(const mk_svm_task *task, double violation, double target, size_t most) {
  size_t n = task->svm->n;
  size_t size = task->columns != NULL && task->columns->count > n ? task->columns->count : n;
  double *block = MK_NEW(double, 9 * size), delta = FIRST_DELTA * violation / widest_box(task->svm);
  mk_proximal p = {.task = task, .svm = task->svm, .delta = delta, .first = delta, .most = most};
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
    status = isfinite(delta) ? move_centres(&p, target) : MK_STALLED;
    mk_status renewed = status == MK_OK || status == MK_STALLED ? renew_gradient(&p) : MK_OK;
    if (renewed != MK_OK) status = renewed;
  }
  mk_free(block);
  mk_free(p.uncut);
  mk_free(p.side);
  return status;
}
