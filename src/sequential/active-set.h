/* The kernels at work, by rising number, and the fit over them. */
#ifndef MK_ACTIVE_SET_H
#define MK_ACTIVE_SET_H

#include "sequential/sequential.h"

typedef struct mk_active_set {
  const mk_stream *stream;
  const mk_problem *problem; /* but for its set and norm */
  size_t count, room, *kernel;
  double *theta, *form; /* by place; form: strengths s_m */
  double *alpha;        /* n x tasks */
  double gain, primal;  /* dual value = gain - largest s_m / 2 */
  double largest;       /* of the forms */
  double solves, iterations;
  size_t bytes; /* most memory that a fit held */
} mk_active_set;

/* `count` kernels, evenly spaced, with equal weights. */
mk_status mk_active_new(mk_active_set *active, const mk_stream *stream, const mk_problem *problem,
                        size_t count);
void mk_active_clear(mk_active_set *active);
/* The same kernels, weights and alphas; `into` comes from mk_active_new(). */
mk_status mk_active_copy(mk_active_set *into, const mk_active_set *from);

/* Fits them to a relative gap of `tol`, from the present weights and alphas. */
mk_status mk_active_fit(mk_active_set *active, const mk_sequential_settings *settings, double tol,
                        const mk_control *control);
/* A kernel of given strength joins, without weight; one that is there already stays as it is.
 * *joined goes up by those that did. */
mk_status mk_active_insert(mk_active_set *active, size_t kernel, double strength, size_t *joined);
/* Those without weight whose strength is below `share` of the largest leave. */
void mk_active_drop(mk_active_set *active, double share);
/* All without weight leave, and those with less than `dust` of the largest weight. */
void mk_active_keep_weighted(mk_active_set *active, double dust);
size_t mk_active_weighted(const mk_active_set *active); /* kernels of positive weight */

#endif
