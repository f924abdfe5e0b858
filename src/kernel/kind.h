/* What a kind of kernel is: a row of the table in kinds.c. Whoever treats kernels by their kind
 * asks the row, not which kind it is. */
#ifndef MK_KIND_H
#define MK_KIND_H

#include "base/simd.h"
#include "kernel/samples.h"
#include "kernel/set.h"

/* What the values of a family's kernels follow from: distances and inner products of samples, a
 * matrix, a function, or the columns of a view. */
typedef enum mk_family_type {
  MK_FAMILY_EUCLIDEAN,
  MK_FAMILY_MATRICES,
  MK_FAMILY_CALLBACK,
  MK_FAMILY_FEATURES /* at most one, the last: see features.h */
} mk_family_type;

/* What values of kernel m between a sample and others follow from. */
typedef struct mk_value_parts {
  const mk_kernel_set *set;
  size_t m;
  const mk_kernel_spec *spec;
  const mk_simd *simd;
  int row;
  const mk_samples *others;
  const double *distance; /* squared distances */
  const double *product;  /* inner products, or a function's values; may be where values go */
  const double *square;   /* |x|^2 of all samples, for kinds that take it */
} mk_value_parts;

/* The roundings of such parts, in units of MK_UNIT; those of many terms add up by their squares. */
typedef struct mk_part_roundings {
  double units; /* of all that happens to a value later */
  double depth; /* products of an inner product */
  double reach; /* distances are off by roundings of at most this; 0: only of their own */
  int near;     /* 1: distances below MK_NEAR_SHARE of |x|^2 + |z|^2 are off by their own alone */
} mk_part_roundings;

typedef struct mk_kind {
  const char *name;         /* in models; R's constructor is called name_kernel() */
  const char *parameter[3]; /* names of its numbers, in the order of `read` */
  mk_family_type base;
  int distances, products, squares; /* 1: values take these parts */
  int unit_diagonal;                /* 1: k(x, x) = 1 */
  /* Kinds that rows and sums have quicker ways for: <x, z>, exp(-d / width), locally linear. */
  int linear, gaussian, local;
  /* 1: the parameters are in their ranges; NULL: there are none. The view is NULL for kinds that
   * read none. */
  int (*valid)(const mk_kernel_spec *spec, const mk_view *view);
  void (*read)(mk_kernel_spec *spec, const double *parameter);
  /* k as defined, for certificates and for optimisers, whose parts are their own. */
  void (*values)(const mk_value_parts *parts, double *out);
  /* |x|^2 of n samples to k(x, x), in place; NULL: they are the same. */
  void (*diagonal)(const mk_kernel_spec *spec, const mk_simd *simd, size_t n, double *value);
  /* |k(x, z)|, and what cancels on the way to it, is at most the product of the magnitudes of x and
   * z; by |x|^2. NULL: 1. */
  double (*magnitude)(const mk_kernel_spec *spec, double square);
  /* Roundings of a value, in units of that product; NULL: no more than those to come. */
  double (*units)(const mk_kernel_spec *spec, const mk_part_roundings *parts);
} mk_kind;

#endif
