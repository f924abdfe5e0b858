/* Losses, gains and best offsets by their definitions. Called by certificate.c. MATHEMATICS.md,
 * section 1.2. */
#include "losses.h"

#include <math.h>

#define BOX_SLACK 1e-9     /* share of c by which rounding may put alpha outside its box */
#define MAX_HALVINGS 200   /* halvings of a bracket, down to neighbouring numbers */
#define MAX_DOUBLINGS 60   /* doublings of a bracket's width, to 1e18 times the first one */
#define FLAT_SLOPE 1e-12   /* share of the slope far out that counts as no slope */
#define LEAST_BRACKET 1e-3 /* first width of a bracket, as a share of the offsets' size */

double mk_problem_cost(const mk_problem *problem, size_t task, size_t i, int above) {
  size_t at = task * problem->n + i;
  if (above && problem->cost_above != NULL) return problem->cost_above[at];
  if (problem->cost != NULL) return problem->cost[at];
  return problem->linear[at] > 0 ? problem->upper[at] : -problem->lower[at];
}

static double square(double x) {
  return x * x;
}

static double huber(double r, double delta) {
  return fabs(r) <= delta ? 0.5 * r * r : delta * (fabs(r) - 0.5 * delta);
}

double mk_loss_at(const mk_loss *loss, double y, double c, double f) {
  if (!(c > 0.0)) return 0.0;
  double margin = y * f, r = y - f;
  switch (loss->type) {
  case MK_LOSS_HINGE:
  case MK_LOSS_ONE_CLASS:
    return c * fmax(0.0, 1.0 - margin);
  case MK_LOSS_SQUARED_HINGE:
    return 0.5 * c * square(fmax(0.0, 1.0 - margin));
  case MK_LOSS_LOGISTIC:
    return c * (margin > 0.0 ? log1p(exp(-margin)) : log1p(exp(margin)) - margin);
  case MK_LOSS_SQUARED:
    return 0.5 * c * square(r);
  case MK_LOSS_EPSILON:
    return c * fmax(0.0, fabs(r) - loss->parameter);
  case MK_LOSS_HUBER:
    return c * huber(r, loss->parameter);
  case MK_LOSS_PIECES: {
    mk_piece_table table = mk_pieces_of(loss->pieces, y);
    return c * mk_piece_value(&table, r);
  }
  default:
    return NAN;
  }
}

double mk_joint_loss_at(size_t n, size_t tasks, size_t own, double c, const double *decision,
                        const double *slack, double sign) {
  double most = 0.0, least = decision[own * n] - sign * slack[own * n];
  for (size_t t = 0; t < tasks; t++)
    if (t != own) most = fmax(most, 1.0 + decision[t * n] + sign * slack[t * n] - least);
  return c * most;
}

/* Returns the derivative of the loss to the right of f. */
static double loss_slope(const mk_loss *loss, double y, double c, double f) {
  if (!(c > 0.0)) return 0.0;
  double margin = y * f, r = y - f, e = loss->parameter;
  switch (loss->type) {
  case MK_LOSS_HINGE:
  case MK_LOSS_ONE_CLASS:
    return y > 0.0 ? (margin < 1.0 ? -c : 0.0) : (margin <= 1.0 ? c : 0.0);
  case MK_LOSS_SQUARED_HINGE:
    return -y * c * fmax(0.0, 1.0 - margin);
  case MK_LOSS_LOGISTIC:
    return -y * c / (1.0 + exp(margin));
  case MK_LOSS_SQUARED:
    return -c * r;
  case MK_LOSS_EPSILON:
    return r > e ? -c : r <= -e ? c : 0.0;
  case MK_LOSS_HUBER:
    return -c * fmin(fmax(r, -e), e);
  case MK_LOSS_PIECES: {
    mk_piece_table table = mk_pieces_of(loss->pieces, y);
    double bend;
    return -c * mk_piece_slope(&table, r, 0.0, &bend);
  }
  default:
    return NAN;
  }
}

static double plogp(double u) {
  return u > 0.0 ? u * log(u) : 0.0;
}

static double gain_of_pieces(const mk_loss *loss, double y, double c, double alpha) {
  mk_piece_table table = mk_pieces_of(loss->pieces, y);
  double u = alpha / c, slack = BOX_SLACK * fabs(u);
  if (u < mk_piece_bound(&table, 0) - slack || u > mk_piece_bound(&table, 1) + slack)
    return -INFINITY;
  return y * alpha - c * mk_piece_conjugate(&table, u);
}

double mk_gain_at(const mk_loss *loss, double y, double c, double alpha) {
  double along = y * alpha, size = fabs(alpha);
  if (!(c > 0.0)) return alpha == 0.0 ? 0.0 : -INFINITY;
  if (loss->type == MK_LOSS_PIECES) return gain_of_pieces(loss, y, c, alpha);
  int one_sided =
      loss->type != MK_LOSS_SQUARED && loss->type != MK_LOSS_EPSILON && loss->type != MK_LOSS_HUBER;
  double most = loss->type == MK_LOSS_SQUARED || loss->type == MK_LOSS_SQUARED_HINGE ? INFINITY
                : loss->type == MK_LOSS_HUBER ? c * loss->parameter
                                              : c;
  if ((one_sided && along < -BOX_SLACK * c) || size > most * (1.0 + BOX_SLACK)) return -INFINITY;
  switch (loss->type) {
  case MK_LOSS_HINGE:
  case MK_LOSS_ONE_CLASS:
  case MK_LOSS_JOINT: /* in the own class; elsewhere y is 0 */
    return along;
  case MK_LOSS_LOGISTIC: {
    double u = fmin(fmax(along / c, 0.0), 1.0);
    return -c * (plogp(u) + plogp(1.0 - u));
  }
  case MK_LOSS_EPSILON:
    return along - loss->parameter * size;
  default:
    return along - 0.5 * alpha * alpha / c;
  }
}

/* Allows for a rounding of 1 - u in the logistic gain, whose u log u has a slope below 40. */
double mk_gain_size(const mk_loss *loss, double y, double c, double alpha) {
  double along = y * alpha, gain = mk_gain_at(loss, y, c, alpha);
  double entropy = loss->type == MK_LOSS_LOGISTIC && alpha != 0.0 ? 4.0 * c : 0.0;
  return fabs(along) + fabs(along - gain) + entropy;
}

/* ---- the offset ---- */

typedef struct costs {
  const mk_problem *problem;
  size_t task;
  const double *f;
} costs;

static double slope_at(const costs *s, double b) {
  const mk_problem *problem = s->problem;
  double sum = 0.0;
  for (size_t i = 0; i < problem->n; i++) {
    double y = problem->linear[s->task * problem->n + i], f = s->f[i] + b;
    sum += loss_slope(&problem->loss, y, mk_problem_cost(problem, s->task, i, f >= y), f);
  }
  return sum;
}

/* Returns the least b in the bracket at which the slope exceeds the level. */
static double first_above(const costs *s, double low, double high, double level) {
  for (int k = 0; k < MAX_HALVINGS; k++) {
    double middle = low + 0.5 * (high - low);
    if (!(middle > low && middle < high)) break;
    *(slope_at(s, middle) > level ? &high : &low) = middle;
  }
  return high;
}

double mk_primal_offset(const mk_problem *problem, size_t task, const double *f) {
  costs s = {.problem = problem, .task = task, .f = f};
  double low = INFINITY, high = -INFINITY, total = 0.0;
  if (problem->loss.no_offset) return 0.0;
  for (size_t i = 0; i < problem->n; i++) {
    double c = mk_problem_cost(problem, task, i, 0) + mk_problem_cost(problem, task, i, 1),
           kink = problem->linear[task * problem->n + i] - f[i];
    if (!(c > 0.0)) continue;
    low = fmin(low, kink);
    high = fmax(high, kink);
    total += c;
  }
  if (!(total > 0.0)) return 0.0;
  int least_at_y = problem->loss.type != MK_LOSS_LOGISTIC && problem->loss.type != MK_LOSS_PIECES;
  if (low == high && least_at_y) return low; /* every loss is 0 there */
  double width =
      fmax(high - low, LEAST_BRACKET * fmax(fabs(low), fabs(high))) + problem->loss.parameter;
  if (!(width > 0.0)) width = 1.0;
  low -= width;
  high += width;
  double level = FLAT_SLOPE * fmax(-slope_at(&s, low), slope_at(&s, high));
  for (int k = 0; k < MAX_DOUBLINGS && slope_at(&s, low) > -level; k++, width *= 2.0) low -= width;
  for (int k = 0; k < MAX_DOUBLINGS && slope_at(&s, high) < level; k++, width *= 2.0) high += width;
  double left = first_above(&s, low, high, -level);
  double right = slope_at(&s, left) > level ? left : first_above(&s, left, high, level);
  return left + 0.5 * (right - left);
}
