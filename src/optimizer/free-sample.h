/* Some of many free variables, which stand for the others too (curvature.c, mathematics section
 * 2): theta's Hessian u' K_FF^-1 u from fewer rows of u and K. */
#ifndef MK_FREE_SAMPLE_H
#define MK_FREE_SAMPLE_H

#include "base/cholesky.h"
#include "svm/svm.h"

/* Evenly spaced, each for `share` free variables: for those that are nearest. */
typedef struct mk_free_sample {
  int *all, *at; /* positions of all free variables and of those chosen */
  size_t all_count, count;
  double share;
  mk_pivots pivots; /* of those chosen, for mk_factor() */
} mk_free_sample;

/* Of an SVM over up to n points. */
mk_status mk_free_sample_new(mk_free_sample *sample, size_t n);
void mk_free_sample_clear(mk_free_sample *sample);
void mk_free_sample_choose(mk_free_sample *sample, const mk_svm *svm, size_t most);

/* The diagonal that stands for K's at the k-th of them, from its row of K: the mean over all pairs
 * of those it stands for, itself and those others where K is largest. Narrow kernels hardly bind
 * these together: what such kernels hold back in one variable they hold back `share` times less in
 * so many. pivots[k] are such as those pairs leave, and return to K's own where rounding the
 * others off to points leaves less. */
double mk_free_sample_diagonal(const mk_free_sample *sample, size_t k, mk_row row);

#endif
