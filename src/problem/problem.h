/* The MKL problem and what a fit of it returns. Several tasks (one-vs-rest
 * classes) may share one theta: their losses and quadratic forms add up. */
#ifndef MK_PROBLEM_H
#define MK_PROBLEM_H

#include "base/control.h"
#include "kernel/set.h"
#include "problem/loss.h"
#include "problem/norm.h"

#include <math.h>

typedef struct mk_problem {
  const mk_kernel_set *set;
  size_t n, tasks;
  mk_norm norm; /* of theta */
  /* each n x tasks by columns: the dual's linear term (y), its box, ridge (NULL: none) */
  const double *linear, *lower, *upper, *ridge;
  mk_loss loss;
  const double *cost; /* n x tasks: what the loss of each weighs; NULL: hinge loss, the box says */
  /* n x tasks, of the epsilon-insensitive loss: what it weighs where f is above y; NULL: cost */
  const double *cost_above;
} mk_problem;

mk_terms mk_problem_terms(const mk_problem *problem, size_t task);
/* Box and ridge from linear, costs and loss into `memory`, 3 x n x tasks. */
void mk_problem_shape(mk_problem *problem, double *memory);

/* Where to start from; each may be NULL. */
typedef struct mk_start {
  const double *theta;       /* M */
  const double *alpha;       /* n x tasks */
  double iterations, solves; /* that led there */
  /* n x tasks: about what f will be, where problems nearby are solved, and how far off that may be
   */
  const double *decision;
  double decision_error;
} mk_start;

/* One line per theta-step, and theta itself where it is traced. */
typedef struct mk_line {
  double iteration, seconds, objective, gap, kernels, support, solves;
} mk_line;

typedef struct mk_history {
  size_t count, capacity;
  mk_line *line;
  double *theta;       /* traced x M, by rows */
  size_t traced, room; /* rows of theta, for the first lines: no more than fit the budget */
} mk_history;

typedef struct mk_solution {
  double *theta;    /* M */
  double *alpha;    /* n x tasks, signed */
  double *offset;   /* tasks */
  double *forms;    /* M: s_m, exact */
  double *decision; /* n x tasks, offset included, exact */
  double *slack;    /* n x tasks + 2 M: see certificate.h */
  double primal, dual, gap;
  double rounding;           /* what of the gap may be rounding's */
  double iterations, solves; /* SVM problems solved on the way */
  size_t bytes;              /* most memory held for kernel rows, and the kernel set's own */
  mk_history history;
} mk_solution;

/* One task's alphas into the box and, with an offset, their sum to zero, by shrinking the heavier
 * side. */
void mk_make_feasible(const mk_terms *terms, double *alpha);

static inline double mk_relative_gap(double primal, double dual) {
  return (primal - dual) / fmax(fabs(primal), 1e-300);
}

/* Ends that leave a solution, perhaps before it is as good as was asked. */
static inline int mk_usable_end(mk_status status) {
  return status == MK_OK || status == MK_STALLED || status == MK_TIME_LIMIT ||
         status == MK_ITERATION_LIMIT;
}

mk_status mk_solution_new(mk_solution *solution, const mk_problem *problem);
/* Theta, alphas and what they are worth, not the way there. */
void mk_solution_copy(mk_solution *to, const mk_solution *from, const mk_problem *problem);
void mk_solution_clear(mk_solution *solution);
/* Samples with an alpha in any task. */
double mk_support_count(double *const *alpha, size_t tasks, size_t n);
mk_status mk_history_add(mk_history *history, const mk_line *line);
/* Of the line added last, unless the rows would take more than `budget` bytes. */
mk_status mk_history_trace(mk_history *history, const double *theta, size_t kernels, size_t budget);
/* A line, but for its time and kernels, told and added; theta's trace where it is wanted. */
mk_status mk_history_note(mk_history *history, const mk_control *control, mk_line line,
                          const double *theta, size_t kernels);

#endif
