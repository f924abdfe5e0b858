/* The state of a fit: the working set, theta, the SVMs of all tasks over the working set, and the
 * primal and dual value of the current iterate, theta and alphas, there. The optimisers
 * (interleaved.c, outer-loop.c) and their steps (theta-step.c, interior.c) share it. Symbols are
 * those of MATHEMATICS.md, sections 1 and 2. */
#ifndef MK_FIT_STATE_H
#define MK_FIT_STATE_H

#include "base/pool.h"
#include "rows/gram.h"
#include "problem/problem.h"
#include "svm/svm.h"

/* progress means that the gap is below this share of the least gap so far */
#define MK_PROGRESS 0.9
#define MK_SHARPER_GOAL 0.3 /* factor of the goal if the certificate finds too large a gap */
/* share of the largest weight that joining kernels get; analytic steps drop smaller weights */
#define MK_JOINING_WEIGHT 1e-3

/* Values that steps of theta keep from earlier steps (theta-step.c). */
typedef struct mk_step_memory {
  double least_gap; /* least theta gap of Newton steps over this working set */
  double damping;   /* damping of Newton steps, in [0, 1] */
  int doublings;    /* how often the sample of free variables for Hessians was doubled */
  double length;    /* length of the last analytic step, in analytic steps */
  double gap;       /* theta's gap before the last analytic step */
} mk_step_memory;

/* The best theta and alphas over the present working set. */
typedef struct mk_best_iterate {
  double *theta, *alpha;    /* M; tasks x n */
  double gap, dual, primal; /* the gap is relative; infinite: none yet */
} mk_best_iterate;

/* The time that the certificate is expected to take, as a multiple of the time that sums over the
 * same alphas take. */
typedef struct mk_pace {
  /* seconds of the last sums over the working set and over the other samples */
  double forms, outside;
  double times; /* the multiple; 0 if it is not measured yet */
} mk_pace;

typedef struct mk_fit_state {
  mk_problem own; /* a copy, whose norm stores how close to zero coordinates may be */
  const mk_problem *problem;
  /* the caller's control with less time, since some is reserved for the certificate */
  mk_control limits;
  double max_time; /* the caller's limit */
  mk_pace pace;
  const mk_control *control; /* &limits */
  mk_solution *solution;
  mk_pool memory;              /* owns the vectors below */
  mk_gram *gram;               /* the working set and its kernel rows */
  mk_svm *svm;                 /* one per task, over the working set */
  double **alpha, **response;  /* per task: svm alpha; scratch of n values */
  const double **upper_bounds; /* per task: the svm's upper bounds */
  int *list;                   /* n: samples about to join */
  double *gradient;            /* n: scratch, of the loss by sample */
  size_t kernels, usable;      /* samples that can have an alpha other than 0 */
  double *theta, *s;           /* M: weights, quadratic forms of the current alphas */
  double *trial, *kept;        /* M: scratch of the theta steps */
  /* primal and dual value of the current iterate, over the working set */
  double lower;      /* dual value, valid for all samples */
  double upper;      /* primal value */
  double fixed_dual; /* dual value at this theta: the SVMs' gain - theta's/2 (its negative where
                        theta maximises it) */
  double svm_gap, theta_gap; /* their sum is the gap */
  double best_upper;         /* least primal value over all samples so far */
  double iterations, solves;
  mk_buffer system;  /* memory for the linear systems of Newton steps and interior points */
  size_t step_bytes; /* largest number of bytes that steps of theta used in addition */
  mk_step_memory step;
  mk_best_iterate best;
} mk_fit_state;

mk_status mk_fit_new(mk_fit_state *fit, const mk_problem *problem, const mk_control *control,
                     mk_solution *solution);
void mk_fit_clear(mk_fit_state *fit);

/* Starts from `start`, or from zero if it is NULL, on the first working set. */
mk_status mk_fit_begin(mk_fit_state *fit, const mk_start *start);
/* Adds the first `count` samples of fit->list to the working set with alpha = 0. */
mk_status mk_fit_extend(mk_fit_state *fit, size_t count);

/* Recomputes rows and gradients for the current theta and alphas. */
mk_status mk_fit_refresh(mk_fit_state *fit);
/* Switches the rows to double precision and recomputes the gradients. */
mk_status mk_fit_sharpen(mk_fit_state *fit);

/* Solves the SVMs to `target` (an absolute gap) and computes primal and dual value. Returns
 * MK_STALLED if a solver does. */
mk_status mk_fit_solve(mk_fit_state *fit, double target);
/* Sets a new theta, then solves the SVMs as mk_fit_solve() does. */
mk_status mk_fit_use_theta(mk_fit_state *fit, const double *theta, double target);
/* Recomputes rows, gradients, forms and values for an iterate that was set from outside. */
mk_status mk_fit_settle(mk_fit_state *fit);

/* Copy the alphas over the working set (tasks x n) out of the state and into it. */
void mk_fit_read_alphas(const mk_fit_state *fit, double *out);
void mk_fit_write_alphas(mk_fit_state *fit, const double *in);
/* Projects the alphas onto the constraints, after they were set from outside. */
void mk_fit_make_feasible(mk_fit_state *fit);

/* Adds a line to the history, with this dual value and the best primal value. */
mk_status mk_fit_record(mk_fit_state *fit, double lower);
/* mk_fit_keep() stores the current iterate with its values if it is the best so far;
 * mk_fit_return() restores the best iterate, if there is one. Rows are not recomputed, so the next
 * call must be the certificate, a refresh, or mk_fit_settle(). */
void mk_fit_keep(mk_fit_state *fit);
void mk_fit_return(mk_fit_state *fit);

/* Copies the iterate into the solution, certifies it over all samples and adds it to the history.
 */
mk_status mk_fit_certify(mk_fit_state *fit);
/* Calls solve(data, goal), which solves to a relative gap, and certifies the result. If the
 * certified gap exceeds the tolerance, rows become doubles, and after that the goal becomes
 * smaller. */
mk_status mk_fit_finish(mk_fit_state *fit, mk_status begun, double goal,
                        mk_status (*solve)(void *data, double goal), void *data);

static inline double mk_fit_gap(const mk_fit_state *fit) {
  return fit->upper - fit->lower;
}

#endif
