/* The losses, and the box and the shape that each gives the dual (MATHEMATICS.md, section 1). */
#ifndef MK_LOSS_H
#define MK_LOSS_H

#include <stddef.h>

typedef enum mk_loss_type {
  MK_LOSS_HINGE,
  MK_LOSS_SQUARED_HINGE,
  MK_LOSS_LOGISTIC,
  MK_LOSS_SQUARED,
  MK_LOSS_EPSILON,
  MK_LOSS_HUBER,
  MK_LOSS_ONE_CLASS,
  MK_LOSSES
} mk_loss_type;

typedef struct mk_loss {
  mk_loss_type type;
  double parameter; /* epsilon or delta */
  int no_offset;    /* f has none, alpha need not sum to 0 */
} mk_loss;

/* Samples of one task. */
typedef struct mk_terms {
  mk_loss loss;
  size_t n;
  const double *linear, *lower, *upper;
  const double *ridge; /* NULL: none */
} mk_terms;

/* Whether the parameter is one. */
int mk_loss_is_valid(const mk_loss *loss);
/* Whether y can be a target: finite; 1 or -1 for classes, 1 for one class. */
int mk_loss_allows(const mk_loss *loss, double y);
/* Box and ridge of a sample with target y whose loss weighs c >= 0. */
void mk_loss_shape(const mk_loss *loss, double y, double c, double *lower, double *upper,
                   double *ridge);
/* 1: psi is smooth and strictly convex inside the box, the loss smooth: Newton's ground. */
int mk_loss_is_smooth(const mk_loss *loss);
/* 1: psi is quadratic in pieces. */
int mk_loss_is_quadratic(const mk_loss *loss);
/* 1: alpha is 0 for hardly any sample. */
int mk_loss_is_dense(const mk_loss *loss);
double mk_loss_tube(const mk_loss *loss); /* 0 for losses without */
/* 1: psi is 0, as for hinge loss. */
int mk_loss_is_linear(const mk_loss *loss);

#endif
