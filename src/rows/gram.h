/* The working set and its kernel rows. For any kernels, this is where the solver gets rows of their
 * mixture, responses K alpha, quadratic forms, and responses of all kernels, within a byte budget
 * (`cache` of the control). The providers do the work (gram-provider.h). Called by optimizer/ and
 * chunking/. Symbols are those of MATHEMATICS.md, sections 1 and 2. */
#ifndef MK_GRAM_H
#define MK_GRAM_H

#include "base/control.h"
#include "base/row.h"
#include "base/thin.h"
#include "kernel/set.h"

typedef struct mk_gram mk_gram;

/* single: 1 if rows may be floats until they are sharpened; offset: 1 if alphas sum to 0, so that
 * responses matter up to a constant. */
mk_status mk_gram_new(mk_gram **gram, const mk_kernel_set *set, int single, int offset,
                      const mk_control *control);
/* Makes all rows exact and leaves out thin columns, for a solver that reads rows alone. Called
 * before samples are added. */
mk_status mk_gram_read_rows(mk_gram *gram);
void mk_gram_free(mk_gram *gram);
size_t mk_gram_bytes(const mk_gram *gram); /* largest memory held so far */

/* Adds samples to the working set; positions of the others stay. */
mk_status mk_gram_extend(mk_gram *gram, const int *samples, size_t count);
size_t mk_gram_count(const mk_gram *gram);
const int *mk_gram_samples(const mk_gram *gram); /* by position */

/* Changes the mixture: invalidates rows and computes the diagonal. */
mk_status mk_gram_mix(mk_gram *gram, const double *theta);
const double *mk_gram_diagonal(const mk_gram *gram); /* by position, padded */

/* Returns the row of the mixture between position i and the working set, padded; see
 * mk_svm_rows. */
mk_row mk_gram_row(void *gram, size_t i, mk_status *status);
/* Returns rows at these positions, the first *count of them, valid until the next call. */
mk_status mk_gram_rows(mk_gram *gram, const int *positions, size_t *count, mk_row *rows);
/* row[r][c] = value of the mixture between positions[r] and positions[c], padded. */
mk_status mk_gram_square(mk_gram *gram, const int *positions, size_t count, const mk_row *row);
/* Returns Z with K = Z Z' over the working set if columns are few, else NULL. With Z samples cost
 * little, and SVMs are solved without rows. */
const mk_thin *mk_gram_thin(const mk_gram *gram);

/* Returns 1 if all kernels are linear ones on columns. */
int mk_gram_is_columns(const mk_gram *gram);
/* Returns 1 if all kernels are linear ones on columns, so few that samples cost little, or so many
 * that most samples are support vectors. */
int mk_gram_wants_all(const mk_gram *gram);

int mk_gram_is_single(const mk_gram *gram);
double mk_gram_unit(const mk_gram *gram); /* relative error of a value */
/* Returns 1 if rows are approximate. Responses and forms are exact in any case, so SVMs alternate
 * between solves on the rows and exact responses (solve-svms.c). */
int mk_gram_is_approximate(const mk_gram *gram);
/* Replaces floats by doubles; if rows are doubles already, makes approximate rows exact. The caller
 * must mix and respond afterwards. */
mk_status mk_gram_sharpen(mk_gram *gram);

/* The alphas of `tasks` problems, each over the working set. */
typedef struct mk_alphas {
  size_t tasks;
  double **alpha;
} mk_alphas;

/* Compute out[t] = K_theta alpha_t, the first over the working set, the second over the other
 * samples, by sample (values of the working set are undefined). */
mk_status mk_gram_response(mk_gram *gram, const mk_alphas *alphas, double **out);
mk_status mk_gram_response_outside(mk_gram *gram, const mk_alphas *alphas, double **out);
/* Computes out[t] = K_theta alpha_t by sample for all samples, block by block, without the cache of
 * rows. */
mk_status mk_gram_response_everywhere(mk_gram *gram, const mk_alphas *alphas, double **out);

/* Computes s_m = sum over tasks of alpha'K_m alpha for all m. */
mk_status mk_gram_forms(mk_gram *gram, const mk_alphas *alphas, double *s);

/* Computes u (count x M by rows): (K_m alpha) at the given positions for all m. */
mk_status mk_gram_member_responses(mk_gram *gram, const double *alpha, const int *positions,
                                   size_t count, double *u);

#endif
