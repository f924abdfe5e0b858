/* Kernel rows over a growing set of candidate samples, within a byte budget:
 * bases are kept where they are dear and fit, mixture rows in a row cache.
 * Everything expensive runs in blocks and on all threads. */
#ifndef MK_GRAM_H
#define MK_GRAM_H

#include "base/control.h"
#include "kernel/kernel.h"
#include "svm/svm.h"

typedef struct mk_gram mk_gram;

mk_status mk_gram_new(mk_gram **gram, const mk_kernel_set *set, int single,
                      const mk_control *control);
void mk_gram_free(mk_gram *gram);
size_t mk_gram_bytes(const mk_gram *gram); /* most memory held so far */

/* Appends samples to the candidates; positions of the others stay. */
mk_status mk_gram_extend(mk_gram *gram, const int *samples, size_t count);
size_t mk_gram_count(const mk_gram *gram);
const int *mk_gram_samples(const mk_gram *gram);

/* Changes the mixture: all cached rows go stale, the diagonal is renewed. */
mk_status mk_gram_mix(mk_gram *gram, const double *theta);
const double *mk_gram_diagonal(const mk_gram *gram); /* by position, padded */

/* Row of the mixture between position i and all candidates, padded; see mk_svm_rows. */
mk_row mk_gram_row(void *gram, size_t i, mk_status *status);
/* Brings rows into the cache, as many as it has room for: stale ones are made
 * together, which is much cheaper where nothing is stored. */
mk_status mk_gram_fetch(void *gram, const int *positions, size_t count);
/* Rows at these positions that stay until others are asked for: of *count the first so many. */
mk_status mk_gram_rows(mk_gram *gram, const int *positions, size_t *count, mk_row *rows);
/* Fetches the last `count` candidates' rows, unless there is no room for all rows. */
mk_status mk_gram_fetch_last(mk_gram *gram, size_t count);
mk_svm_rows mk_gram_svm_rows(mk_gram *gram);
/* Z with K = Z Z' between candidates where its columns are few; NULL: rows are all there is. Then
 * candidates cost little, and SVMs are solved without any row. */
const mk_thin *mk_gram_columns(const mk_gram *gram);

/* Rows are a model in single precision until they are sharpened: bases and
 * rows are made anew in double precision; mix and refresh afterwards. Sharpened
 * once more, they take all columns of feature blocks. */
int mk_gram_is_single(const mk_gram *gram);
double mk_gram_unit(const mk_gram *gram); /* relative error of a value */
mk_status mk_gram_sharpen(mk_gram *gram);

/* The alphas of `tasks` problems, each over the candidates. */
typedef struct mk_alphas {
  size_t tasks;
  double **alpha;
} mk_alphas;

/* out[t] = K_theta alpha_t over the candidates; over the other samples, by their numbers, while
 * what stands at the candidates' means nothing. */
mk_status mk_gram_response(mk_gram *gram, const mk_alphas *alphas, double **out);
mk_status mk_gram_response_others(mk_gram *gram, const mk_alphas *alphas, double **out);

/* 1: rows are a model of the mixture: columns of feature blocks that stand for
 * all. Responses are true all the same. */
int mk_gram_is_model(const mk_gram *gram);
mk_status mk_gram_renew_model(mk_gram *gram, const double *theta);
/* The model K_m learns that K x = truth where it has K_m x = guess (a BFGS
 * update, which keeps it positive definite). */
void mk_gram_learn(mk_gram *gram, const double *x, const double *guess, const double *truth);
/* The products with columns of the last alphas whose responses were asked for are
 * kept aside; later `kept` times them (NULL: none) plus `present` times the present
 * ones, by task, are put in the present one's place: `alphas` are these mixed ones. */
void mk_gram_keep(mk_gram *gram);
void mk_gram_blend(mk_gram *gram, const double *kept, const double *present,
                   const mk_alphas *alphas);

/* s_m = sum over tasks of alpha'K_m alpha, all m. */
mk_status mk_gram_forms(mk_gram *gram, const mk_alphas *alphas, double *s);

/* u (count x generators by rows): (G alpha) at the given positions for all
 * generators G, the matrices of which all K_m are combinations; the same for
 * the K_m from one row of it. Many kernels of a kind have few generators. */
size_t mk_gram_generators(const mk_gram *gram);
mk_status mk_gram_generator_responses(mk_gram *gram, const double *alpha, const int *positions,
                                      size_t count, double *u);
void mk_gram_expand(const mk_gram *gram, const double *generators, double *out);

/* u (count x M by rows): (K_m alpha) at the given positions, all m. */
mk_status mk_gram_member_responses(mk_gram *gram, const double *alpha, const int *positions,
                                   size_t count, double *u);

#endif
