/* Group orthogonal matching pursuit over a dictionary of kernels (Sindhwani and Lozano 2011), for
 * regularised least squares with one or several outputs. With delta = lambda n, each step takes
 * the kernel j of the largest improvement
 *   I_j = tr R'K_j (K_j + delta I)^-1 R
 * for the residual R and refits all chosen ones together,
 *   A = (K_G + delta I)^-1 Y, R = Y - K_G A = delta A, with K_G the sum of the chosen kernels.
 * Samples may have weights w_i in the sum of squares. With D = diag(sqrt(w)) this is the same
 * problem for D K_j D and D Y, whose coefficients B give A = D B. */
#ifndef MK_GOMP_H
#define MK_GOMP_H

#include "base/control.h"
#include "kernel/set.h"

typedef struct mk_gomp_problem {
  const mk_kernel_set *set;
  const int *sample; /* the n samples of the set that take part */
  size_t n;
  const double *y; /* n x tasks by columns */
  size_t tasks;
  const double *root; /* sqrt(w): n for all tasks, or n x tasks if `own_roots`; NULL: 1 */
  int own_roots;
  double lambda;      /* greater than 0 */
  size_t max_kernels; /* largest number of steps */
  double epsilon;     /* the path ends at an improvement of at most this */
  /* Each step chooses among the first `candidates` kernels of its row of `drawn` that it has not
   * taken; row: `drawn_per_step` different kernels, at least max_kernels more than `candidates` or
   * all. NULL: all kernels are candidates. */
  const int *drawn;
  size_t candidates, drawn_per_step;
} mk_gomp_problem;

static inline double mk_gomp_delta(const mk_gomp_problem *problem) {
  return problem->lambda * (double)problem->n;
}

typedef struct mk_gomp_path {
  size_t steps;
  int *kernel;         /* by step: the added kernel */
  double *improvement; /* by step: its improvement I_j */
  double *seconds;     /* by step: time since the start of the control */
  double **alpha;      /* by step: A, n x tasks */
  size_t bytes;        /* largest memory in addition to the data */
  size_t kept;         /* number of kernels whose factors are kept */
  long bad;            /* kernel to which MK_STALLED applies, or -1 */
} mk_gomp_path;

/* Two improvements that differ by less than this share of the larger one are a tie: the kernel
 * that comes first is taken. */
#define MK_GOMP_TIE 1e-10

mk_status mk_gomp_path_new(mk_gomp_path *path, const mk_gomp_problem *problem);
void mk_gomp_path_clear(mk_gomp_path *path);

/* Runs the pursuit. MK_STALLED: some K_j + delta I is not positive definite in double precision.
 * With this status and at limits, the path holds the steps done before. */
mk_status mk_gomp(const mk_gomp_problem *problem, const mk_control *control, mk_gomp_path *path);

#endif
