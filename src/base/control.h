/* What the caller asks of a long computation: accuracy, limits, and the
 * callbacks through which it hears of progress and can stop it. */
#ifndef MK_CONTROL_H
#define MK_CONTROL_H

#include "status.h"

#include <stddef.h>

typedef struct mk_team mk_team; /* see threads.h */

/* Who multiplies wide matrices: whoever was found to be quick, the core itself, or R's BLAS. */
typedef enum mk_blas { MK_BLAS_MEASURED, MK_BLAS_NEVER, MK_BLAS_ALWAYS } mk_blas;

typedef struct mk_control {
  double tol;              /* relative duality gap to reach */
  double max_time;         /* seconds; infinity for no limit */
  double max_iter;         /* theta-steps; infinity for no limit */
  size_t cache;            /* bytes for everything beside the data */
  mk_team *team;           /* what may be done side by side is; NULL: the calling thread alone */
  mk_blas blas;            /* see crossprod.h */
  int single;              /* rows may be modelled in single precision */
  int working_set;         /* 0: all samples from the start, none join later */
  int exact;               /* SVMs are solved to the end, whatever the gap is worth */
  int trace;               /* theta is recorded with every iteration */
  int (*poll)(void *data); /* nonzero: stop, the user interrupted; may be NULL */
  void (*progress)(void *data, double iteration, double seconds, double objective,
                   double gap); /* may be NULL */
  void *data;                   /* handed to the callbacks */
  double start;                 /* mk_seconds() when the work began */
  const int *order;    /* 0 .. order_length - 1 in random order: SVMs without an offset go by */
  size_t order_length; /* coordinate ascent; NULL: they don't */
} mk_control;

#define MK_DEFAULT_CACHE ((size_t)4 << 30) /* bytes */

/* Bytes that the systems of Newton steps may take: a quarter of the budget; up to half of a small
 * one; and never less than what small problems need, since p near 1 cannot do without. */
static inline double mk_system_budget(const mk_control *control) {
  const double megabyte = 1024.0 * 1024.0, least = 16.0 * megabyte, small = 32.0 * megabyte;
  double share = 0.25 * (double)control->cache, some = 2.0 * share;
  if (some < least) some = least;
  if (some > small) some = small;
  return share > some ? share : some;
}

/* What that leaves for bases and rows: at least half. */
static inline size_t mk_row_budget(const mk_control *control) {
  size_t half = control->cache / 2;
  double systems = mk_system_budget(control);
  return control->cache - (systems < (double)half ? (size_t)systems : half);
}

/* What a trace of theta may take. */
static inline size_t mk_trace_budget(const mk_control *control) {
  return control->cache / 16;
}

double mk_seconds(void); /* wall clock, arbitrary origin */

/* A limit is kept within a tenth of it or a second. Half of that is for what a call can't do
 * without; the other half for the call of a user's function that is under way then. In seconds
 * from the start. */
double mk_latest(const mk_control *control);

/* MK_OK, MK_INTERRUPTED or MK_TIME_LIMIT; on the thread that called the core only. */
mk_status mk_check(const mk_control *control);

#endif
