/* The interior point's state, its Newton step and that step's matrix; shared by interior.c,
 * interior-step.c and interior-system.c only. */
#ifndef MK_INTERIOR_INTERNAL_H
#define MK_INTERIOR_INTERNAL_H

#include "base/pool.h"
#include "base/simd.h"
#include "base/thin.h"
#include "optimizer/interior.h"
#include "theta/barrier.h"

typedef struct mk_interior_point {
  mk_fit_state *fit;
  const mk_simd *simd;
  size_t size, kernels, tasks, borders; /* size: variables of all tasks; borders: lambda and b */
  int moves_theta;                      /* 0 for p = infinity */
  mk_pool memory;                       /* of what the variables are: */
  size_t *from;                         /* tasks + 1: offsets into the variables */
  int *task, *position;                 /* size: of each variable; its sample in the working set */
  double *side;                         /* alpha of a sample: the sum of its side * a, ... */
  double *a, *lower, *upper;            /* ... a within these; a loss with a tube has two of them */
  double tube;
  double *below, *above; /* size: multipliers of the box */
  double *t; /* kernels: the norm's coordinates, for the plain lp norm theta itself, ... */
  double *slope, *bend; /* ... and what is theta's there (else NULL) */
  double *x, *d, *v;    /* kernels: multiplier, curvature and norm gradient of t */
  double infeasible;    /* what the norm exceeds its bound by */
  double lambda, *b;
  double *best, best_lambda; /* of the steps so far: a, below and above; x; t */
  double *u;                 /* size x kernels */
  /* Of the matrix: */
  const mk_thin *columns; /* few that make all kernels, by position; NULL: by their rows */
  double *delta;          /* size */
  double *factor;         /* size x size; of columns: width x width */
  double *work;           /* of mk_product_add() */
  size_t width;           /* of columns: rows of parts, */
  double *parts;          /* width x size, */
  double *projected, *target, *scaled; /* width; size */
  double *border;                      /* borders x size: A^-1 G; and G */
  double *g;
  double *r1, *r2, *da, *dt; /* right-hand sides and steps */
  double *ca, *cb, *cx;      /* second-order corrections */
  double *dbelow, *dabove, *dx, *w;
  double *small; /* borders x borders */
} mk_interior_point;

/* The SVMs' alphas from the variables; theta from its coordinates. */
void mk_interior_unsplit(mk_interior_point *in);
void mk_interior_unfold(mk_interior_point *in);
/* Rows, responses, forms in terms of the coordinates, curvature and norm gradient. */
mk_status mk_interior_evaluate(mk_interior_point *in);
double mk_interior_complementarity(const mk_interior_point *in); /* average product */
/* What the residuals may still cost, beside the complementary products. */
double mk_interior_residual_cost(const mk_interior_point *in);
/* Columns without their means know b but for a constant: the residuals' is taken off. */
void mk_interior_level(mk_interior_point *in);
/* One predictor-corrector step; MK_STALLED: as far as double precision goes. */
mk_status mk_interior_step(mk_interior_point *in);

/* The matrix of a step: which kind serves best, the doubles it takes, their places; its factor for
 * the present variables; and x = A^-1 right. */
void mk_interior_choose_system(mk_interior_point *in);
size_t mk_interior_system_values(const mk_interior_point *in);
void mk_interior_lay_out_system(mk_interior_point *in, double **next);
mk_status mk_interior_factor(mk_interior_point *in);
void mk_interior_solve(mk_interior_point *in, const double *right, double *x);

/* The alpha that variable k is a part of. */
static inline double *mk_interior_alpha(const mk_interior_point *in, size_t k) {
  return &in->fit->alpha[in->task[k]][in->position[k]];
}

/* The curvature that the box's multipliers leave variable k. */
static inline double mk_interior_bend(const mk_interior_point *in, size_t k) {
  return in->below[k] / (in->a[k] - in->lower[k]) + in->above[k] / (in->upper[k] - in->a[k]);
}

/* Derivative of the dual by variable k, offset included. */
static inline double mk_interior_slope(const mk_interior_point *in, size_t k) {
  size_t t = (size_t)in->task[k], i = (size_t)in->position[k];
  const mk_svm *svm = &in->fit->svm[t];
  double right = 0.0, left;
  mk_terms terms = mk_svm_terms(svm);
  if (mk_loss_is_smooth(&svm->kind)) mk_loss_slopes(&terms, i, svm->alpha[i], &right, &left);
  return in->side[k] * (svm->gradient[i] - in->b[t] - right) - in->tube;
}

#endif
