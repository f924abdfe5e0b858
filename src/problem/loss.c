/* A table of the losses. Called by problem.c, by the SVM solvers and by the optimisers.
 * MATHEMATICS.md, section 1.2. */
#include "problem/loss.h"

#include <math.h>

/* One row per loss, in the order of the types. */
static const struct {
  int sides;   /* 1 if alpha has the sign of y; 2 if it may have either sign */
  int bounded; /* 1 if |alpha| is bounded, by c or (`scaled`) by c times the parameter */
  int scaled;
  int ridge; /* 1 if psi has the ridge 1/c */
  int tube;  /* 1 if the parameter is the half-width of a tube */
  int entropy, pieces, dense, joint, classes;
} table[MK_LOSSES] = {
    [MK_LOSS_HINGE] = {.sides = 1, .bounded = 1, .classes = 2},
    [MK_LOSS_SQUARED_HINGE] = {.sides = 1, .ridge = 1, .classes = 2},
    [MK_LOSS_LOGISTIC] = {.sides = 1, .bounded = 1, .entropy = 1, .dense = 1, .classes = 2},
    [MK_LOSS_SQUARED] = {.sides = 2, .ridge = 1, .dense = 1},
    [MK_LOSS_EPSILON] = {.sides = 2, .bounded = 1, .tube = 1},
    [MK_LOSS_HUBER] = {.sides = 2, .bounded = 1, .scaled = 1, .ridge = 1, .dense = 1},
    [MK_LOSS_ONE_CLASS] = {.sides = 1, .bounded = 1, .classes = 1},
    [MK_LOSS_PIECES] = {.sides = 2, .ridge = 1, .pieces = 1, .dense = 1},
    [MK_LOSS_JOINT] = {.sides = 1, .bounded = 1, .joint = 1, .classes = 2},
};

int mk_loss_is_valid(const mk_loss *loss) {
  if (!isfinite(loss->parameter) || loss->parameter < 0.0) return 0;
  if (table[loss->type].pieces != (loss->pieces != NULL)) return 0;
  return !table[loss->type].scaled || loss->parameter > 0.0;
}

int mk_loss_allows(const mk_loss *loss, double y) {
  int classes = table[loss->type].classes;
  if (loss->pieces != NULL) return isfinite(y) && mk_pieces_of(loss->pieces, y).count > 0;
  if (classes == 0) return isfinite(y);
  double other = mk_loss_is_joint(loss) ? 0.0 : -1.0;
  return y == 1.0 || (classes == 2 && y == other);
}

void mk_loss_shape(const mk_loss *loss, double y, double c, double *lower, double *upper,
                   double *ridge) {
  double reach = !table[loss->type].bounded ? INFINITY
                 : table[loss->type].scaled ? c * loss->parameter
                                            : c;
  if (!(c > 0.0)) reach = 0.0;
  int both = table[loss->type].sides == 2;
  *upper = both || y > 0.0 ? reach : 0.0;
  *lower = both || !(y > 0.0) ? -reach : 0.0;
  *ridge = table[loss->type].ridge && c > 0.0 ? 1.0 / c : 0.0;
  if (loss->pieces == NULL || !(c > 0.0)) return;
  mk_piece_table pieces = mk_pieces_of(loss->pieces, y);
  *lower = c * mk_piece_bound(&pieces, 0);
  *upper = c * mk_piece_bound(&pieces, 1);
}

int mk_loss_is_smooth(const mk_loss *loss) {
  return table[loss->type].ridge || table[loss->type].entropy;
}

int mk_loss_is_quadratic(const mk_loss *loss) {
  return !table[loss->type].entropy && !table[loss->type].pieces;
}

int mk_loss_is_dense(const mk_loss *loss) {
  return table[loss->type].dense;
}

int mk_loss_is_joint(const mk_loss *loss) {
  return table[loss->type].joint;
}

double mk_loss_tube(const mk_loss *loss) {
  return table[loss->type].tube ? loss->parameter : 0.0;
}

int mk_loss_is_linear(const mk_loss *loss) {
  return !mk_loss_is_smooth(loss) && !table[loss->type].tube;
}
