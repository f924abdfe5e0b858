/* A kind of kernel: a row of the table in kinds.c. Code that depends on the kind of a kernel reads
 * the fields of its row and never compares its number. Three kinds have a field of their own, since
 * rows and sums treat them in their own way. */
#ifndef MK_KIND_H
#define MK_KIND_H

#include "base/simd.h"
#include "kernel/samples.h"
#include "kernel/set.h"

/* Base values that the values of a family's kernels follow from: distances and inner products of
 * samples, a matrix, a function, or the columns of a view. */
typedef enum mk_family_type {
  MK_FAMILY_EUCLIDEAN,
  MK_FAMILY_MATRICES,
  MK_FAMILY_CALLBACK,
  MK_FAMILY_FEATURES /* at most one such family, the last: see features.h */
} mk_family_type;

/* The parts from which values of kernel m between a sample and others are computed. */
typedef struct mk_value_parts {
  const mk_kernel_set *set;
  size_t m;
  const mk_kernel_spec *spec;
  const mk_simd *simd;
  int row;
  const mk_samples *others;
  const double *distance; /* squared distances */
  /* inner products, or values of a function; may be the same memory as the values */
  const double *product;
  const double *square; /* |x|^2 of all samples, for kinds with `squares` */
} mk_value_parts;

/* Roundings of the parts of a value, in units of MK_UNIT. Roundings of many terms add up by their
 * squares. */
typedef struct mk_part_roundings {
  double units; /* roundings that a value suffers later */
  double depth; /* number of products in an inner product */
  double reach; /* distances have roundings of values up to this; 0: of the distances only */
  /* 1 if distances below MK_NEAR_SHARE of |x|^2 + |z|^2 have roundings of their own size only */
  int near;
} mk_part_roundings;

typedef struct mk_kind {
  const char *name;         /* name in models; R's constructor is called name_kernel() */
  const char *parameter[3]; /* names of its parameters, in the order of `read` */
  mk_family_type base;
  int distances, products, squares; /* 1 if values need these parts */
  int unit_diagonal;                /* 1: k(x, x) = 1 */
  /* 1 for kinds that rows and sums treat in their own way: <x, z>, exp(-d / width), locally
   * linear */
  int linear, gaussian, local;
  /* Returns 1 if the parameters are in their ranges; NULL: there are no parameters. `view` is NULL
   * for kinds without data. */
  int (*valid)(const mk_kernel_spec *spec, const mk_view *view);
  void (*read)(mk_kernel_spec *spec, const double *parameter);
  /* Computes k as defined, for certificates and for optimisers, each from parts of their own. */
  void (*values)(const mk_value_parts *parts, double *out);
  /* Turns |x|^2 of n samples into k(x, x), in place; NULL: they are equal. */
  void (*diagonal)(const mk_kernel_spec *spec, const mk_simd *simd, size_t n, double *value);
  /* Returns the magnitude of a sample with squared norm `square`: |k(x, z)|, and whatever cancels
   * on the way to it, is at most the product of the magnitudes of x and z. NULL: 1. */
  double (*magnitude)(const mk_kernel_spec *spec, double square);
  /* Returns the roundings of a value, in units of the product of both magnitudes. NULL: `units` of
   * the parts. */
  double (*units)(const mk_kernel_spec *spec, const mk_part_roundings *parts);
} mk_kind;

#endif
