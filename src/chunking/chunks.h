/* SVMs over all samples at a fixed theta, one for each task, without stored rows of the kernel
 * matrix (decomposition with large working sets, Joachims 1999). A chunk of each task's violators
 * is solved on its own square of the matrix, and one pass over the pairs of samples and changed
 * alphas updates the gradients of all tasks. Called by chunking.c and rglue/shares.c.
 * MATHEMATICS.md, section 3.5. */
#ifndef MK_CHUNKS_H
#define MK_CHUNKS_H

#include "base/pool.h"
#include "problem/problem.h"
#include "rows/gram.h"
#include "svm/svm.h"

/* One task's SVM. */
typedef struct mk_chunk_task {
  mk_terms terms;
  double *alpha;
  double *response;                 /* n: K_theta alpha */
  double offset, gain, loss, value; /* values of alpha; `value` is alpha'K_theta alpha */
  /* place in `mixed` where the next chunk begins, and largest violation in the last chunk before it
   * was solved */
  double place[2];
} mk_chunk_task;

typedef struct mk_chunks {
  const mk_problem *problem;
  const mk_control *control;
  /* `control` without memory for rows, which are read only once, and with less time */
  mk_control lean;
  size_t n, kernels, tasks;
  mk_chunk_task *task;
  mk_gram *gram;  /* its working set is all samples, in their order */
  mk_passes passes;
  double *theta;  /* M */
  double **alpha; /* tasks x n */
  double **response;
  double **change, **moved; /* tasks x n: changes of alpha in the last chunk; K_theta change */
  double *gradient;         /* n: linear - response of a task, scratch */
  int *order, *mixed;       /* n: scratch; samples in mixed order */
  /* the chunk */
  size_t size, count; /* largest number of samples; number of samples in the present chunk */
  int *sample;        /* size */
  mk_svm svm;
  mk_row square;         /* size x padded size */
  mk_row *row;           /* size: rows of `square` */
  double *diagonal;      /* padded size */
  double pairs, seconds; /* pairs visited by all passes so far, and their time */
  mk_pool memory;
} mk_chunks;

mk_status mk_chunks_new(mk_chunks *chunks, const mk_problem *problem, const mk_control *control);
void mk_chunks_clear(mk_chunks *chunks); /* accepts half-built chunks */
size_t mk_chunks_bytes(const mk_chunks *chunks);

/* Returns 1 if kernel rows may be floats. */
int mk_chunks_are_single(const mk_control *control);

/* Computes the forms of the present alphas. */
mk_status mk_chunks_forms(const mk_chunks *chunks, double *s);

/* Begin with theta and alphas (n x tasks; NULL: 0), or go on with another theta. */
mk_status mk_chunks_begin(mk_chunks *chunks, const double *theta, const double *alpha);
mk_status mk_chunks_use_theta(mk_chunks *chunks, const double *theta);

/* Computes what depends on theta, alphas and responses that were set from outside. */
mk_status mk_chunks_resume(mk_chunks *chunks);

/* Solves a chunk of each task whose gap is above its share of `target`, and makes one pass. */
mk_status mk_chunks_round(mk_chunks *chunks, double target);

/* Sums over tasks, from which the primal and the dual value at this theta follow. */
typedef struct mk_chunk_sums {
  double loss, gain, value;
} mk_chunk_sums;

static inline mk_chunk_sums mk_chunks_sums(const mk_chunks *c) {
  mk_chunk_sums out = {0.0, 0.0, 0.0};
  for (size_t t = 0; t < c->tasks; t++) {
    out.loss += c->task[t].loss;
    out.gain += c->task[t].gain;
    out.value += c->task[t].value;
  }
  return out;
}

/* Returns the primal value less the dual value at this theta. */
static inline double mk_chunks_gap(const mk_chunks *c) {
  mk_chunk_sums sums = mk_chunks_sums(c);
  return sums.loss + sums.value - sums.gain;
}

#endif
