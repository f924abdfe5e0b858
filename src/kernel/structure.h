/* The structure of a kernel set, for the rooms that compute its values: kernel/, exact/, low-rank/
 * and rows/. */
#ifndef MK_STRUCTURE_H
#define MK_STRUCTURE_H

#include "base/pool.h"
#include "base/row.h"
#include "base/simd.h"
#include "kernel/kind.h"
#include "kernel/set.h"

#include <stdbool.h>

/* with fewer features, rows of floats are quicker to make than to read */
#define MK_NOT_MANY_FEATURES MK_MOST_DIFFERENCES

/* ---- families ---- */

typedef struct mk_family {
  mk_family_type type;
  const mk_view *view; /* Euclidean families: their view */
  const int *features; /* NULL: all features; owned by the set */
  size_t feature_count;
  size_t count; /* number of members */
  int *member;  /* kernel numbers of the members; owned by the set */
  int products; /* 1 if a member is a function of inner products */
  int normed;   /* 1 if norms are computed, because bases are needed */
  /* centred squared norm of each sample, for families of many features */
  double *square;
  double *raw_half_square;         /* half the plain squared norm, for `products` */
  double *plain_square;            /* plain squared norm, for kinds with `squares` */
  struct mk_family_tables *tables; /* tables of Gaussians (rows/table.h); NULL: none */
  struct mk_geometry *geometry;    /* pairs of wide families; NULL: not wide, or not needed yet */
  int borrowed;                    /* 1 if `geometry` belongs to another set */
  /* 1 if mk_geometry_need() has decided about pairs; 2 if with spare memory, too */
  int settled;
  struct mk_local *local; /* NULL: no locally linear kernels */
  mk_pool pool;           /* owns the family's vectors */
} mk_family;

typedef struct mk_member {
  mk_kernel_spec spec;
  const mk_kind *kind;
  size_t family;
  double scale, total;
  double *mean, *root; /* owned copies, or NULL */
  /* diagonal of a matrix (a copy, since its values lie in as many cache lines) or of a function
   * (its last value is NaN until it is computed) */
  double *diagonal;
  double *value;  /* n x n values of a function, NaN until computed; NULL: not stored */
  int value_lent; /* 1 if `value` belongs to another set */
  int tabled;     /* place among its family's tabled members, or -1 */
  int slot;       /* place among its family's locally linear kernels, or -1 */
  int centred;    /* feature block: 1 if its columns are centred by the shift */
  int rooted;     /* 1 if it will be scaled by sample, so must not be a feature block */
} mk_member;

/* The family of feature blocks; see features.h for column ids. */
typedef struct mk_features {
  size_t count;          /* number of kernels */
  const int *member;     /* kernel numbers */
  size_t *start;         /* count + 1: offsets into `column` */
  int *column;           /* columns of each kernel, by number in its view */
  int *view;             /* ids: view of each column */
  size_t ids, *from;     /* number of column ids; views + 1: first id of each view */
  size_t used_count;     /* number of columns that kernels read */
  int *used;             /* their ids, increasing */
  double *mean, *spread; /* ids: mean of the column, and sum of squares about it */
  double *most;          /* ids: largest distance from the mean */
  double *shift;         /* ids: what centred kernels subtract; NULL if there are none */
} mk_features;

struct mk_kernel_set {
  size_t n, kernels, families, views;
  size_t matrices; /* number of the family of precomputed kernels; `families` if there is none */
  mk_view *view;
  mk_member *member; /* one per kernel */
  mk_family *family;
  int *order;            /* kernel numbers by family; family.member points into it */
  mk_features *features; /* NULL: no feature blocks */
  const mk_simd *simd;
  size_t deepest;         /* largest number of columns of a sparse view */
  size_t slots;           /* largest number of slots of a family's locally linear kernels */
  size_t lent;            /* number of views, the first ones, that belong to another set */
  mk_pool pool, grouping; /* grouping: owns the families and their features */
};

/* ---- kinds ---- */

/* Files ask here what a family or a kernel is, so that few depend on the types and fields of
 * kind.h; dev/rooms.sh lists those that do. Rooms that don't see the structure call
 * mk_family_explicit() and mk_is_linear(). */
static inline bool mk_family_is_euclidean(const mk_family *family) {
  return family->type == MK_FAMILY_EUCLIDEAN;
}
static inline bool mk_family_is_dense(const mk_family *family) {
  return mk_family_is_euclidean(family) && family->view->x != NULL;
}
static inline bool mk_family_is_sparse(const mk_family *family) {
  return mk_family_is_euclidean(family) && family->view->x == NULL;
}
static inline bool mk_family_is_function(const mk_family *family) {
  return family->type == MK_FAMILY_CALLBACK;
}
static inline bool mk_family_has_matrices(const mk_family *family) {
  return family->type == MK_FAMILY_MATRICES;
}
static inline bool mk_family_has_blocks(const mk_family *family) {
  return family->type == MK_FAMILY_FEATURES;
}

/* Returns 1 if kernel m is a feature block. */
static inline bool mk_is_block(const mk_kernel_set *set, size_t m) {
  return mk_family_has_blocks(&set->family[set->member[m].family]);
}
static inline int mk_member_is_linear(const mk_member *member) {
  return member->kind->linear;
}
static inline int mk_member_is_local(const mk_member *member) {
  return member->kind->local;
}
static inline int mk_member_is_gaussian(const mk_member *member) {
  return member->kind->gaussian;
}
/* Returns 1 if values are exponentials of distances, not divided by roots. */
static inline int mk_member_is_exponential(const mk_member *member) {
  return member->kind->gaussian && member->root == NULL;
}
static inline int mk_member_is_function(const mk_member *member) {
  return member->kind->base == MK_FAMILY_CALLBACK;
}
/* Returns 1 for matrices and functions, whose values the caller gives. */
static inline int mk_member_is_given(const mk_member *member) {
  return member->kind->base != MK_FAMILY_EUCLIDEAN;
}
static inline int mk_member_is_matrix(const mk_member *member) {
  return member->kind->base == MK_FAMILY_MATRICES;
}

/* ---- parts ---- */

/* Returns the values of a precomputed kernel between `row` and samples from, from + 1, ... */
static inline mk_row mk_matrix_row(const mk_kernel_set *set, const mk_kernel_spec *spec, size_t row,
                                   size_t from) {
  return mk_row_from((mk_row){(void *)spec->matrix, spec->single}, row * set->n + from);
}

static inline size_t mk_member_columns(const mk_kernel_set *set, size_t m) {
  const mk_kernel_spec *spec = &set->member[m].spec;
  return spec->features != NULL ? spec->feature_count : set->view[spec->view].cols;
}

static inline size_t mk_member_column(const mk_kernel_set *set, size_t m, size_t k) {
  const int *features = set->member[m].spec.features;
  return features != NULL ? (size_t)features[k] : k;
}

/* Returns the view of a column id, and *j, its number in the view. */
static inline const mk_view *mk_column_view(const mk_kernel_set *set, size_t id, size_t *j) {
  int v = set->features->view[id];
  *j = id - set->features->from[v];
  return &set->view[v];
}

static inline size_t mk_family_feature(const mk_family *family, size_t k) {
  return family->features != NULL ? (size_t)family->features[k] : k;
}

/* Returns 1 if the family reads this column of a sparse view. *k is the place of the last such
 * column among the family's features. */
static inline int mk_family_reads(const mk_family *family, int column, size_t *k) {
  if (family->features == NULL) return 1;
  while (*k < family->feature_count && family->features[*k] < column) ++*k;
  return *k < family->feature_count && family->features[*k] == column;
}

/* Computes k_m between a sample and others as defined, from its parts. */
static inline void mk_plain_values(const mk_kernel_set *set, size_t m, int row,
                                   const mk_samples *others, const double *distance,
                                   const double *product, double *out) {
  const mk_member *member = &set->member[m];
  mk_value_parts parts = {set,       m,       &member->spec,
                          set->simd, row,     others,
                          distance,  product, set->family[member->family].plain_square};
  member->kind->values(&parts, out);
}

#endif
