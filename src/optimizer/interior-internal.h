/* The interior point's state, shared by interior.c, interior-step.c and interior-system.c only. */
#ifndef MK_INTERIOR_INTERNAL_H
#define MK_INTERIOR_INTERNAL_H

#include "base/pool.h"
#include "base/simd.h"
#include "base/thin.h"
#include "optimizer/fit-state.h"
#include "svm/loss.h"

typedef struct mk_interior_point {
  mk_fit_state *fit;
  const mk_simd *simd;
  /* size: number of variables of all tasks; borders: number of lambda and b */
  size_t size, kernels, tasks, borders;
  int moves_theta; /* 0 for p = infinity */
  mk_pool memory;  /* owns the vectors that describe the variables */
  size_t *from;    /* tasks + 1: offsets into the variables */
  /* size: task of each variable; its sample in the working set */
  int *task, *position;
  double *side; /* size: alpha of a sample is the sum of its side * a */
  /* size: variables and their bounds; a loss with a tube has two variables per sample */
  double *a, *lower, *upper;
  double tube;
  double *below, *above; /* size: multipliers of the box */
  double *t;             /* kernels: the norm's coordinates; for the plain lp norm theta itself */
  double *slope, *bend;  /* kernels: derivatives of theta by its coordinates, or NULL */
  double *x, *d, *v;     /* kernels: multiplier, curvature and norm gradient of t */
  double infeasible;     /* excess of the norm over its bound */
  double lambda, *b;
  double *best, best_lambda; /* best point of the steps so far: a, below and above; x; t */
  double *u;                 /* size x kernels */
  /* the matrix of a step */
  const mk_thin *columns; /* few columns that make all kernels, by position; NULL: rows are used */
  double *delta;          /* size */
  double *factor;         /* size x size; with columns: width x width */
  double *work;           /* work space of mk_product_add() */
  size_t width;           /* with columns: number of rows of `parts` */
  double *parts;          /* width x size */
  double *projected, *target, *scaled; /* width; size */
  double *border;                      /* borders x size: A^-1 G; and G */
  double *g;
  double *r1, *r2, *da, *dt; /* right-hand sides; steps */
  double *ca, *cb, *cx;      /* second-order corrections */
  double *dbelow, *dabove, *dx, *w;
  double *small; /* borders x borders */
} mk_interior_point;

/* Returns the alpha of which variable k is a part. */
static inline double *mk_interior_alpha(const mk_interior_point *in, size_t k) {
  return &in->fit->alpha[in->task[k]][in->position[k]];
}

/* Returns the curvature that the box's multipliers give variable k. */
static inline double mk_interior_bend(const mk_interior_point *in, size_t k) {
  return in->below[k] / (in->a[k] - in->lower[k]) + in->above[k] / (in->upper[k] - in->a[k]);
}

/* Returns the derivative of the dual by variable k, offset included. */
static inline double mk_interior_slope(const mk_interior_point *in, size_t k) {
  size_t t = (size_t)in->task[k], i = (size_t)in->position[k];
  const mk_svm *svm = &in->fit->svm[t];
  double right = 0.0, left;
  mk_terms terms = mk_svm_terms(svm);
  if (mk_loss_is_smooth(&svm->kind)) mk_loss_slopes(&terms, i, svm->alpha[i], &right, &left);
  return in->side[k] * (svm->gradient[i] - in->b[t] - right) - in->tube;
}

#endif
