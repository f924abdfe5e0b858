/* Rows of a mixture sum_m theta_m k_m from bases; base and out are rows of one precision. */
#ifndef MK_MIXTURE_H
#define MK_MIXTURE_H

#include "kernel/features.h"
#include "rows/base-block.h"

/* Computes all that is otherwise computed on first use, so that threads can share the set. */
mk_status mk_set_settle(const mk_kernel_set *set, const mk_control *control);

typedef struct mk_mixture mk_mixture;
mk_mixture *mk_mixture_new(const mk_kernel_set *set, int single);
void mk_mixture_free(mk_mixture *mixture);
size_t mk_mixture_bytes(const mk_mixture *mixture); /* memory for feature blocks */
/* Returns 1 if cached rows are now invalid, 0 if they may be reused (an unchanged column model). */
int mk_mixture_compile(mk_mixture *mixture, const double *theta);
const double *mk_mixture_weights(const mk_mixture *mixture); /* M: theta times scale */
/* Adds family f's part of the mixture between row and others to out[c]; family 0 overwrites
 * out. */
void mk_mixture_add(const mk_mixture *mixture, size_t f, int row, const mk_samples *others,
                    mk_row base, mk_row out, mk_scratch *scratch);
/* Adds what centring adds to out[c]; once per row, after all families. */
void mk_mixture_centre(const mk_mixture *mixture, int row, const mk_samples *others, mk_row out,
                       mk_scratch *scratch);

/* Limits rows of feature blocks to about this many columns. If these are not all, rows are
 * approximate and should be stored. */
void mk_mixture_limit(mk_mixture *mixture, size_t columns);
int mk_mixture_is_model(const mk_mixture *mixture);
/* Returns the weights of the columns of feature blocks. */
const mk_column_weights *mk_mixture_column_weights(const mk_mixture *mixture);
/* Computes all values of the feature blocks between these samples, valid until a compile returns
 * 1. */
mk_status mk_mixture_store(mk_mixture *mixture, const int *samples, size_t count,
                           mk_scratch *scratch, const mk_control *control);
/* Returns the values that mk_mixture_store() computed, by place in its list of samples, or NULL. */
const double *mk_mixture_stored(const mk_mixture *mixture);
/* Changes these values such that their product with `way` becomes `truth`; rows are then invalid.
 * scratch: a value for each sample. */
void mk_mixture_learn(mk_mixture *mixture, const double *way, const double *truth, double *scratch);
/* Computes the "base" of the feature blocks in this mixture: out[r * ld + c]. An `out` of floats
 * must be the block of the scratch. */
void mk_mixture_block(const mk_mixture *mixture, const int *rows, size_t row_count,
                      const mk_samples *others, mk_row out, size_t ld, mk_scratch *scratch);

/* Computes k_theta(i, i); if values are stored, the rows must be their list of samples. */
void mk_mixture_diagonal(const mk_mixture *mixture, const int *rows, size_t count, double *out);

/* Returns the inner products of a row with others, from distances. All kernels of the family share
 * the products, so they are computed once; families without kernels of products return their base
 * values. */
const double *mk_family_products(const mk_kernel_set *set, size_t f, int row,
                                 const mk_samples *others, const double *base, double *out);

/* Computes out[c], normalised values of kernel m between row and others. base: base values of its
 * family in double, NULL for families without a base; product: mk_family_products() of `base`. */
void mk_member_values(const mk_kernel_set *set, size_t m, int row, const mk_samples *others,
                      const double *base, const double *product, double *out);

#endif
