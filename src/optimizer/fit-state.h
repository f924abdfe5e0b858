/* The state of a fit: the working set, theta, the SVMs of all tasks over the working set, and what
 * the pair is worth there. What the optimisers (interleaved.c, outer-loop.c) and their steps
 * (theta-step.c, interior.c) share; symbols as in MATHEMATICS.md, sections 1 and 2. */
#ifndef MK_FIT_STATE_H
#define MK_FIT_STATE_H

#include "base/pool.h"
#include "rows/gram.h"
#include "problem/problem.h"
#include "svm/svm.h"

#define MK_PROGRESS 0.9     /* of the least gap so far: what is left of it after progress */
#define MK_MAX_IDLE 5       /* rounds without progress before another way is tried */
#define MK_INNER_SHARE 0.02 /* of a gap is what the problems solved on the way to it may leave */
#define MK_ROUND_SHARE 0.1  /* of the gap over all is what the next round over some is solved to */
#define MK_JOINING_WEIGHT                                                                          \
  1e-3 /* of the largest: joining kernels get it, analytic steps drop less */

/* What steps of theta remember of those before (theta-step.c). */
typedef struct mk_step_memory {
  double least_gap; /* least theta gap of Newton steps over this working set */
  double damping;   /* of Newton steps, in [0, 1] */
  int doublings;    /* of the sample of free variables that Hessians are made from */
} mk_step_memory;

/* The best theta and alphas over the present working set. */
typedef struct mk_best_pair {
  double *theta, *alpha;    /* M; tasks x n */
  double gap, dual, primal; /* the gap is relative; infinite: none yet */
} mk_best_pair;

/* What the certificate will take of the time: so many times what sums over the same alphas take. */
typedef struct mk_pace {
  double forms, outside; /* seconds of the last sums over the working set and over other samples */
  double times;          /* 0: not known yet */
} mk_pace;

typedef struct mk_fit_state {
  mk_problem own; /* a copy, whose norm learns how close to zero coordinates may be */
  const mk_problem *problem;
  mk_control limits; /* the caller's control, but for time that is kept back for the certificate */
  double max_time;   /* the caller's */
  mk_pace pace;
  const mk_control *control; /* &limits */
  mk_solution *solution;
  mk_pool memory;             /* of the vectors below */
  mk_gram *gram;              /* the working set and its kernel rows */
  mk_svm *svm;                /* one per task, over the working set */
  double **alpha, **response; /* per task: svm alpha; scratch of n values */
  int *list;                  /* n: samples about to join */
  double *gradient;           /* n: scratch, of the loss by sample */
  size_t kernels, usable;     /* samples that can have an alpha other than 0 */
  double *theta, *s;          /* M: weights, quadratic forms of the current alphas */
  double *trial, *kept;       /* M: scratch of the theta steps */
  /* worth of the current pair, over the working set */
  double lower;      /* dual value, valid for all samples */
  double upper;      /* primal value */
  double fixed_dual; /* dual value at this theta: the SVMs' gain - theta's/2 (its negative where
                        theta maximises it) */
  double svm_gap, theta_gap; /* they add up to the gap */
  double best_upper;         /* least primal value over all samples so far */
  double iterations, solves;
  mk_buffer system;  /* memory for the systems of Newton steps and interior points */
  size_t step_bytes; /* most that steps of theta held besides */
  mk_step_memory step;
  mk_best_pair best;
} mk_fit_state;

mk_status mk_fit_new(mk_fit_state *fit, const mk_problem *problem, const mk_control *control,
                     mk_solution *solution);
void mk_fit_clear(mk_fit_state *fit);

/* Starts from `start`, or from nothing, on the first working set. */
mk_status mk_fit_begin(mk_fit_state *fit, const mk_start *start);
/* The first `count` samples of fit->list join the working set with alpha = 0. */
mk_status mk_fit_extend(mk_fit_state *fit, size_t count);

/* Renews rows and gradients for the current theta and alphas. */
mk_status mk_fit_refresh(mk_fit_state *fit);
/* Rows in double precision from now on; gradients follow. */
mk_status mk_fit_sharpen(mk_fit_state *fit);

/* Solves the SVMs to `target` (absolute gap) and measures; MK_STALLED passes through. */
mk_status mk_fit_solve(mk_fit_state *fit, double target);
/* The same for a new theta. */
mk_status mk_fit_use_theta(mk_fit_state *fit, const double *theta, double target);
/* Rows, gradients, forms and what they are worth for a pair set from outside. */
mk_status mk_fit_settle(mk_fit_state *fit);

/* Alphas over the working set, tasks x n, out and in again. */
void mk_fit_read_alphas(const mk_fit_state *fit, double *out);
void mk_fit_write_alphas(mk_fit_state *fit, const double *in);
/* Alphas from elsewhere become feasible. */
void mk_fit_make_feasible(mk_fit_state *fit);

/* A line of the history: this dual value, the best primal value. */
mk_status mk_fit_record(mk_fit_state *fit, double lower);
/* Keeps the pair as it is measured if it is the best so far; goes back to the best, if there is
 * one. Rows do not follow: what comes next is the certificate, a refresh, or mk_fit_settle(). */
void mk_fit_keep(mk_fit_state *fit);
void mk_fit_return(mk_fit_state *fit);

/* The pair into the solution, certified over all samples and recorded. */
mk_status mk_fit_certify(mk_fit_state *fit);
/* solve(data, goal) to a relative gap and certifies; the certificate has the last word: where it
 * finds more than the tolerance, rows become doubles, then the goal is raised. */
mk_status mk_fit_finish(mk_fit_state *fit, mk_status begun, double goal,
                        mk_status (*solve)(void *data, double goal), void *data);

static inline double mk_fit_gap(const mk_fit_state *fit) {
  return fit->upper - fit->lower;
}

#endif
