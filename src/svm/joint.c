/* Block coordinate ascent for the multi-class hinge loss: the alphas of one point move at a time,
 * to the exact maximum over them, in rounds over the points that violate most. Called by
 * optimizer/solve-svms.c. MATHEMATICS.md, section 3.1. */
#include "joint.h"

#include "base/sum.h"

#include <math.h>

/* Share of the largest violation from which points move in a round. With 0.3 fits take 40 times as
 * many steps, with 0.6 twice as many. */
#define VISITED_SHARE 0.7
#define SEARCHED_SHARE 0.3 /* share of the largest violation of the points that rounds search */
#define ROUNDS 20          /* rounds between two searches of all points */
#define SEARCHES 3         /* searches between two computations of the gap */
/* steps for each point without progress that count as a stall; the gap, unlike the dual, may rise
 * for a while */
#define MAX_IDLE_STEPS 3000.0
#define LEAST_CURVATURE 1e-100 /* for points whose kernel values are all 0 */

/* A point's block: its class, its cost, and the range of its gradients. */
typedef struct block {
  size_t own;
  double cost, least, most; /* least gradient, and largest of the alphas that can grow */
} block;

static block block_of(const mk_svm *svm, size_t classes, size_t i) {
  block b = {.least = INFINITY, .most = -INFINITY};
  for (size_t r = 0; r < classes; r++) {
    double g = svm[r].gradient[i], upper = svm[r].upper[i];
    if (upper > 0.0) {
      b.own = r;
      b.cost = upper;
    }
    b.least = fmin(b.least, g);
    if (svm[r].alpha[i] < upper) b.most = fmax(b.most, g);
  }
  return b;
}

void mk_joint_measure(const mk_svm *svm, size_t classes, double *loss, double *gap) {
  mk_sum losses = {0.0, 0.0}, excess = {0.0, 0.0};
  for (size_t i = 0; i < svm->n; i++) {
    block b = block_of(svm, classes, i);
    double above = svm[b.own].gradient[i] - b.least;
    mk_sum_add(&losses, b.cost * above);
    mk_sum_add(&excess, (b.cost - svm[b.own].alpha[i]) * above);
    for (size_t r = 0; r < classes; r++)
      if (r != b.own) mk_sum_add(&excess, -svm[r].alpha[i] * (svm[r].gradient[i] - b.least));
  }
  *loss = mk_sum_total(&losses);
  *gap = mk_sum_total(&excess);
}

/* ---- one point ---- */

/* Returns the beta with sum_r max(0, beta - distance_r) = cost: the mean over those below it, which
 * falls as others are dropped (Michelot 1986). */
static double level_of(const double *distance, size_t classes, double cost) {
  double level = INFINITY;
  for (;;) {
    double sum = cost;
    size_t count = 0;
    for (size_t r = 0; r < classes; r++)
      if (distance[r] < level) {
        sum += distance[r];
        count++;
      }
    double next = sum / (double)count;
    if (!(next < level)) return level;
    level = next;
  }
}

/* Moves the alphas of point i to the maximum of
 *   sum_r g_r d_r - K_ii d_r^2 / 2   over the moves d that keep the constraints.
 * The alpha of the point's own class is at its bound exactly or minus the sum of the others: one
 * that is below its bound by rounding would count as a violator that no step mends. */
static mk_status move_point(const mk_joint_task *task, const block *b, size_t i, double *distance) {
  mk_status status = MK_OK;
  mk_svm *svm = task->svm;
  double curvature = fmax(task->diagonal[i], LEAST_CURVATURE);
  for (size_t r = 0; r < task->classes; r++)
    distance[r] = svm[r].alpha[i] - svm[r].upper[i] + svm[r].gradient[i] / curvature;
  double level = level_of(distance, task->classes, b->cost), others = 0.0;
  mk_row row = task->rows.row(task->rows.data, i, &status);
  if (row.at == NULL) return status;
  for (size_t k = 0; k < task->classes; k++) {
    size_t r = (b->own + 1 + k) % task->classes; /* the own class is last */
    double next = r != b->own           ? -fmax(0.0, level - distance[r])
                  : level > distance[r] ? -others
                                        : b->cost;
    double step = next - svm[r].alpha[i];
    others += next;
    if (step == 0.0) continue;
    svm->simd->rows[row.single].axpy(svm->n, -step, row.at, svm[r].gradient);
    svm[r].alpha[i] = next;
  }
  svm->steps += 1.0;
  return MK_OK;
}

/* ---- all points ---- */

/* Vectors of the search for violators. */
typedef struct search {
  size_t *point, points; /* points that are searched, and their number */
  double *least, *most;  /* one entry for each of them */
  double *distance;      /* classes */
} search;

/* Computes the range of the points' gradients, class by class, and returns the largest. */
static double largest_violation(const mk_joint_task *task, const search *s) {
  double largest = 0.0;
  for (size_t r = 0; r < task->classes; r++) {
    const double *g = task->svm[r].gradient, *alpha = task->svm[r].alpha,
                 *upper = task->svm[r].upper;
    for (size_t k = 0; k < s->points; k++) {
      size_t i = s->point[k];
      double low = r > 0 ? s->least[k] : INFINITY, high = r > 0 ? s->most[k] : -INFINITY;
      double grows = alpha[i] < upper[i] ? g[i] : -INFINITY;
      s->least[k] = g[i] < low ? g[i] : low;
      s->most[k] = grows > high ? grows : high;
    }
  }
  for (size_t k = 0; k < s->points; k++) {
    double violation = s->most[k] - s->least[k];
    largest = violation > largest ? violation : largest;
  }
  return largest;
}

static void search_all(search *s, size_t n) {
  s->points = n;
  for (size_t i = 0; i < n; i++) s->point[i] = i;
}

static void search_violators(search *s, double least) {
  size_t count = 0;
  for (size_t k = 0; k < s->points; k++)
    if (s->most[k] - s->least[k] >= least) s->point[count++] = s->point[k];
  s->points = count;
}

/* Moves the points that violate most, while they do; the first one certainly does. */
static mk_status move_violators(const mk_joint_task *task, const search *s, double largest) {
  for (size_t k = 0; k < s->points; k++) {
    if (s->most[k] - s->least[k] < VISITED_SHARE * largest) continue;
    block b = block_of(task->svm, task->classes, s->point[k]);
    if (b.most - b.least < VISITED_SHARE * largest) continue;
    MK_TRY(move_point(task, &b, s->point[k], s->distance));
  }
  return MK_OK;
}

/* Moves the points that violated most at first, round after round, until others may violate more.
 * *rounded is 1 if no point violates by more than rounding. */
static mk_status move_worst(const mk_joint_task *task, search *s, double rounding, int *rounded) {
  search_all(s, task->svm->n);
  double first = largest_violation(task, s), largest = first;
  *rounded = first <= rounding;
  search_violators(s, SEARCHED_SHARE * first);
  for (int k = 0; k < ROUNDS && largest > rounding && largest >= SEARCHED_SHARE * first; k++) {
    MK_TRY(move_violators(task, s, largest));
    largest = largest_violation(task, s);
  }
  return MK_OK;
}

/* Returns the violation below which only rounding is left. */
static double rounding_level(const mk_joint_task *task) {
  const mk_svm *svm = task->svm;
  double most = 0.0, diagonal = 0.0, sum = 0.0;
  for (size_t i = 0; i < svm->n; i++) {
    diagonal = fmax(diagonal, fabs(task->diagonal[i]));
    for (size_t r = 0; r < task->classes; r++) {
      most = fmax(most, fabs(svm[r].gradient[i]));
      sum += fabs(svm[r].alpha[i]);
    }
  }
  return MK_ROUNDING_UNITS * MK_UNIT * (most + sum * diagonal);
}

static mk_status reach_target(const mk_joint_task *task, double target, search *s) {
  const mk_svm *svm = task->svm;
  double least = INFINITY, marked_at = svm->steps, loss, gap;
  int rounded = 0; /* 1 if only rounding is left */
  for (;;) {
    mk_joint_measure(svm, task->classes, &loss, &gap);
    if (!isfinite(gap)) return MK_NOT_FINITE;
    if (gap <= target) return MK_OK;
    if (gap < MK_SLIGHT_PROGRESS * least) {
      least = gap;
      marked_at = svm->steps;
    }
    if (rounded || svm->steps - marked_at > MAX_IDLE_STEPS * (double)svm->n) return MK_STALLED;
    MK_TRY(mk_check(task->control));
    double rounding = rounding_level(task);
    for (int k = 0; k < SEARCHES && !rounded; k++) MK_TRY(move_worst(task, s, rounding, &rounded));
  }
}

mk_status mk_joint_solve(const mk_joint_task *task, double target) {
  size_t n = task->svm->n;
  double *memory = MK_NEW(double, 2 * n + task->classes);
  size_t *point = MK_NEW(size_t, n);
  mk_status status = memory == NULL || point == NULL ? MK_NO_MEMORY : MK_OK;
  if (status == MK_OK)
    status = reach_target(task, target, &(search){point, n, memory, memory + n, memory + 2 * n});
  mk_free(point);
  mk_free(memory);
  return status;
}
