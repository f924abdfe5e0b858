/* The norms that bound theta, behind one interface. Each member maps theta to
 * coordinates t on an lp ball (or, for the quadratic norm, an ellipsoid), so that
 * the analytic step and Newton's serve all of them; what
 * is its own it says in one file and one row of the table in norm.c. `theta` is
 * the weight that a kernel has in the mixture, whatever the norm. */
#ifndef MK_THETA_NORM_H
#define MK_THETA_NORM_H

#include "problem/norm.h"
#include "theta/newton.h"

#define MK_SPARSE_MAX_P 1.02 /* p up to which few kernels get weight */

/* Doubles that a norm over `count` kernels keeps in the caller's memory. */
size_t mk_norm_memory(mk_norm_type type, size_t count);
/* `parameter`: p, q or lambda; `values`: the weights d (or NULL), or E, count x count.
 * MK_BAD_ARGUMENT: out of range, or E is not positive definite. Norms that agree with an
 * lp norm (block norm up to q = 2, the ends of the elastic net) become it. */
mk_status mk_norm_make(mk_norm *norm, mk_norm_type type, size_t count, double parameter,
                       const double *values, double *memory);

int mk_norm_is_plain(const mk_norm *norm);  /* lp without weights */
int mk_norm_is_fixed(const mk_norm *norm);  /* theta has nowhere to go */
int mk_norm_is_sparse(const mk_norm *norm); /* few kernels get weight, or nearly so */
int mk_norm_rises(const mk_norm *norm);     /* theta maximises the SVM's value, not minimises it */

/* Coordinates are held off zero where weights are their inverse, since SVMs at large weights lose
 * digits: by much at first, unless `start` (or NULL) has smaller ones; then by no more than costs
 * `bearable` at a theta. */
void mk_norm_bound(mk_norm *norm, size_t count, const double *start);
void mk_norm_adapt(mk_norm *norm, size_t count, const double *theta, const double *s,
                   double bearable);

void mk_norm_start(const mk_norm *norm, size_t count, double *theta);
void mk_norm_normalize(const mk_norm *norm, size_t count, double *theta); /* onto the sphere */
/* p = 1: weights below `share` of the largest become 0. */
void mk_norm_prune(const mk_norm *norm, size_t count, double share, double *theta);

/* What theta adds to the gap: `dual` is twice the dual's term in s, `regularizer` twice what the
 * primal pays for theta, `value` sum theta_m s_m. */
double mk_norm_gap(const mk_norm *norm, double dual, double regularizer, double value);

/* out := from + share (to - from), onto the sphere; in coordinates where theta maximises. Beyond
 * share = 1 weights that fall stay at `to`. */
void mk_norm_between(const mk_norm *norm, size_t count, const double *from, const double *to,
                     double share, double *out);

/* The analytic step, and Newton's (its p is the norm's). */
void mk_norm_step(const mk_norm *norm, size_t count, const double *theta, const double *s,
                  double *next);
mk_status mk_norm_newton(const mk_norm *norm, const mk_theta_model *model, double *next,
                         mk_promise *promise);

/* For interior points, where the ball is sum t^p <= 1 in the coordinates t (not for the
 * quadratic norm). Out of t come theta, |d theta_m / d t_m|, and what s_m is multiplied by in the
 * second derivative in t_m (with `rises`, of the negative value). */
int mk_norm_has_ball(const mk_norm *norm);
void mk_norm_coordinates(const mk_norm *norm, size_t count, const double *theta, double *t);
void mk_norm_unfold(const mk_norm *norm, size_t count, const double *t, double *theta,
                    double *slope, double *bend);

#endif
