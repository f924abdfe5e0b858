/* The losses, and the box and penalty that each gives the dual (MATHEMATICS.md, section 1.2). */
#ifndef MK_LOSS_H
#define MK_LOSS_H

#include "problem/pieces.h"

typedef enum mk_loss_type {
  MK_LOSS_HINGE,
  MK_LOSS_SQUARED_HINGE,
  MK_LOSS_LOGISTIC,
  MK_LOSS_SQUARED,
  MK_LOSS_EPSILON,
  MK_LOSS_HUBER,
  MK_LOSS_ONE_CLASS,
  MK_LOSS_PIECES,
  MK_LOSS_JOINT, /* multi-class hinge: the tasks are classes, y is 1 for the own class, else 0 */
  MK_LOSSES
} mk_loss_type;

typedef struct mk_loss {
  mk_loss_type type;
  double parameter;        /* epsilon or delta */
  int no_offset;           /* 1 if f has no offset; alpha then need not sum to 0 */
  const mk_pieces *pieces; /* of MK_LOSS_PIECES */
} mk_loss;

/* The dual's terms of one task. */
typedef struct mk_terms {
  mk_loss loss;
  size_t n;
  const double *linear, *lower, *upper;
  const double *ridge; /* NULL if there is none */
} mk_terms;

/* Returns 1 if the parameter is in its range, and the pieces are there if they are needed. */
int mk_loss_is_valid(const mk_loss *loss);
/* Returns 1 if y can be a target: 1 or -1 for losses of classes, 1 for one class, 1 or 0 for the
 * joint loss, the targets that have tables for losses of pieces, any finite number for others. */
int mk_loss_allows(const mk_loss *loss, double y);
/* Computes box and ridge of a sample with target y and cost c >= 0. */
void mk_loss_shape(const mk_loss *loss, double y, double c, double *lower, double *upper,
                   double *ridge);
/* Returns 1 if the loss is smooth, so that psi is smooth and strictly convex inside the box and
 * Newton's method applies. */
int mk_loss_is_smooth(const mk_loss *loss);
/* Returns 1 if psi is quadratic inside the box, but for a tube. */
int mk_loss_is_quadratic(const mk_loss *loss);
/* Returns 1 if alpha is 0 for hardly any sample. */
int mk_loss_is_dense(const mk_loss *loss);
/* Returns 1 if the loss of a sample depends on all tasks. */
int mk_loss_is_joint(const mk_loss *loss);
double mk_loss_tube(const mk_loss *loss); /* half-width of the tube, 0 if none */
/* Returns 1 if psi is 0, as for the hinge loss. */
int mk_loss_is_linear(const mk_loss *loss);

#endif
