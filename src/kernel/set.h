/* A kernel set holds M kernels over the same n samples, grouped into families whose members share
 * work: all kernels that are functions of distances and inner products on the same features share
 * one base; precomputed matrices are read where they lie; a caller's function is one family each;
 * linear kernels on features of their own are weighted columns (features.h). Componentwise locally
 * linear kernels are linear kernels on columns that the set makes (local-columns.c). Optimisers ask
 * rows/ for bases, mixtures and sums, certificates ask exact/ for values.
 *
 * A word means one thing here and in the rooms above:
 *   sample   a row of the data, a point; a block of values lies between samples and other samples;
 *   column   a column of a view, all its samples' values; its id is its place among those of all
 *            views;
 *   feature  a column as a kernel reads it, by its number in the kernel's view;
 *   base     what the values of a family's kernels follow from, whatever their parameters: squared
 *            distances, or a function's values;
 *   pair     two samples; the pairs of a family are its distances and inner products. */
#ifndef MK_SET_H
#define MK_SET_H

#include "base/control.h"
#include "kernel/local-map.h"
#include "kernel/view.h"

#include <stddef.h>

/* Places in the table of kinds (kinds.c), by name where C code needs one. */
typedef enum mk_kernel_type {
  MK_LINEAR = 1,
  MK_POLYNOMIAL,
  MK_GAUSSIAN,
  MK_PRECOMPUTED,
  MK_FUNCTION,
  MK_LOCALLY_LINEAR,
  MK_TANIMOTO /* <x,z> / (|x|^2 + |z|^2 - <x,z>); 1 between samples that are 0 */
} mk_kernel_type;

/* Fills out (rows_count x cols_count, by columns) with kernel values of the
 * given samples; 0 on success. */
typedef int (*mk_kernel_function)(void *data, const int *rows, size_t row_count, const int *cols,
                                  size_t col_count, double *out);

/* out[i] = sum_j weight_j k(support_j, sample_i), in double precision. */
typedef mk_status (*mk_kernel_expansion)(void *data, const int *support, size_t support_count,
                                         const double *weight, const int *sample, size_t count,
                                         const mk_control *control, double *out);

/* One kernel as the caller describes it. */
typedef struct mk_kernel_spec {
  mk_kernel_type type;
  int view;            /* index of its view; -1 for none */
  const int *features; /* increasing column indices; NULL for all */
  size_t feature_count;
  double width;                 /* Gaussian: exp(-d/width) */
  double degree, scale, offset; /* polynomial: (scale <x,z> + offset)^degree */
  const void *matrix;           /* precomputed: n x n, symmetric, ... */
  int single;                   /* ... of floats: 1, or of doubles: 0 */
  mk_kernel_function function;
  void *function_data;
  int thread_safe; /* 1: any thread may call the function; 0: the one that called the core */
  mk_kernel_expansion expand; /* quicker than by the function; NULL: there is none */
  double expand_units;        /* roundings of a term in it, beside one for each support vector */
  /* locally linear: <phi(x), phi(z)>, phi(x) = h(x) (x - anchor) */
  mk_local_map map;
  double gamma;
  int componentwise;    /* 1: h of each component by itself */
  int zero_rows;        /* 1: samples without length stay 0 when they are divided by it */
  const double *anchor; /* as many values as features */
} mk_kernel_spec;

typedef struct mk_kernel_set mk_kernel_set;

/* ---- the set ---- */

/* Takes over the views' owned parts; the caller's arrays must outlive the set. */
mk_status mk_set_new(mk_kernel_set **set, size_t n, const mk_view *views, size_t view_count,
                     const mk_kernel_spec *specs, size_t kernel_count, mk_team *team);
/* The same over the views of another set, which must outlive it. */
mk_status mk_set_beside(mk_kernel_set **out, const mk_kernel_set *set, const mk_kernel_spec *specs,
                        size_t kernel_count, mk_team *team);
void mk_set_free(mk_kernel_set *set);
/* Another width of Gaussian kernel m, before anybody reads bases. */
mk_status mk_set_width(mk_kernel_set *set, size_t m, double width);
/* Some of a set's kernels, by increasing number, normalised as they are there over all its samples
 * (no more are known); `set` must outlive it. */
mk_status mk_set_subset(mk_kernel_set **subset, const mk_kernel_set *set, const int *kernels,
                        size_t count, mk_team *team);
size_t mk_set_samples(const mk_kernel_set *set);
size_t mk_set_kernels(const mk_kernel_set *set);
size_t mk_set_views(const mk_kernel_set *set);
size_t mk_set_view_columns(const mk_kernel_set *set, size_t view);
size_t mk_set_families(const mk_kernel_set *set);
size_t mk_family_of(const mk_kernel_set *set, size_t m);               /* the family of kernel m */
size_t mk_family_size(const mk_kernel_set *set, size_t f);             /* its kernels, ... */
size_t mk_family_member(const mk_kernel_set *set, size_t f, size_t k); /* ... and their numbers */
int mk_family_has_base(const mk_kernel_set *set, size_t f); /* 0: reads its matrices directly */
int mk_family_serial(const mk_kernel_set *set, size_t f);   /* 1: the core's caller only */
/* 1: kernel m is scale * exp(-d / width), not centred. */
int mk_is_plain_gaussian(const mk_kernel_set *set, size_t m, double *width);
double mk_set_scale(const mk_kernel_set *set, size_t m);
size_t mk_set_bytes(const mk_kernel_set *set); /* owned memory */
/* 1 for samples that have what kernel m reads, 0 for others; NULL: all have it. */
const double *mk_set_has(const mk_kernel_set *set, size_t m);
int mk_set_zero_rows(const mk_kernel_set *set, size_t m); /* zero_rows of kernel m */
int mk_set_calls_back(const mk_kernel_set *set); /* 1: on the thread that called the core only */

/* How kernel m is normalised: scale * root_i * root_j * (k - mean_i - mean_j + total).
 * mean and root are copied (n values each) or NULL. MK_BAD_ARGUMENT: roots for a Gaussian that
 * tables mix already. */
mk_status mk_set_normalization(mk_kernel_set *set, size_t m, double scale, const double *mean,
                               double total, const double *root);
const double *mk_set_root(const mk_kernel_set *set, size_t m); /* of kernel m, or NULL */

#endif
