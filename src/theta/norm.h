/* The norms that bound theta, behind one interface. Each norm maps theta to coordinates t on an lp
 * ball (quadratic norm: an ellipsoid), so that the analytic step and Newton's serve all of them. A
 * norm is one file and one row of the table in norm.c. `theta` is always a kernel's weight in the
 * mixture. */
#ifndef MK_THETA_NORM_H
#define MK_THETA_NORM_H

#include "problem/norm.h"
#include "theta/newton.h"

#define MK_SPARSE_MAX_P 1.02 /* largest p at which few kernels get weight */
/* share of the largest weight up to which weights may be rounding errors */
#define MK_ROUNDED_WEIGHT 1e-7

/* Returns the number of doubles that a norm over `count` kernels keeps in the caller's memory. */
size_t mk_norm_memory(mk_norm_type type, size_t count);
/* Makes a norm. `parameter` is p, q or lambda; `values` are the weights d (or NULL), or E (count x
 * count). Norms that equal an lp norm (block norms up to q = 2, the ends of the elastic net) become
 * that lp norm. MK_BAD_ARGUMENT: out of range, or E is not positive definite. */
mk_status mk_norm_make(mk_norm *norm, mk_norm_type type, size_t count, double parameter,
                       const double *values, double *memory);

int mk_norm_is_plain(const mk_norm *norm);  /* 1 for an lp norm without weights */
int mk_norm_is_fixed(const mk_norm *norm);  /* 1 if theta is determined by the norm alone */
int mk_norm_is_sparse(const mk_norm *norm); /* 1 if few kernels get weight */
int mk_norm_rises(const mk_norm *norm);     /* 1 if theta maximises the SVM's value */

/* Sets the least coordinate where weights are inverse coordinates, since SVMs at large weights lose
 * digits. mk_norm_bound() sets it at the beginning, below the coordinates of `start` (or NULL);
 * mk_norm_adapt() lowers it until it costs at most `bearable` at theta. */
void mk_norm_bound(mk_norm *norm, size_t count, const double *start);
void mk_norm_adapt(mk_norm *norm, size_t count, const double *theta, const double *s,
                   double bearable);

void mk_norm_start(const mk_norm *norm, size_t count, double *theta);
/* scales theta onto the sphere */
void mk_norm_normalize(const mk_norm *norm, size_t count, double *theta);
/* Sets weights below `share` of the largest to 0 if p = 1. */
void mk_norm_prune(const mk_norm *norm, size_t count, double share, double *theta);

/* Returns theta's part of the gap. `dual` is twice the dual's term in s, `regularizer` twice the
 * primal's regulariser, `value` is sum theta_m s_m. */
double mk_norm_gap(const mk_norm *norm, double dual, double regularizer, double value);

/* Computes out = from + share (to - from), scaled onto the sphere; in coordinates if theta
 * maximises. Beyond share = 1, weights that fall stay at `to`. */
void mk_norm_between(const mk_norm *norm, size_t count, const double *from, const double *to,
                     double share, double *out);

/* Make the analytic step and Newton's step. The model's p is set from the norm. */
void mk_norm_step(const mk_norm *norm, size_t count, const double *theta, const double *s,
                  double *next);
mk_status mk_norm_newton(const mk_norm *norm, const mk_theta_model *model, double *next,
                         mk_promise *promise);

/* For interior points: norms whose ball is sum t^p <= 1 in coordinates t, which excludes the
 * quadratic norm. mk_norm_unfold() computes theta, |d theta_m / d t_m|, and the factor of s_m in
 * the second derivative in t_m (with mk_norm_rises(), of the negative value). */
int mk_norm_has_ball(const mk_norm *norm);
void mk_norm_coordinates(const mk_norm *norm, size_t count, const double *theta, double *t);
void mk_norm_unfold(const mk_norm *norm, size_t count, const double *t, double *theta,
                    double *slope, double *bend);

#endif
