/* The state of a fit: theta, the SVMs over the current candidates, and what
 * they are worth. Shared by the files of the interleaved optimiser. */
#ifndef MK_MACHINE_H
#define MK_MACHINE_H

#include "optimizer/gram.h"
#include "optimizer/problem.h"
#include "svm/svm.h"
#include "theta/stride.h"

#define MK_ALL_AT_ONCE 1000 /* samples up to which candidates are not worth choosing */

/* What a Newton step has learned of theta's Hessian: it changes slowly, and
 * making it anew costs as much as several SVM solves. */
typedef struct mk_curvature {
  double *z; /* rank x M, Z'Z = U' Pi U; NULL: none worth keeping */
  size_t rank;
  size_t candidates; /* when it was made */
  size_t enough[2];  /* free variables of a task that are thought to show it: in the end, ... */
  int early;         /* ... and 1: for the rough goals of early rounds */
  int sampled;       /* there were more of them */
  int used;          /* steps it has served */
  int *at;           /* the free variables of one task that it was made of; their factor and */
  size_t free;       /* responses are in machine->system until other systems are; NULL: not */
} mk_curvature;

/* Theta of the even sample before the present one. */
typedef struct mk_earlier {
  double *theta; /* M */
  double count;  /* samples; 0: there was none */
} mk_earlier;

/* The best theta and alphas over the present candidates. */
typedef struct mk_best_pair {
  double *theta, *alpha;    /* M; tasks x n */
  double gap, dual, primal; /* the gap is relative; infinite: none yet */
} mk_best_pair;

typedef struct mk_machine {
  mk_problem own; /* a copy, whose norm learns what coordinates may be */
  const mk_problem *problem;
  const mk_control *control;
  mk_gram *gram;
  mk_svm *svm;                /* one per task, over the candidates */
  double **alpha, **response; /* per task: svm alpha; scratch of n values */
  int *list;                  /* n: samples that become candidates */
  size_t kernels;
  double *theta, *s;    /* M: weights, quadratic forms of the current alphas */
  double *trial, *kept; /* M: scratch of the theta moves */
  /* worth of the current pair, over the candidates */
  double lower;      /* dual value, valid for all samples */
  double upper;      /* primal value */
  double fixed_dual; /* dual value at this theta: the SVMs' gain - theta's/2 (its negative where
                        theta maximises it) */
  double svm_gap, theta_gap;
  double best_upper; /* least primal value over all samples so far */
  double target;     /* SVM gap asked for (absolute) ... */
  double floor;      /* ... and the least worth asking for */
  double theta_goal; /* theta gap that is small enough, ... */
  double svm_goal;   /* ... and what the SVMs' then should be */
  double least_gap;  /* least theta gap of Newton steps so far, with these candidates and rows */
  double left;       /* share of the theta gap after the last analytic step; 0: there was none */
  int old_left;      /* of fewer candidates */
  int use_newton;    /* these have slowed down */
  int measured;      /* s and the values above belong to the present alphas and theta */
  int due;           /* theta moves before SVMs are solved with new candidates */
  int even;          /* candidates are an even sample of all samples, ... */
  int stretched;     /* ... and their boxes stand for all: `lower` is no bound */
  double bound;      /* the last that was one; at first that of alpha = 0 */
  int doublings;     /* of the even sample are to come before theta of all is foretold */
  int unchecked;     /* samples that are no candidates have not been looked at since */
  double damping;    /* of Newton steps, in [0, 1] */
  mk_stride stride;  /* of analytic steps where Newton is too dear */
  double iterations, solves;
  mk_buffer system; /* memory for Newton steps */
  mk_curvature curvature;
  mk_earlier earlier;
  mk_best_pair best;
  int rough; /* 1: no more is asked for than plain moves give */
  mk_solution *solution;
} mk_machine;

mk_status mk_machine_new(mk_machine *machine, const mk_problem *problem, const mk_control *control,
                         mk_solution *solution);
void mk_machine_clear(mk_machine *machine);

/* Adds samples to the candidates, alpha = 0. `stretched`: as many samples as there are for each
 * candidate of its class weigh on it, so that theta comes near what it is for all of them. */
mk_status mk_machine_extend(mk_machine *machine, const int *samples, size_t count, int stretched);
/* Boxes as the problem has them; alphas are cut to them. */
void mk_machine_relax(mk_machine *machine);

/* Renews rows and gradients for the current theta and alphas. */
mk_status mk_machine_refresh(mk_machine *machine);
/* Rows in double precision from now on; gradients follow. */
mk_status mk_machine_sharpen(mk_machine *machine);
/* Solves the SVMs to machine->target and measures; MK_STALLED passes through. */
mk_status mk_machine_solve(mk_machine *machine);
/* The same where rows are a model: SVMs on the model in turns with true
 * gradients, until these say that the target is met (refine.c). */
mk_status mk_machine_refine(mk_machine *machine);
/* The SVMs alone, to `target` in all, on the rows as they are. */
mk_status mk_machine_solve_svms(mk_machine *machine, double target);
/* Sum of the SVMs' gaps at their gradients. */
double mk_machine_svm_gap(mk_machine *machine);
/* What the pair is worth, from gradients and s as they are. */
void mk_machine_measure(mk_machine *machine);
/* Both for a new theta; the SVMs' gap falls at least tenfold, since theta's
 * next move learns nothing from alphas that have not followed this one. */
mk_status mk_machine_use_theta(mk_machine *machine, const double *theta);

/* Where rounding of the largest weights is all that is left of the SVMs' gap: 1 if theta could be
 * made less extreme at little cost; a refresh is to follow. */
#define MK_BLUNTER 2.0
int mk_machine_blunt(mk_machine *machine);

/* One theta move with SVMs solved behind it: analytic while that halves the
 * theta gap, else Newton with step halving. */
mk_status mk_machine_move_theta(mk_machine *machine);
/* By a Newton step in any case, if there is the memory for it. */
mk_status mk_machine_newton(mk_machine *machine);

/* Starts from `start`, or from nothing, on the first candidates (interleaved.c). */
mk_status mk_machine_begin(mk_machine *machine, const mk_start *start);
mk_status mk_machine_record(mk_machine *machine);

/* Keeps the pair as it is measured if it is the best so far; goes back to the best, if
 * there is one. Rows do not follow: what comes next is the certificate, a refresh, or
 * mk_machine_settle(). */
void mk_machine_keep(mk_machine *machine);
void mk_machine_return(mk_machine *machine);
/* Rows, gradients, forms and what they are worth for a pair set from outside. */
mk_status mk_machine_settle(mk_machine *machine);
/* Solves to a relative gap of `goal` over all samples, as far as it knows. */
typedef mk_status (*mk_solve_to)(mk_machine *machine, double goal, int attempt, void *data);
/* Solves and certifies until the certificate meets the tolerance, and fills the solution; `begun`
 * is what mk_machine_begin() said (conclude.c). */
mk_status mk_machine_conclude(mk_machine *machine, mk_status begun, mk_solve_to solve, void *data);

static inline double mk_machine_gap(const mk_machine *machine) {
  return machine->upper - machine->lower;
}

#endif
