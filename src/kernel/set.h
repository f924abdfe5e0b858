/* A kernel set holds M kernels over the same n samples, grouped into families whose members share
 * work: kernels that are functions of distances and inner products on the same features share one
 * base, precomputed matrices are read in place, each function of the caller is a family of its own,
 * and linear kernels on features of their own are weighted columns (features.h). Componentwise
 * locally linear kernels are linear kernels on columns that the set makes (local-columns.c).
 * Optimisers get bases, mixtures and sums from rows/, certificates get values from exact/.
 *
 * Words have one meaning here and in the rooms above:
 *   sample   a row of the data, a point; a block of values lies between samples and other samples;
 *   column   a column of a view, all its samples' values; its id is its place among those of all
 *            views;
 *   feature  a column as a kernel reads it, by its number in the kernel's view;
 *   base     the values from which those of a family's kernels follow, whatever their parameters:
 *            squared distances, or a function's values;
 *   pair     two samples; the pairs of a family are its distances and inner products. */
#ifndef MK_SET_H
#define MK_SET_H

#include "base/control.h"
#include "kernel/local-map.h"
#include "kernel/view.h"

#include <stddef.h>

/* Places in the table of kinds (kinds.c), named where C code needs them. */
typedef enum mk_kernel_type {
  MK_LINEAR = 1,
  MK_POLYNOMIAL,
  MK_GAUSSIAN,
  MK_PRECOMPUTED,
  MK_FUNCTION,
  MK_LOCALLY_LINEAR,
  MK_TANIMOTO /* <x,z> / (|x|^2 + |z|^2 - <x,z>); 1 between samples that are 0 */
} mk_kernel_type;

/* Fills out (row_count x col_count, by columns) with kernel values between these samples. Returns 0
 * on success. */
typedef int (*mk_kernel_function)(void *data, const int *rows, size_t row_count, const int *cols,
                                  size_t col_count, double *out);

/* Computes out[i] = sum_j weight_j k(support_j, sample_i) in double precision. */
typedef mk_status (*mk_kernel_expansion)(void *data, const int *support, size_t support_count,
                                         const double *weight, const int *sample, size_t count,
                                         const mk_control *control, double *out);

/* A kernel as the caller describes it. */
typedef struct mk_kernel_spec {
  mk_kernel_type type;
  int view;            /* index of its view; -1 for none */
  const int *features; /* increasing column indices; NULL for all */
  size_t feature_count;
  double width;                 /* Gaussian: exp(-d/width) */
  double degree, scale, offset; /* polynomial: (scale <x,z> + offset)^degree */
  const void *matrix;           /* precomputed: n x n, symmetric; doubles, or floats if `single` */
  int single;                   /* precomputed: 1 if `matrix` holds floats */
  mk_kernel_function function;
  void *function_data;
  /* 1 if any thread may call the function; 0 if only the thread that called the core may */
  int thread_safe;
  /* function: 1 if values may overflow, as those of other kernels; 0: such a value is an error */
  int may_overflow;
  mk_kernel_expansion expand; /* quicker sums than by the function; NULL: none */
  /* roundings of a term in `expand`, in addition to one per support vector */
  double expand_units;
  /* function: roundings of a value, in units of a number that no value exceeds; 0: values are
   * taken as they are */
  double value_units, magnitude;
  /* locally linear: <phi(x), phi(z)>, phi(x) = h(x) (x - anchor) */
  mk_local_map map;
  double gamma;
  int componentwise;    /* 1 if h applies to each component by itself */
  int zero_rows;        /* 1 if samples of zero length stay 0 in spherical scaling */
  const double *anchor; /* locally linear: as many values as features */
} mk_kernel_spec;

typedef struct mk_kernel_set mk_kernel_set;

/* ---- the set ---- */

/* Builds a set. The set takes over the views' owned parts; the caller's arrays must outlive the
 * set. */
mk_status mk_set_new(mk_kernel_set **set, size_t n, const mk_view *views, size_t view_count,
                     const mk_kernel_spec *specs, size_t kernel_count, mk_team *team);
/* Builds a set over the views of another set, which must outlive it. */
mk_status mk_set_beside(mk_kernel_set **out, const mk_kernel_set *set, const mk_kernel_spec *specs,
                        size_t kernel_count, mk_team *team);
void mk_set_free(mk_kernel_set *set);
/* Sets another width of Gaussian kernel m. Widths must be set before any bases are made. */
mk_status mk_set_width(mk_kernel_set *set, size_t m, double width);
/* Builds a set of some kernels of another set, by increasing number, with their normalisation. All
 * samples count as known. `set` must outlive it. */
mk_status mk_set_subset(mk_kernel_set **subset, const mk_kernel_set *set, const int *kernels,
                        size_t count, mk_team *team);
/* Returns 1 if all kernels are functions of pairs of samples on few dense features, or linear, and
 * not all are linear. Computing values anew then costs about as much as reading them. */
int mk_set_has_quick_pairs(const mk_kernel_set *set);
size_t mk_set_samples(const mk_kernel_set *set);
size_t mk_set_kernels(const mk_kernel_set *set);
size_t mk_set_views(const mk_kernel_set *set);
size_t mk_set_view_columns(const mk_kernel_set *set, size_t view);
size_t mk_set_families(const mk_kernel_set *set);
size_t mk_family_of(const mk_kernel_set *set, size_t m); /* family of kernel m */
/* number of kernels in family f */
size_t mk_family_size(const mk_kernel_set *set, size_t f);
/* number of the k-th kernel in family f */
size_t mk_family_member(const mk_kernel_set *set, size_t f, size_t k);
/* 0 if the family's matrices are read directly */
int mk_family_has_base(const mk_kernel_set *set, size_t f);
/* 1 if only the thread that called the core may evaluate the family */
int mk_family_serial(const mk_kernel_set *set, size_t f);
/* Returns 1 if kernel m is scale * exp(-d / width), without centring. */
int mk_is_plain_gaussian(const mk_kernel_set *set, size_t m, double *width);
size_t mk_set_bytes(const mk_kernel_set *set); /* memory that the set owns */
/* 1 if any function must be called on the thread that called the core */
int mk_set_calls_back(const mk_kernel_set *set);

/* Takes the kernels with `rooted` out of the feature blocks, since spherical scaling is by sample.
 * Callers do this before any normalisation is installed. */
mk_status mk_set_separate(mk_kernel_set *set, const int *rooted, mk_team *team);

#endif
