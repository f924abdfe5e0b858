/* What the files of this room share; nobody else includes it. */
#ifndef MK_KERNEL_INTERNAL_H
#define MK_KERNEL_INTERNAL_H

#include "kernel/kernel.h"

typedef enum mk_family_type {
  MK_FAMILY_EUCLIDEAN,
  MK_FAMILY_MATRICES,
  MK_FAMILY_CALLBACK
} mk_family_type;

/* Up to this many features a distance is summed directly and never stored. */
#define MK_FEW_FEATURES 8
#define MK_DEPTH 192     /* features ... */
#define MK_PACK_ROWS 768 /* ... and rows packed at a time */
#define MK_MAX_OCTAVES 40
#define MK_COARSE (MK_COARSE_PIECES * MK_PIECE_TERMS)
#define MK_NODE_TERMS 16 /* nodes that one Gaussian is interpolated from */

typedef struct mk_family {
  mk_family_type type;
  const mk_view *view; /* Euclidean families */
  const int *features; /* NULL: all; owned by the set */
  size_t feature_count;
  size_t count;   /* members */
  int *member;    /* their kernel numbers; owned by the set */
  double *square; /* centred squared norm of each sample, when features are many; owned */
  double
      *raw_half_square; /* half the plain squared norm, when a member needs dot products; owned */
  size_t tabled_count;  /* Gaussian members without roots: mixed through one table */
  int *tabled;          /* their kernel numbers; owned */
  size_t nodes;         /* functions that the tabled members are combinations of ... */
  double *basis;        /* ... on the pieces: nodes x pieces x MK_PIECE_TERMS; owned */
  int *first;           /* by tabled member: the first of its MK_NODE_TERMS nodes ... */
  double *blend;        /* ... and their weights; NULL: each member is a node itself; owned */
  double inv_sigma, u_max;
  int pieces;
  double *coarse_basis; /* the same for rows of floats, nodes x MK_COARSE, or NULL; owned */
  float coarse_max;
  int coarse_bits;
} mk_family;

typedef struct mk_member {
  mk_kernel_spec spec;
  size_t family;
  double scale, total;
  double *mean, *root; /* owned copies or NULL */
  double *diagonal;    /* precomputed: of the matrix, one cache line each there; owned */
  int tabled;          /* position among its family's tabled members, or -1 */
} mk_member;

struct mk_kernel_set {
  size_t n, kernels, families, views;
  size_t matrices; /* the family of precomputed kernels, or families */
  mk_view *view;
  mk_member *member; /* one per kernel */
  mk_family *family;
  int *order;         /* kernel numbers by family: what family.member points into */
  int *tabled;        /* what family.tabled points into */
  int *feature_store; /* what family.features points into */
  const mk_simd *simd;
  size_t deepest; /* most columns of a sparse view */
};

struct mk_scratch {
  double *left;   /* MK_TILE_ROWS-row panels of MK_DEPTH features, MK_PACK_ROWS rows */
  double *right;  /* MK_TILE_COLS-column panels of MK_DEPTH features */
  double *block;  /* MK_BLOCK_ROWS x MK_BLOCK_COLS */
  double *row[3]; /* MK_BLOCK_COLS each */
  double *wide;   /* MK_TILE_ROWS x MK_BLOCK_COLS */
  double *dense;  /* sparse views: MK_TILE_ROWS rows spread out, by columns */
};

/* Chooses the tabled members of a family and expands their nodes on the pieces. */
mk_status mk_table_build(mk_kernel_set *set, mk_family *family);
void mk_table_clear(mk_family *family);
size_t mk_table_bytes(const mk_family *family);
/* The nodes' weights when the k-th tabled member's grows; the k-th member's
 * value when the nodes' values are given. */
void mk_table_spread(const mk_family *family, size_t k, double weight, double *node);
double mk_table_blend(const mk_family *family, size_t k, const double *node);

/* out[c] = normalised value of kernel m between row and columns, from bases;
 * `wide` holds as many values as there are columns. */
void mk_member_values(const mk_kernel_set *set, size_t m, int row, const mk_columns *columns,
                      const double *base, double *out);

static inline size_t mk_family_feature(const mk_family *family, size_t k) {
  return family->features != NULL ? (size_t)family->features[k] : k;
}

#endif
