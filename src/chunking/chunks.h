/* One SVM over all samples at a fixed theta, without a row of the kernel's matrix being kept
 * (decomposition with large working sets, Joachims 1999): a chunk of violators is solved by its own
 * square of the matrix, and one pass over the pairs of samples and changed alphas renews the
 * gradients of all. Called by chunking.c; MATHEMATICS.md, section 1. */
#ifndef MK_CHUNKS_H
#define MK_CHUNKS_H

#include "base/pool.h"
#include "problem/problem.h"
#include "rows/gram.h"
#include "svm/svm.h"

typedef struct mk_chunks {
  const mk_problem *problem;
  const mk_control *control;
  mk_control lean; /* the same with no memory for rows that nobody reads twice, and less time */
  mk_terms terms;
  size_t n, kernels;
  mk_gram *gram; /* its working set is all samples, in their order */
  double *theta; /* M */
  double *alpha;
  double *response;       /* n: K_theta alpha */
  double *gradient;       /* n: linear - response */
  double *change, *moved; /* n: of alpha; K_theta change */
  int *order, *mixed;     /* n: scratch; samples, those near each other far apart */
  size_t next;            /* of `mixed`, that a chunk begins with */
  /* the chunk */
  size_t size, count; /* most samples; those of the present one */
  int *sample;        /* size */
  mk_svm svm;
  mk_row square;                    /* size x padded size */
  mk_row *row;                      /* its rows */
  double *diagonal;                 /* padded size */
  double offset, gain, loss, value; /* of alpha; value = alpha'K_theta alpha */
  double violation;                 /* of the last chunk, before it was solved */
  double pairs, seconds;            /* that passes have looked at, and taken */
  mk_pool memory;
} mk_chunks;

mk_status mk_chunks_new(mk_chunks *chunks, const mk_problem *problem, const mk_control *control);
void mk_chunks_clear(mk_chunks *chunks); /* half-built ones, too */
size_t mk_chunks_bytes(const mk_chunks *chunks);

/* Alpha (or NULL: 0) and theta from outside. */
mk_status mk_chunks_begin(mk_chunks *chunks, const double *theta, const double *alpha);
mk_status mk_chunks_use_theta(mk_chunks *chunks, const double *theta);

/* Chunk after chunk until the gap at this theta is within `target`. MK_STALLED: they lead no
 * further. */
mk_status mk_chunks_run(mk_chunks *chunks, double target);

/* Primal less dual at this theta. */
static inline double mk_chunks_gap(const mk_chunks *c) {
  return c->loss + c->value - c->gain;
}

#endif
