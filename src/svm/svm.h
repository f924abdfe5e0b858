/* The dual of one SVM over n points whose kernel rows somebody else provides:
 *   maximise  linear'alpha - sum psi(alpha) - alpha'K alpha / 2,
 *   lower <= alpha <= upper, sum alpha = 0 (not without an offset),
 * psi from loss.h. alpha is signed; for hinge loss linear = y, one of the bounds
 * and psi are 0. The gradient is linear - K alpha. Vectors have mk_padded(n)
 * entries, the rest idle. Knows rows, not kernels. */
#ifndef MK_SVM_H
#define MK_SVM_H

#include "base/control.h"
#include "base/memory.h"
#include "base/row.h"
#include "base/thin.h"
#include "svm/loss.h"

#define MK_POLL_STEPS ((size_t)512) /* of a solver between looks at limits: some milliseconds */

/* Row i of K, mk_padded(n) values, valid until the call after the next;
 * at = NULL: failed, *status says why. */
typedef struct mk_svm_rows {
  mk_row (*row)(void *data, size_t i, mk_status *status);
  void *data;
  int single;  /* rows are floats */
  double unit; /* relative error of the values: what rounding of rows leaves uncertain */
} mk_svm_rows;

typedef struct mk_svm {
  size_t n;
  mk_loss kind;
  double *alpha, *gradient, *linear, *lower, *upper, *ridge;
  double *up;    /* -psi' to the right, -infinity where alpha cannot grow */
  double *low;   /* -psi' to the left, +infinity where alpha cannot shrink */
  double *bend;  /* scratch: diagonal of K and psi'' */
  double *rows;  /* scratch for two rows */
  int *order;    /* scratch for the offset */
  double offset; /* best b for the current gradient */
  double loss;   /* sum of losses at that b */
  double gap;    /* primal - dual for the fixed kernel, a sum of non-negative terms */
  double steps;  /* SMO steps done so far */
  const mk_simd *simd;
} mk_svm;

mk_status mk_svm_init(mk_svm *svm, size_t capacity, const mk_loss *loss);
void mk_svm_clear(mk_svm *svm);
/* After alpha or the bounds were set from outside. */
void mk_svm_reset_bounds(mk_svm *svm);
void mk_svm_set_bounds(mk_svm *svm, size_t i); /* after alpha_i has moved */

/* The dual's terms, as they are now. */
static inline mk_terms mk_svm_terms(const mk_svm *svm) {
  return (mk_terms){svm->kind, svm->n, svm->linear, svm->lower, svm->upper, svm->ridge};
}

/* Sum of alpha back to zero, inside the box: by one free variable if it has the
 * room, else spread over all that have some. Gradients are not renewed. */
void mk_svm_restore_sum(mk_svm *svm);

/* Offset, loss and gap at the current gradient. */
void mk_svm_measure(mk_svm *svm);
double mk_svm_gain(const mk_svm *svm); /* linear'alpha - sum psi(alpha) */

/* Solves until gap <= target (absolute). MK_STALLED when rounding stops it. */
typedef struct mk_svm_task {
  mk_svm *svm;
  mk_svm_rows rows;
  const double *diagonal; /* K_ii, padded */
  const mk_control *control;
  mk_buffer *system;      /* memory for Newton steps */
  const mk_thin *columns; /* Z with K = Z Z', in place of rows; NULL: none */
} mk_svm_task;
mk_status mk_svm_solve(const mk_svm_task *task, double target);

/* SMO until the violation is <= epsilon or `limit` steps are done; returns the violation. */
mk_status mk_smo_run(const mk_svm_task *task, double epsilon, double limit, double *violation);

/* The same by coordinate ascent, for hinge loss without an offset where control has an order. */
int mk_sdca_serves(const mk_svm_task *task);
mk_status mk_sdca_run(const mk_svm_task *task, double epsilon, double limit, double *violation);

/* Proximal point steps until gap <= target, or until one needs a system of more than `most`
 * variables; `violation` is SMO's. MK_STALLED: they make no more progress. */
mk_status mk_svm_proximal(const mk_svm_task *task, double violation, double target, size_t most);
size_t mk_svm_free_count(const mk_svm *svm);

/* 1: alpha_i can move a little either way without a kink. */
static inline int mk_svm_is_free(const mk_svm *svm, size_t i) {
  return svm->up[i] == svm->low[i];
}

#endif
