/* The controls of a long computation: accuracy, limits, and callbacks that report progress and
 * allow the caller to stop it. */
#ifndef MK_CONTROL_H
#define MK_CONTROL_H

#include "status.h"

#include <stddef.h>

typedef struct mk_team mk_team; /* see threads.h */
struct mk_expansion;            /* see exact/expansion.h */

/* Passes over all samples of a fit by other processes, each of which holds a block of the samples.
 * alpha[t] and out[t] have n values. */
typedef struct mk_passes {
  /* Computes out[t] = K_theta alpha[t]. */
  mk_status (*respond)(void *data, const double *theta, size_t tasks, double **alpha, double **out);
  /* Computes s_m = sum over tasks of alpha'K_m alpha for all m. */
  mk_status (*form)(void *data, size_t tasks, double **alpha, double *s);
  mk_status (*expand)(void *data, struct mk_expansion *expansion); /* does what mk_expand() does */
  void *data;
} mk_passes;

/* The choice between the core's own tiles and R's BLAS for products of wide matrices: the quicker
 * by measurement, never BLAS, always BLAS. */
typedef enum mk_blas { MK_BLAS_MEASURED, MK_BLAS_NEVER, MK_BLAS_ALWAYS } mk_blas;

typedef struct mk_control {
  double tol;      /* relative duality gap to reach */
  double max_time; /* seconds; infinity for no limit */
  double max_iter; /* theta-steps; infinity for no limit */
  size_t cache;    /* bytes for everything in addition to the data */
  mk_team *team;   /* threads; NULL: the calling thread alone */
  mk_blas blas;    /* see crossprod.h */
  int single;      /* 1 if rows may be approximated in single precision */
  int working_set; /* 0 if all samples take part from the start */
  int exact;       /* 1 if SVMs are solved as far as rounding allows, even if the gap needs less */
  int trace;       /* 1 if theta is recorded at every iteration */
  int rough; /* 1 if the solution is only a start for another fit, which needs no certificate */
  /* level method: share of the upper bound in the level, at first and in the end; 0: by default */
  double level[2];
  int (*poll)(void *data); /* nonzero: the user interrupted; may be NULL */
  const int *ended;        /* nonzero: the work ends as if time were over; NULL: never asked */
  /* progress; may be NULL; rows: of the kernel matrix computed so far, 0 if not counted */
  void (*progress)(void *data, double iteration, double seconds, double objective, double gap,
                   double rows);
  /* share of normalisation's sums over pairs that is done; may be NULL */
  void (*share)(void *data, double share);
  /* keeps the state of a fit, from which another call can go on; may be NULL */
  void (*save)(void *data, const double *state, size_t count);
  const mk_passes *passes; /* passes by other processes, or NULL */
  /* In forms and expansions, this process takes every parts-th block of the pairs of support
   * vectors; part 0 also takes kernels that are summed without pairs. parts = 0: it takes all. */
  size_t part, parts;
  void *data;   /* passed to the callbacks */
  double start; /* mk_seconds() when the work began */
  /* Two random permutations of 0 .. order_length - 1, for coordinate ascent of SVMs without an
   * offset: epoch e visits order[k] with k permuted e times by the second one. NULL: no coordinate
   * ascent. */
  const int *order, *shuffle;
  size_t order_length;
} mk_control;

/* share of the tolerance to aim at, since the certificate may find a little more */
#define MK_GOAL_SHARE 0.9
/* Bytes: 4 GB, or 1 GB where addresses have 32 bits. */
#define MK_DEFAULT_CACHE ((size_t)(sizeof(size_t) > 4 ? 4 : 1) << 30)

/* Returns the bytes that systems of Newton steps may take: a quarter of the budget, up to half of a
 * small one, and never less than small problems need, since p near 1 needs Newton steps. */
static inline double mk_system_budget(const mk_control *control) {
  const double megabyte = 1024.0 * 1024.0, least = 16.0 * megabyte, small = 32.0 * megabyte;
  double share = 0.25 * (double)control->cache, some = 2.0 * share;
  if (some < least) some = least;
  if (some > small) some = small;
  return share > some ? share : some;
}

/* Returns the bytes for bases and rows, at least half of the budget. */
static inline size_t mk_row_budget(const mk_control *control) {
  size_t half = control->cache / 2;
  double systems = mk_system_budget(control);
  return control->cache - (systems < (double)half ? (size_t)systems : half);
}

/* Returns the bytes for a trace of theta. */
static inline size_t mk_trace_budget(const mk_control *control) {
  return control->cache / 16;
}

/* Returns 1 if block k of the pairs is in this process's share. */
static inline int mk_takes_block(const mk_control *control, size_t k) {
  return control->parts < 2 || k % control->parts == control->part;
}

#define MK_NANOSECOND 1e-9 /* seconds; mk_seconds() tells no shorter times apart */
double mk_seconds(void);   /* wall clock, arbitrary origin */

/* Returns the latest end of a computation, in seconds from its start. Limits are kept within a
 * tenth or a second. Half of that is for work that a call cannot leave out, the other half for a
 * call of a user's function that is under way. */
double mk_latest(const mk_control *control);

/* Returns 1 if time is over, or if the work was asked to end. */
int mk_is_late(const mk_control *control);

/* Returns the control of work that is done however long it takes. */
mk_control mk_patient(const mk_control *control);

/* Returns MK_OK, MK_INTERRUPTED or MK_TIME_LIMIT. Only the thread that called the core may call. */
mk_status mk_check(const mk_control *control);

#endif
