/* SVMs over all samples at a fixed theta, one for each task, without a row of the kernel's matrix
 * being kept (decomposition with large working sets, Joachims 1999): a chunk of each task's
 * violators is solved by its own square of the matrix, and one pass over the pairs of samples and
 * changed alphas renews the gradients of all tasks. Called by chunking.c; MATHEMATICS.md, section
 * 1. */
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
  double offset, gain, loss, value; /* of alpha; value = alpha'K_theta alpha */
  /* where a chunk begins in `mixed`, and the violation of the last one before it was solved */
  double place[2];
} mk_chunk_task;

typedef struct mk_chunks {
  const mk_problem *problem;
  const mk_control *control;
  mk_control lean; /* the same with no memory for rows that nobody reads twice, and less time */
  size_t n, kernels, tasks;
  mk_chunk_task *task;
  mk_gram *gram;           /* its working set is all samples, in their order */
  double *theta;           /* M */
  double **alpha;          /* tasks: their alphas, responses, ... */
  double **response;
  double **change, **moved; /* ... n: changes of alpha; K_theta change */
  double *gradient;         /* n: linear - response of a task, scratch */
  int *order, *mixed;       /* n: scratch; samples, those near each other far apart */
  /* the chunk */
  size_t size, count; /* most samples; those of the present one */
  int *sample;        /* size */
  mk_svm svm;
  mk_row square;         /* size x padded size */
  mk_row *row;           /* its rows */
  double *diagonal;      /* padded size */
  double pairs, seconds; /* that passes have looked at, and taken */
  mk_pool memory;
} mk_chunks;

mk_status mk_chunks_new(mk_chunks *chunks, const mk_problem *problem, const mk_control *control);
void mk_chunks_clear(mk_chunks *chunks); /* half-built ones, too */
size_t mk_chunks_bytes(const mk_chunks *chunks);

/* Alphas (n x tasks, or NULL: 0) and theta from outside. */
mk_status mk_chunks_begin(mk_chunks *chunks, const double *theta, const double *alpha);
mk_status mk_chunks_use_theta(mk_chunks *chunks, const double *theta);

/* Computes what depends on theta, alphas and responses that were set from outside. */
mk_status mk_chunks_resume(mk_chunks *chunks);

/* Solves a chunk of each task whose gap is above its share of `target`, and makes one pass. */
mk_status mk_chunks_round(mk_chunks *chunks, double target);

/* Sums over tasks, of which the primal and the dual at this theta are made. */
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

/* Primal less dual at this theta. */
static inline double mk_chunks_gap(const mk_chunks *c) {
  mk_chunk_sums sums = mk_chunks_sums(c);
  return sums.loss + sums.value - sums.gain;
}

#endif
