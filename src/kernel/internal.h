/* What the files of this room share; nobody else includes it. */
#ifndef MK_KERNEL_INTERNAL_H
#define MK_KERNEL_INTERNAL_H

#include "base/pool.h"
#include "kernel/kernel.h"

typedef enum mk_family_type {
  MK_FAMILY_EUCLIDEAN,
  MK_FAMILY_MATRICES,
  MK_FAMILY_CALLBACK,
  MK_FAMILY_FEATURES /* at most one, the last: see features.h */
} mk_family_type;

#define MK_NOT_MANY_FEATURES 40 /* rows of floats are cheaper to make than to keep */
#define MK_DEPTH 192            /* features ... */
#define MK_PACK_ROWS 768        /* ... and rows packed at a time */
#define MK_PANEL_DEPTH 64       /* columns of feature blocks packed at a time */
#define MK_MAX_OCTAVES 40

/* The locally linear kernels of a family, in "slots" by order of its members: with h_i = h(x_i) and
 * u_i = h_i |x_i - c|^2 / 2 the kernel is h_i u_j + u_i h_j - h_i h_j d_ij / 2. */
typedef struct mk_local {
  size_t count, padded; /* slots; from one sample's values to the next one's */
  int *member;          /* kernel numbers */
  double *h, *u;        /* n x padded by samples, zero beyond the slots */
} mk_local;

/* All pairs of samples of a wide family, in double precision; see geometry.c. */
typedef struct mk_geometry {
  double *distance; /* n x n: squared distances */
  double *product;  /* n x n: inner products of samples less their mean; NULL: no kernel asks */
  double *square;   /* n: squared norms of these */
  double *shift;    /* n: x'z = product + shift of x + shift of z */
  int serve_linear; /* 0: the mean is so far from 0 that linear kernels would lose digits */
} mk_geometry;

typedef struct mk_family {
  mk_family_type type;
  const mk_view *view; /* Euclidean families */
  const int *features; /* NULL: all; owned by the set */
  size_t feature_count;
  size_t count;            /* members */
  int *member;             /* their kernel numbers; owned by the set */
  int products;            /* 1: a member is a function of inner products */
  int normed;              /* 1: norms are there, since somebody reads bases */
  double *square;          /* centred squared norm of each sample, when features are many */
  double *raw_half_square; /* half the plain squared norm, with products */
  size_t tabled_count;     /* Gaussian members without roots: mixed through one table */
  int *tabled;             /* their kernel numbers */
  size_t tables;           /* Gaussians on the pieces: the members, or a few that make these */
  double *table_width;     /* tables: their widths */
  double *basis;           /* tables x pieces x MK_PIECE_TERMS, or NULL */
  double *share;           /* members x tables: what each takes of each; NULL: just its own */
  double inv_sigma, u_max;
  int pieces;
  mk_geometry *geometry; /* NULL: not wide, or nobody has asked; owned */
  int borrowed;          /* 1: ... by another set */
  int settled;           /* 1: somebody has; 2: with memory to spare, too */
  mk_local *local;       /* NULL: no locally linear kernels */
  mk_pool pool;          /* of what the family owns */
} mk_family;

typedef struct mk_member {
  mk_kernel_spec spec;
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

/* The family of feature blocks; see features.h for slots. */
typedef struct mk_features {
  size_t count;          /* kernels */
  const int *member;     /* their numbers */
  size_t *start;         /* count + 1 offsets into ... */
  int *column;           /* ... the columns of each kernel, numbers in its view */
  int *view;             /* slots: which view each is a column of */
  size_t slots, *from;   /* all slots; views + 1: where each view begins */
  size_t used_count;     /* slots that kernels read, ... */
  int *used;             /* ... increasing */
  double *mean, *spread; /* slots: mean of the column, its sum of squares about that, ... */
  double *most;          /* ... and its largest distance from it */
  double *shift;         /* slots: what centred kernels take off; NULL when there are none */
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

struct mk_bases {
  const mk_kernel_set *set;
  int single;
  mk_row *centred; /* by view: rows of centred values, where a family asks for tiles */
};

struct mk_packed {
  const mk_kernel_set *set;
  int *sample;
  size_t count, apart; /* samples; from one feature's values to the next one's */
  mk_row *view;        /* by view: features x apart; at = NULL: not few */
  mk_pool pool;
};

struct mk_scratch {
  mk_pool memory; /* of all below */
  double *left;   /* MK_TILE_ROWS-row panels of MK_DEPTH features, MK_PACK_ROWS rows */
  double *right;  /* MK_TILE_COLS-column panels of MK_DEPTH features */
  double *block;  /* MK_BLOCK_ROWS x MK_BLOCK_COLS */
  double *row[3]; /* MK_BLOCK_COLS each */
  double *wide;   /* MK_TILE_ROWS x MK_BLOCK_COLS */
  double *panels; /* feature blocks: MK_BLOCK_COLS samples, MK_PANEL_DEPTH columns; or NULL */
  double *dense;  /* sparse views: MK_TILE_ROWS rows spread out, by columns */
  double *local;  /* MK_LOCAL_ROWS rows of the set's slots */
};

/* Norms of samples, for those who read bases, and tables of Gaussians, for those who mix and sum
 * these. They ask first, on the thread that called the core; sets that are asked for exact values
 * alone do without. */
mk_status mk_norms_need(const mk_kernel_set *set);
mk_status mk_table_need(const mk_kernel_set *set);
/* The weights of a family's tables in a mixture of kernels with the given weights. */
void mk_table_weights(const mk_kernel_set *set, const mk_family *family, const double *weight,
                      double *out);
/* Gives a table of doubles its coarse one in `out`, MK_PIECE_TERMS x MK_COARSE_PIECES, unless
 * distances span too many octaves. */
void mk_table_coarsen(const mk_kernel_set *set, mk_table *table, float *out);

/* Makes the geometry of wide families when first asked for, on the thread that called the core.
 * Whoever is to visit most pairs of samples asks; from then on all read it. */
mk_status mk_geometry_need(const mk_kernel_set *set, const mk_control *control);
void mk_geometry_free(mk_family *family);
size_t mk_geometry_bytes(const mk_family *family);

/* ---- locally linear kernels (local.c) ---- */

#define MK_LOCAL_ROWS 3
mk_status mk_local_build(mk_kernel_set *set, mk_family *family, mk_team *team);
/* out[c] = k_m between row and columns, unnormalised, from squared distances. */
void mk_local_plain(const mk_kernel_set *set, size_t m, int row, const mk_columns *columns,
                    const double *base, double *out);
/* Those of a family that have weights, side by side at a mixture's precision. */
typedef struct mk_local_mix {
  size_t padded;  /* from one sample's values to the next one's; 0: none has a weight */
  double *weight; /* room for all slots */
  mk_row h, u;    /* n x padded, room for all slots */
} mk_local_mix;
mk_status mk_local_mix_new(mk_local_mix *mix, const mk_kernel_set *set, const mk_local *local,
                           int single, mk_pool *pool);
/* weight: by kernel; those with roots take no part. */
void mk_local_mix_fill(mk_local_mix *mix, const mk_kernel_set *set, const mk_local *local,
                       const double *weight);
/* out[c] += sum of weight times kernel, base and out of the mix's precision. */
void mk_local_add(const mk_kernel_set *set, const mk_local_mix *mix, int row,
                  const mk_columns *columns, mk_row base, mk_row out, mk_scratch *scratch);
/* 1: it is summed with all others of its family at once. */
static inline int mk_goes_by_slot(const mk_member *member) {
  return member->slot >= 0 && member->root == NULL;
}
/* Sums over columns of weight times kernel, by slot: in row 0 of scratch->local, until it is used
 * again. */
void mk_local_sums(const mk_kernel_set *set, const mk_local *local, int row,
                   const mk_columns *columns, mk_row base, const double *weight,
                   mk_scratch *scratch);
/* Kernels that go component by component become linear ones on views of their own; before
 * families are formed (local-columns.c). */
mk_status mk_local_columns(mk_kernel_set *set, size_t given_views);

/* Makes the feature blocks of the kernels in `member`, whose specs are valid. */
mk_status mk_features_new(mk_kernel_set *set, const int *member, size_t count, mk_team *team);
/* Values of a feature block between a sample and others, centred where it is, unscaled. */
void mk_exact_feature_row(const mk_kernel_set *set, size_t m, int row, const int *cols,
                          size_t count, double *out);
/* 0: the chosen kernels are so few and wide that their bases cost less. */
int mk_features_worthwhile(const mk_kernel_set *set, const char *chosen);

/* A precomputed kernel's values between `row` and the samples `from`, from + 1, ... */
static inline mk_row mk_matrix_row(const mk_kernel_set *set, const mk_kernel_spec *spec, size_t row,
                                   size_t from) {
  return mk_row_from((mk_row){(void *)spec->matrix, spec->single}, row * set->n + from);
}

/* What exact values follow from, or both. A function's values go where products do. */
static inline int mk_takes_distances(const mk_kernel_spec *spec) {
  return spec->type == MK_GAUSSIAN || spec->type == MK_LOCALLY_LINEAR || spec->type == MK_TANIMOTO;
}
static inline int mk_takes_products(const mk_kernel_spec *spec) {
  return spec->type != MK_GAUSSIAN && spec->type != MK_LOCALLY_LINEAR;
}

/* Samples of a block of values. */
typedef struct mk_block {
  const int *rows, *cols;
  size_t row_count, col_count;
} mk_block;

/* Values of function m, column by column. */
mk_status mk_function_values(const mk_kernel_set *set, size_t m, const mk_block *block,
                             double *out);
/* The diagonal of function m, or of all functions of a set, is known afterwards. control: NULL for
 * callers without a fit to return at a limit. */
mk_status mk_function_diagonal(const mk_kernel_set *set, size_t m, const mk_control *control);
mk_status mk_function_diagonals(const mk_kernel_set *set);

/* 1: k(x, x) = 1. */
static inline int mk_has_unit_diagonal(const mk_kernel_spec *spec) {
  return spec->type == MK_GAUSSIAN || spec->type == MK_TANIMOTO;
}

static inline size_t mk_member_columns(const mk_kernel_set *set, size_t m) {
  const mk_kernel_spec *spec = &set->member[m].spec;
  return spec->features != NULL ? spec->feature_count : set->view[spec->view].cols;
}

static inline size_t mk_member_column(const mk_kernel_set *set, size_t m, size_t k) {
  const int *features = set->member[m].spec.features;
  return features != NULL ? (size_t)features[k] : k;
}

/* The view of a slot, and which of its columns it is. */
static inline const mk_view *mk_slot_view(const mk_kernel_set *set, size_t slot, size_t *j) {
  int v = set->features->view[slot];
  *j = slot - set->features->from[v];
  return &set->view[v];
}

static inline size_t mk_family_feature(const mk_family *family, size_t k) {
  return family->features != NULL ? (size_t)family->features[k] : k;
}

#endif
