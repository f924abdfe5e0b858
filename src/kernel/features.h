/* Linear kernels as feature blocks. Linear kernels that share their features
 * with no other kernel form one family without bases: for a fixed theta they
 * are one weighted inner product
 *   sum_k w_k x_ik x_jk,  w_k = sum of theta_m scale_m over the kernels m that read column k,
 * so nothing of size n x n or kernels x n is ever stored. Everything is read
 * from g = X'alpha, one number per column:
 *   alpha'K_m alpha = scale_m sum_{k in m} g_k^2,   K_theta alpha = X (w o g).
 * Centred kernels have columns less their means; both sorts of weights are
 * kept apart. Columns are read where they lie, one after another.
 * A "slot" is a column of a view: the views' columns in one row. */
#ifndef MK_FEATURES_H
#define MK_FEATURES_H

#include "base/control.h"
#include "base/thin.h"
#include "kernel/kernel.h"

/* 1: family f is the one of feature blocks; it has no bases. */
int mk_family_explicit(const mk_kernel_set *set, size_t f);
int mk_set_explicit(const mk_kernel_set *set);   /* 1: there is such a family */
int mk_set_is_columns(const mk_kernel_set *set); /* 1: and no other */
/* 1: of these so many for each sample that most samples are support vectors. */
int mk_set_is_wide(const mk_kernel_set *set);
size_t mk_set_slots(const mk_kernel_set *set);

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
typedef struct mk_slot_weights {
  double *plain, *centred;
} mk_slot_weights;

mk_status mk_slot_weights_new(mk_slot_weights *weights, const mk_kernel_set *set);
void mk_slot_weights_clear(mk_slot_weights *weights);
void mk_slot_weights_fill(const mk_slot_weights *weights, const mk_kernel_set *set,
                          const double *theta);

/* ---- passes over the columns ---- */

typedef struct mk_pass {
  size_t tasks;
  double **alpha;                 /* tasks: n values each */
  double **g;                     /* tasks: X'alpha, by slot */
  const mk_slot_weights *weights; /* NULL: no responses */
  double **response;              /* tasks: n values each, overwritten */
} mk_pass;

/* One reading of the columns: g, and the responses X (w o g) behind it. */
mk_status mk_features_pass(const mk_kernel_set *set, const mk_pass *pass,
                           const mk_control *control);

/* s_m = sum over tasks of alpha'K_m alpha for all feature blocks; others are left alone. */
void mk_features_forms(const mk_kernel_set *set, const mk_pass *pass, double *s);

/* out = K_m alpha of task 0 at all samples, for the k-th feature block; returns m. */
size_t mk_features_member(const mk_kernel_set *set, const mk_pass *pass, size_t k, double *out);
size_t mk_features_count(const mk_kernel_set *set);   /* feature blocks, ... */
size_t mk_features_columns(const mk_kernel_set *set); /* ... and the columns of all */

/* ---- linear kernels that are no feature blocks, for they share their columns ---- */

/* Their s_m by way of X'alpha: where s_m is small beside its terms pairs leave but rounding. */
typedef struct mk_linear_ask {
  const mk_kernel_set *set;
  size_t tasks;
  double **alpha; /* tasks: n values each */
  double *s;      /* M: those of other kernels are left alone */
} mk_linear_ask;
void mk_linear_forms(const mk_linear_ask *ask, mk_team *team);
double mk_linear_form_values(const mk_kernel_set *set); /* read on the way */

/* ---- rows ---- */

/* A few columns, reweighted, that stand for all of them; all of them when
 * they are few. */
typedef struct mk_column_model mk_column_model;
mk_status mk_column_model_new(mk_column_model **model, const mk_kernel_set *set);
void mk_column_model_free(mk_column_model *model);
/* With the weights that go in and out. */
size_t mk_column_model_bytes(const mk_column_model *model);
/* At most about `most` columns for these weights. */
void mk_column_model_choose(mk_column_model *model, const mk_slot_weights *weights, size_t most);
int mk_column_model_exact(const mk_column_model *model);
/* Share of the mixture's mass by which two sets of weights differ. */
double mk_column_model_drift(const mk_column_model *model, const mk_slot_weights *weights,
                             const mk_slot_weights *base);
/* Computes all values between these samples, and keeps them until columns are chosen anew. */
mk_status mk_column_model_store(mk_column_model *model, const int *samples, size_t count,
                                mk_scratch *scratch, const mk_control *control);
/* The values, samples x samples; NULL for none. */
const double *mk_column_model_stored(const mk_column_model *model);
/* out[r * ld + c] = value of the model between rows and columns, without what dense views add
 * unless `dense`. */
void mk_column_model_block(const mk_column_model *model, int dense, const int *rows,
                           size_t row_count, const mk_columns *columns, double *out, size_t ld,
                           mk_scratch *scratch);
/* out[r] += the model's value of a sample with itself. */
void mk_column_model_diagonal(const mk_column_model *model, const int *rows, size_t count,
                              double *out);

/* ---- all columns at once, where they are few beside the samples ---- */

int mk_columns_are_few(size_t columns, size_t n);
/* 1: there are only feature blocks, of few columns; without an offset none is centred, either. */
int mk_set_is_thin(const mk_kernel_set *set, int offset);
size_t mk_features_width(const mk_kernel_set *set); /* columns that any of them reads */
size_t mk_features_thin_bytes(const mk_kernel_set *set);
/* Z with the samples' values of all columns, with an offset less their means: for alphas whose sum
 * is zero and up to a constant, Z Z'alpha is then what the weights' mixture gives, centred or not.
 * MK_NO_MEMORY leaves something to clear. */
mk_status mk_features_thin(const mk_kernel_set *set, const int *samples, size_t count, int offset,
                           mk_thin *z);
/* Where kernels of low rank on a few features and linear kernels are all there is, and few columns
 * make them, a set of linear kernels with the same values that takes at most so many bytes; NULL
 * otherwise. The caller frees it, whatever the status. */
mk_status mk_set_as_columns(mk_kernel_set **columns, const mk_kernel_set *set, size_t bytes,
                            mk_team *team);
void mk_features_root(const mk_kernel_set *set, const mk_slot_weights *weights, mk_thin *z);

/* ---- exact values, for the certificate alone (plain loops of their own) ---- */

/* What the feature blocks contribute for alpha (n x tasks by columns): added to decision, likewise,
 * and to the forms and their slack (M, or NULL). */
typedef struct mk_exact_ask {
  const mk_kernel_set *set;
  const double *theta, *alpha;
  size_t tasks;
  int level; /* as an expansion's */
  double *decision, *forms;
  double *slack, *form_slack; /* slack: tasks: what rounding may have moved a decision value by */
  double *reach;              /* as an expansion's */
} mk_exact_ask;
mk_status mk_exact_features(const mk_exact_ask *ask, const mk_control *control);

#endif
