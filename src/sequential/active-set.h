/* The active kernels, by rising number, and the fit over them. */
#ifndef MK_ACTIVE_SET_H
#define MK_ACTIVE_SET_H

#include "sequential/sequential.h"

typedef struct mk_active_set {
  const mk_stream *stream;
  const mk_problem *problem; /* its set and norm are not used */
  size_t count, room, *kernel;
  double *theta, *form; /* by place; form: the strengths s_m */
  double *alpha;        /* n x tasks */
  double gain, primal;  /* dual value = gain - largest s_m / 2 */
  double largest;       /* largest form */
  double solves, iterations;
  size_t bytes; /* largest memory of a fit */
} mk_active_set;

/* Starts with `count` kernels, evenly spaced, of equal weight. */
mk_status mk_active_new(mk_active_set *active, const mk_stream *stream, const mk_problem *problem,
                        size_t count);
void mk_active_clear(mk_active_set *active);
/* Copies kernels, weights and alphas; `into` comes from mk_active_new(). */
mk_status mk_active_copy(mk_active_set *into, const mk_active_set *from);

/* Fits the active kernels to a relative gap of `tol`, from the present weights and alphas. */
mk_status mk_active_fit(mk_active_set *active, const mk_sequential_settings *settings, double tol,
                        const mk_control *control);
/* Adds a kernel of given strength, without weight, unless it is active already. *joined counts
 * added kernels. */
mk_status mk_active_insert(mk_active_set *active, size_t kernel, double strength, size_t *joined);
/* Removes kernels without weight whose strength is below `share` of the largest. */
void mk_active_drop(mk_active_set *active, double share);
/* Removes kernels without weight, and those with less than `dust` of the largest weight. */
void mk_active_keep_weighted(mk_active_set *active, double dust);
size_t mk_active_weighted(const mk_active_set *active); /* number of kernels of positive weight */

#endif
