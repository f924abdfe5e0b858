/* The MKL problem and the solution of a fit. Several tasks (one-vs-rest classes) may share one
 * theta: their losses and quadratic forms add up. */
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
  /* n x tasks each, by columns: the dual's linear term (y), its box, its ridge (NULL: none) */
  const double *linear, *lower, *upper, *ridge;
  mk_loss loss;
  const double *cost; /* n x tasks: cost of each loss; NULL: hinge loss, whose box has the costs */
  /* epsilon-insensitive loss, n x tasks: cost where f is above y; NULL: `cost` */
  const double *cost_above;
} mk_problem;

mk_terms mk_problem_terms(const mk_problem *problem, size_t task);
/* Computes box and ridge from linear terms, costs and loss into `memory` (3 x n x tasks). */
void mk_problem_shape(mk_problem *problem, double *memory);

/* A starting point of a fit. Each pointer may be NULL. */
typedef struct mk_start {
  const double *theta;       /* M */
  const double *alpha;       /* n x tasks */
  double iterations, solves; /* of earlier fits, which count as this fit's */
  /* n x tasks: expected decision values, known from problems nearby, and their expected error */
  const double *decision;
  double decision_error;
  const double *state; /* what `save` of the control received; then nothing else is read */
  size_t state_count;
} mk_start;

/* A line of the history for each theta-step. */
typedef struct mk_line {
  double iteration, seconds, objective, gap, kernels, support, solves;
  double lower, upper; /* bounds of the least J by a rule's cuts; 0: none */
} mk_line;

typedef struct mk_history {
  size_t count, capacity;
  mk_line *line;
  double *theta;       /* theta by lines, `traced` x M */
  size_t traced, room; /* rows of theta that are kept, those of the first lines, as many as the
                          memory budget allows */
} mk_history;

typedef struct mk_solution {
  double *theta;    /* M */
  double *alpha;    /* n x tasks, signed */
  double *offset;   /* tasks */
  double *forms;    /* M: s_m, from exact values */
  double *decision; /* n x tasks: with the offset, from exact values */
  double *slack;    /* n x tasks + 2 M: see certificate.h */
  double primal, dual, gap;
  double rounding;           /* part of the gap that bounds rounding errors */
  double iterations, solves; /* steps, and SVM problems solved */
  size_t bytes;              /* largest memory of kernel rows and of the kernel set */
  int optimizer;             /* number of the optimiser that began the fit */
  int late;                  /* 1 if the time limit had passed when the fit ended */
  mk_history history;
} mk_solution;

/* Cuts one task's alphas to the box and, if there is an offset, shrinks the heavier sign so that
 * they sum to 0. */
void mk_make_feasible(const mk_terms *terms, double *alpha);
/* Makes alphas of the joint loss feasible that are inside their boxes: for each of n samples those
 * of the other classes shrink until they sum to at most the cost, and that of the own class, which
 * has a positive upper bound, becomes minus their sum. */
void mk_make_joint_feasible(size_t n, size_t tasks, const double *const *upper,
                            double *const *alpha);

#define MK_LEAST_PRIMAL 1e-300 /* least value that gaps are divided by */
static inline double mk_relative_gap(double primal, double dual) {
  return (primal - dual) / fmax(fabs(primal), MK_LEAST_PRIMAL);
}

/* Returns 1 if a fit that ended with this status left a solution, though perhaps a less accurate
 * one than was asked for. */
static inline int mk_usable_end(mk_status status) {
  return status == MK_OK || status == MK_STALLED || status == MK_TIME_LIMIT ||
         status == MK_ITERATION_LIMIT;
}

mk_status mk_solution_new(mk_solution *solution, const mk_problem *problem);
/* Copies theta, the alphas and the certificate, but not the history. */
void mk_solution_copy(mk_solution *to, const mk_solution *from, const mk_problem *problem);
void mk_solution_clear(mk_solution *solution);
/* Returns the number of samples with a nonzero alpha in any task. */
double mk_support_count(double *const *alpha, size_t tasks, size_t n);
/* Adds a line, with theta unless that is NULL or the traced rows would exceed `budget` bytes. */
mk_status mk_history_add(mk_history *history, const mk_line *line, const double *theta,
                         size_t kernels, size_t budget);
/* Completes a line (time, number of kernels), reports it as progress and adds it, with theta if
 * that is traced. */
mk_status mk_history_note(mk_history *history, const mk_control *control, mk_line line,
                          const double *theta, size_t kernels);

#endif
