/* Linear kernels as feature blocks. Linear kernels that share their features with no other kernel
 * form one family without bases. For a fixed theta the family is one weighted inner product
 *   sum_k w_k x_ik x_jk,  w_k = sum of theta_m scale_m over the kernels m that read column k,
 * so nothing of size n x n or kernels x n is ever stored. Everything follows from g = X'alpha, one
 * number per column:
 *   alpha'K_m alpha = scale_m sum_{k in m} g_k^2,   K_theta alpha = X (w o g).
 * Centred kernels subtract the means of their columns, so the weights of plain and of centred
 * kernels are kept apart. Columns are read in place, one after another. A column id is the place of
 * a view's column among the columns of all views. */
#ifndef MK_FEATURES_H
#define MK_FEATURES_H

#include "base/control.h"
#include "kernel/set.h"

/* Returns 1 if family f is the one of feature blocks, which has no bases. */
int mk_family_explicit(const mk_kernel_set *set, size_t f);
int mk_set_explicit(const mk_kernel_set *set);   /* 1 if there is such a family */
int mk_set_is_columns(const mk_kernel_set *set); /* 1 if there is no other family */
/* Returns 1 if the set consists of feature blocks with so many columns per sample that most samples
 * are support vectors. */
int mk_set_is_wide(const mk_kernel_set *set);
size_t mk_set_column_ids(const mk_kernel_set *set);
size_t mk_features_count(const mk_kernel_set *set);   /* number of feature blocks */
size_t mk_features_columns(const mk_kernel_set *set); /* sum of the blocks' numbers of columns */
/* number of columns that any feature block reads */
size_t mk_features_width(const mk_kernel_set *set);
/* Returns 1 if columns are so few that values between n samples are not needed. */
int mk_columns_are_few(size_t columns, size_t n);

/* ---- columns of linear kernels ---- */

int mk_is_linear(const mk_kernel_set *set, size_t m);
/* Returns the number of columns of linear kernel m, 0 for other kernels. */
size_t mk_linear_width(const mk_kernel_set *set, size_t m);
/* Writes the k-th column of linear kernel m, centred and scaled, at all n samples: k_m(i, j) is the
 * sum over columns of out_i out_j. Means are those of the first `known` samples. */
void mk_linear_column(const mk_kernel_set *set, size_t m, size_t k, size_t known, double *out);

/* ---- weights of the columns ---- */

/* Weights of each column in plain and in centred kernels. An array is NULL if there are no such
 * kernels. */
typedef struct mk_column_weights {
  double *plain, *centred;
} mk_column_weights;

mk_status mk_column_weights_new(mk_column_weights *weights, const mk_kernel_set *set);
void mk_column_weights_clear(mk_column_weights *weights);
void mk_column_weights_fill(const mk_column_weights *weights, const mk_kernel_set *set,
                            const double *theta);

/* ---- building ---- */

/* Makes feature blocks of the kernels in `member`, whose specs must be valid. */
mk_status mk_features_new(mk_kernel_set *set, const int *member, size_t count, mk_team *team);
/* Returns 0 if the chosen kernels are so few and wide that bases cost less. */
int mk_features_worthwhile(const mk_kernel_set *set, const char *chosen);

#endif
