/* The dual of one SVM over n points whose kernel rows the caller provides:
 *   maximise  linear'alpha - sum psi(alpha) - alpha'K alpha / 2,
 *   lower <= alpha <= upper, sum alpha = 0 (unless there is no offset),
 * with psi from loss.h. alpha is signed; for hinge loss linear = y, one of the bounds is 0 and psi
 * is 0. The gradient is linear - K alpha. Vectors have mk_padded(n) entries, the rest unused. This
 * room depends on rows, not on kernels. */
#ifndef MK_SVM_H
#define MK_SVM_H

#include "base/control.h"
#include "base/memory.h"
#include "base/row.h"
#include "base/thin.h"
#include "problem/loss.h"

/* steps of a solver between checks of the limits: some milliseconds */
#define MK_POLL_STEPS ((size_t)512)
/* progress, however slight, means that the gap is below this share of the least gap so far */
#define MK_SLIGHT_PROGRESS 0.99
#define MK_MAX_IDLE 5         /* rounds without progress before another kind of step is tried */
#define MK_STALL_ROUNDS 100   /* rounds without progress that count as a stall by rounding */
#define MK_ROUND_SHARE 0.1    /* share of a gap or violation that a round may leave, or cost */
#define MK_INNER_SHARE 0.02   /* share of a gap or violation that an inner problem may leave */
#define MK_ROUNDING_UNITS 4.0 /* rounded values in a gradient, and in the curvature of a pair */
/* smallest tolerance for which rows of floats suffice: 25 roundings */
#define MK_SINGLE_PRECISION_TOL 3e-6

/* Returns row i of K, mk_padded(n) values, valid until the call after the next; at = NULL: failure,
 * for the reason in *status. */
typedef struct mk_svm_rows {
  mk_row (*row)(void *data, size_t i, mk_status *status);
  void *data;
  int single;  /* 1 if rows are floats */
  double unit; /* relative error of the values */
} mk_svm_rows;

typedef struct mk_svm {
  size_t n;
  mk_loss kind;
  double *alpha, *gradient, *linear, *lower, *upper, *ridge;
  double *up;    /* -psi' to the right, -infinity where alpha cannot grow */
  double *low;   /* -psi' to the left, +infinity where alpha cannot shrink */
  double *bend;  /* scratch: diagonal of K and psi'' */
  double *rows;  /* scratch for two rows */
  int *order;    /* scratch of mk_best_offset() */
  double offset; /* best offset for the current gradient */
  double loss;   /* sum of losses at this offset */
  double gap;    /* primal - dual at the fixed kernel, a sum of non-negative terms */
  double steps;  /* SMO steps done so far */
  const mk_simd *simd;
} mk_svm;

/* Returns the dual's terms; they refer to the SVM's vectors. */
static inline mk_terms mk_svm_terms(const mk_svm *svm) {
  return (mk_terms){svm->kind, svm->n, svm->linear, svm->lower, svm->upper, svm->ridge};
}

typedef struct mk_svm_task {
  mk_svm *svm;
  mk_svm_rows rows;
  const double *diagonal; /* K_ii, padded */
  const mk_control *control;
  mk_buffer *system;      /* memory of the systems */
  const mk_thin *columns; /* Z with K = Z Z', used in place of rows; NULL: rows are used */
} mk_svm_task;

/* Returns 1 if alpha_i can move a little in either direction without a kink. */
static inline int mk_svm_is_free(const mk_svm *svm, size_t i) {
  return svm->up[i] == svm->low[i];
}

#endif
