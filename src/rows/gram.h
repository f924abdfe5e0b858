/* The working set and its kernel rows: whatever the kernels are, the solver asks here for rows of
 * their mixture, responses K alpha, quadratic forms and responses of all kernels, within a byte
 * budget (`cache` of the control). Called by fit-state.c and the steps of theta; the work is the
 * providers' (gram-provider.h), symbols are those of MATHEMATICS.md, sections 1 and 2. */
#ifndef MK_GRAM_H
#define MK_GRAM_H

#include "base/control.h"
#include "base/row.h"
#include "base/thin.h"
#include "kernel/set.h"

typedef struct mk_gram mk_gram;

/* single: rows may be floats until they are sharpened; offset: alphas sum to zero, and responses
 * matter but for a constant. */
mk_status mk_gram_new(mk_gram **gram, const mk_kernel_set *set, int single, int offset,
                      const mk_control *control);
void mk_gram_free(mk_gram *gram);
size_t mk_gram_bytes(const mk_gram *gram); /* most memory held so far */

/* Samples join the working set; positions of those in it stay. */
mk_status mk_gram_extend(mk_gram *gram, const int *samples, size_t count);
size_t mk_gram_count(const mk_gram *gram);
const int *mk_gram_samples(const mk_gram *gram); /* by position */

/* Changes the mixture: rows go stale, the diagonal is renewed. */
mk_status mk_gram_mix(mk_gram *gram, const double *theta);
const double *mk_gram_diagonal(const mk_gram *gram); /* by position, padded */

/* Row of the mixture between position i and the working set, padded; see mk_svm_rows. */
mk_row mk_gram_row(void *gram, size_t i, mk_status *status);
/* Rows at these positions that stay until others are asked for: of *count the first so many. */
mk_status mk_gram_rows(mk_gram *gram, const int *positions, size_t *count, mk_row *rows);
/* Z with K = Z Z' over the working set where it has few columns, NULL otherwise: then samples cost
 * little, and SVMs are solved without any row. */
const mk_thin *mk_gram_thin(const mk_gram *gram);

/* 1: all kernels are linear ones on columns; ... */
int mk_gram_is_columns(const mk_gram *gram);
/* 1: ... which are so few that samples cost little, or so many that most are support vectors. */
int mk_gram_wants_all(const mk_gram *gram);

int mk_gram_is_single(const mk_gram *gram);
double mk_gram_unit(const mk_gram *gram); /* relative error of a value */
/* 1: rows are not quite those of the mixture. Responses and forms are true all the same, so SVMs
 * are solved on the rows in turns with these (solve-svms.c). */
int mk_gram_is_approximate(const mk_gram *gram);
/* Floats become doubles; if they are, approximate rows become exact. Mix and respond afterwards. */
mk_status mk_gram_sharpen(mk_gram *gram);

/* The alphas of `tasks` problems, each over the working set. */
typedef struct mk_alphas {
  size_t tasks;
  double **alpha;
} mk_alphas;

/* out[t] = K_theta alpha_t over the working set; over the other samples, by their numbers, while
 * what stands at the working set's means nothing. */
mk_status mk_gram_response(mk_gram *gram, const mk_alphas *alphas, double **out);
mk_status mk_gram_response_outside(mk_gram *gram, const mk_alphas *alphas, double **out);

/* s_m = sum over tasks of alpha'K_m alpha, all m. */
mk_status mk_gram_forms(mk_gram *gram, const mk_alphas *alphas, double *s);

/* u (count x M by rows): (K_m alpha) at the given positions, all m. */
mk_status mk_gram_member_responses(mk_gram *gram, const double *alpha, const int *positions,
                                   size_t count, double *u);

#endif
