/* What a kernel set is made of, for the rooms that find its values: kernel/, exact/ and rows/. */
#ifndef MK_STRUCTURE_H
#define MK_STRUCTURE_H

#include "base/pool.h"
#include "base/row.h"
#include "kernel/kind.h"
#include "kernel/set.h"

#define MK_NOT_MANY_FEATURES 40 /* rows of floats are cheaper to make than to keep */

/* ---- families ---- */

typedef struct mk_family {
  mk_family_type type;
  const mk_view *view; /* Euclidean families */
  const int *features; /* NULL: all; owned by the set */
  size_t feature_count;
  size_t count;                    /* members */
  int *member;                     /* their kernel numbers; owned by the set */
  int products;                    /* 1: a member is a function of inner products */
  int normed;                      /* 1: norms are there, since somebody reads bases */
  double *square;                  /* centred squared norm of each sample, of many features */
  double *raw_half_square;         /* half the plain squared norm, with products */
  double *plain_square;            /* the plain squared norm, where a kind takes squares */
  struct mk_family_tables *tables; /* of Gaussians (rows/table.h); NULL: none */
  struct mk_geometry *geometry;    /* NULL: not wide, or nobody has asked; owned */
  int borrowed;                    /* 1: ... by another set */
  int settled;                     /* 1: somebody has; 2: with memory to spare, too */
  struct mk_local *local;          /* NULL: no locally linear kernels */
  mk_pool pool;                    /* of what the family owns */
} mk_family;

typedef struct mk_member {
  mk_kernel_spec spec;
  const mk_kind *kind;
  size_t family;
  double scale, total;
  double *mean, *root; /* owned copies or NULL */
  double *diagonal;    /* of a matrix, where each is a cache line of its own; or of a function: its
                        * last value is NaN until it is known */
  double *value;       /* n x n of a function, NaN until asked for; NULL: not kept */
  int value_lent;      /* 1: another set's */
  int tabled;          /* position among its family's tabled members, or -1 */
  int slot;            /* position among its family's locally linear ones, or -1 */
  int centred;         /* feature blocks: columns less the family's shift */
  int rooted;          /* will be scaled by sample: no feature block */
} mk_member;

/* The family of feature blocks; see features.h for column ids. */
typedef struct mk_features {
  size_t count;          /* kernels */
  const int *member;     /* their numbers */
  size_t *start;         /* count + 1 offsets into ... */
  int *column;           /* ... the columns of each kernel, numbers in its view */
  int *view;             /* ids: which view each is a column of */
  size_t ids, *from;     /* all column ids; views + 1: where each view begins */
  size_t used_count;     /* columns that kernels read, ... */
  int *used;             /* ... increasing */
  double *mean, *spread; /* ids: mean of the column, its sum of squares about that, ... */
  double *most;          /* ... and its largest distance from it */
  double *shift;         /* ids: what centred kernels take off; NULL when there are none */
} mk_features;

struct mk_kernel_set {
  size_t n, kernels, families, views;
  size_t matrices; /* the family of precomputed kernels, or families */
  mk_view *view;
  mk_member *member; /* one per kernel */
  mk_family *family;
  int *order;            /* kernel numbers by family: what family.member points into */
  mk_features *features; /* NULL: no feature blocks */
  const mk_simd *simd;
  size_t deepest;         /* most columns of a sparse view */
  size_t slots;           /* most numbers by sample that locally linear kernels of a family have */
  size_t lent;            /* so many views at the beginning are another set's */
  mk_pool pool, grouping; /* grouping: of the families and their features */
};

/* Norms of samples, for those who read bases. They ask first, on the thread that called the core;
 * sets that are asked for exact values alone do without. */
mk_status mk_norms_need(const mk_kernel_set *set);
/* |x|^2 of all samples, for kinds that take it. */
mk_status mk_squares_build(const mk_kernel_set *set, mk_family *family);

void mk_geometry_free(mk_family *family);
size_t mk_geometry_bytes(const mk_family *family);

/* A precomputed kernel's values between `row` and the samples `from`, from + 1, ... */
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

/* The view of a column id, and which of its columns it is. */
static inline const mk_view *mk_column_view(const mk_kernel_set *set, size_t id, size_t *j) {
  int v = set->features->view[id];
  *j = id - set->features->from[v];
  return &set->view[v];
}

static inline size_t mk_family_feature(const mk_family *family, size_t k) {
  return family->features != NULL ? (size_t)family->features[k] : k;
}

/* 1: the family reads this column of a sparse view. k: where in its features the last one was. */
static inline int mk_family_reads(const mk_family *family, int column, size_t *k) {
  if (family->features == NULL) return 1;
  while (*k < family->feature_count && family->features[*k] < column) ++*k;
  return *k < family->feature_count && family->features[*k] == column;
}

/* k_m between a sample and others as defined, from its parts. */
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
