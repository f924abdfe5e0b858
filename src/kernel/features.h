/* Linear kernels as feature blocks. Linear kernels that share their features
 * with no other kernel form one family without bases: for a fixed theta they
 * are one weighted inner product
 *   sum_k w_k x_ik x_jk,  w_k = sum of theta_m scale_m over the kernels m that read column k,
 * so nothing of size n x n or kernels x n is ever stored. Everything is read
 * from g = X'alpha, one number per column:
 *   alpha'K_m alpha = scale_m sum_{k in m} g_k^2,   K_theta alpha = X (w o g).
 * Centred kernels have columns less their means; both sorts of weights are
 * kept apart. Columns are read where they lie, one after another.
 * A column id is the place of a view's column when all views' columns stand in one row. */
#ifndef MK_FEATURES_H
#define MK_FEATURES_H

#include "base/control.h"
#include "kernel/set.h"

/* 1: family f is the one of feature blocks; it has no bases. */
int mk_family_explicit(const mk_kernel_set *set, size_t f);
int mk_set_explicit(const mk_kernel_set *set);   /* 1: there is such a family */
int mk_set_is_columns(const mk_kernel_set *set); /* 1: and no other */
/* 1: of these so many for each sample that most samples are support vectors. */
int mk_set_is_wide(const mk_kernel_set *set);
size_t mk_set_column_ids(const mk_kernel_set *set);
size_t mk_features_count(const mk_kernel_set *set);   /* feature blocks, ... */
size_t mk_features_columns(const mk_kernel_set *set); /* ... and the columns of all */
size_t mk_features_width(const mk_kernel_set *set);   /* columns that any of them reads */
/* 1: so few columns for n samples that values between samples are not needed. */
int mk_columns_are_few(size_t columns, size_t n);

/* Spherical scaling is by sample: kernels with `rooted` leave the feature
 * blocks. To be called before any normalisation is installed. */
mk_status mk_set_separate(mk_kernel_set *set, const int *rooted, mk_team *team);

/* ---- constants of linear kernels, in closed form from their columns ---- */

int mk_is_linear(const mk_kernel_set *set, size_t m);
/* Sum of k(i, i) over the samples that count, and the same when centred. */
void mk_linear_moments(const mk_kernel_set *set, size_t m, const mk_counted *counted, double *trace,
                       double *spread);
/* Installs the scale and, where `centred`, the columns' means over the first `known` samples that
 * count. */
mk_status mk_linear_normalize(mk_kernel_set *set, size_t m, double scale, int centred, size_t known,
                              const mk_counted *counted);

/* Columns of linear kernel m; 0 for other kernels. */
size_t mk_linear_width(const mk_kernel_set *set, size_t m);
/* Its k-th column, centred and scaled, at all n samples: k_m(i, j) is the sum over the columns of
 * out_i out_j. Means, where there are any, are those of the first `known` samples. */
void mk_linear_column(const mk_kernel_set *set, size_t m, size_t k, size_t known, double *out);

/* ---- weights of the columns ---- */

/* What each column weighs in plain kernels and in centred ones; an array is
 * NULL where there are no such kernels. */
typedef struct mk_column_weights {
  double *plain, *centred;
} mk_column_weights;

mk_status mk_column_weights_new(mk_column_weights *weights, const mk_kernel_set *set);
void mk_column_weights_clear(mk_column_weights *weights);
void mk_column_weights_fill(const mk_column_weights *weights, const mk_kernel_set *set,
                            const double *theta);

/* ---- building ---- */

/* Makes the feature blocks of the kernels in `member`, whose specs are valid. */
mk_status mk_features_new(mk_kernel_set *set, const int *member, size_t count, mk_team *team);
/* 0: the chosen kernels are so few and wide that their bases cost less. */
int mk_features_worthwhile(const mk_kernel_set *set, const char *chosen);

#endif
