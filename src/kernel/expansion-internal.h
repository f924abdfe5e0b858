/* What the files expansion*.c share; nobody else includes it. */
#ifndef MK_EXPANSION_INTERNAL_H
#define MK_EXPANSION_INTERNAL_H

#include "base/pool.h"
#include "base/sum.h"
#include "exact.h"
#include "expansion.h"
#include "internal.h"

/* ---- exact.c ---- */

/* The same of a sample and others: all that locally linear kernels take besides. */
void mk_pair_values(const mk_kernel_set *set, size_t m, int row, const mk_columns *columns,
                    const double *distance, const double *product, double *out);
/* Centres values between `row` and cols and divides them by their roots; no scale. */
void mk_plain_centre(const mk_member *member, int row, size_t count, const int *cols, double *out);
/* x_i'x_i over the family's features. */
void mk_plain_squares(const mk_family *family, double *out);
/* The largest absolute value of a function kernel so far. */
double mk_exact_largest(const mk_exact *exact);
/* The largest |x|^2 + |z|^2 that distances of sparse samples came from. */
double mk_exact_reach(const mk_exact *exact);
/* What the values of a block come from, row by row MK_EXACT_COLS apart. */
const double *mk_exact_distances(const mk_exact *exact);
const double *mk_exact_products(const mk_exact *exact);

/* ---- tiles.c: distances of many pairs ---- */

/* Samples of a dense family packed for tiles: the rows of every block. */
typedef struct mk_tiles mk_tiles;
/* Columns that one thread meets them with, packed likewise. */
typedef struct mk_tile_strip mk_tile_strip;

#define MK_STRIP_COLS MK_EXACT_COLS
#define MK_STRIP_ROWS 64 /* rows of a block; a multiple of MK_TILE_ROWS */

int mk_tiles_suit(const mk_family *family);
/* `distances`: whether they will be asked for, not only products. */
mk_status mk_tiles_new(mk_tiles **tiles, const mk_kernel_set *set, const mk_family *family,
                       const int *samples, size_t count, int distances, mk_team *team);
void mk_tiles_free(mk_tiles *tiles);
mk_tile_strip *mk_tile_strip_new(const mk_tiles *tiles);
void mk_tile_strip_free(mk_tile_strip *strip);
void mk_tile_strip_pack(const mk_tiles *tiles, mk_tile_strip *strip, const int *samples,
                        size_t count);
/* The largest |x|^2 + |z|^2 of a row and a column: distances are off by roundings of that; 0 where
 * they are sums of squared differences. */
double mk_tiles_reach(const mk_tiles *tiles, const mk_tile_strip *strip);
#define MK_TILES_NEAR 1e-3 /* below this share of it a distance is summed up from differences */
/* Rows first .. first + height (first a multiple of MK_TILE_ROWS) against the strip's columns
 * from `from` on, row by row MK_STRIP_COLS apart; either array may be NULL. */
void mk_tiles_block(const mk_tiles *tiles, mk_tile_strip *strip, size_t first, size_t height,
                    size_t from, double *distance, double *product);

/* ---- pairs.c: blocks of a family's distances and products ---- */

/* One thread's work space. */
typedef struct mk_pair_bench {
  mk_exact *exact;
  mk_tile_strip *strip;
  double *distance, *product; /* MK_STRIP_ROWS x MK_STRIP_COLS */
  mk_columns columns;         /* of the strip at work */
  double reach;               /* the largest of the family's tiles */
} mk_pair_bench;

typedef struct mk_pairs {
  const mk_kernel_set *set;
  size_t f; /* the family at work */
  int distances, products, threads;
  const int *row;       /* the group's samples */
  mk_tiles *tiles;      /* of the group; NULL: blocks come from mk_exact */
  mk_pair_bench *bench; /* one per thread */
  mk_pool pool;
} mk_pairs;

mk_status mk_pairs_new(mk_pairs *pairs, const mk_kernel_set *set, mk_team *team);
void mk_pairs_free(mk_pairs *pairs); /* half-built ones, too */
/* What the next groups are of, and which of both is asked for. */
void mk_pairs_family(mk_pairs *pairs, size_t f, int distances, int products);
mk_status mk_pairs_group(mk_pairs *pairs, const int *row, size_t count, mk_team *team);
/* A thread takes up at most MK_STRIP_COLS columns. */
void mk_pairs_strip(const mk_pairs *pairs, int thread, const int *col, size_t count);
/* The group's rows first .. first + height (first a multiple of MK_TILE_ROWS, at most
 * MK_STRIP_ROWS) against the strip's columns from `from` on, row by row MK_STRIP_COLS apart. */
mk_status mk_pairs_block(const mk_pairs *pairs, int thread, size_t first, size_t height,
                         size_t from, const double **distance, const double **product);
double mk_pairs_reach(const mk_pairs *pairs);   /* as mk_tiles_reach, the family's largest */
double mk_pairs_largest(const mk_pairs *pairs); /* absolute value of function kernels */

/* ---- pieces.c: many Gaussians of one distance ---- */

#define MK_MOST_OCTAVES 48

typedef struct mk_pieces {
  mk_table table; /* of sum_m weight_m exp(-d/w_m) */
  size_t count;
  int octaves;
  double narrowest;
  double *coef;                 /* MK_PIECE_TERMS a piece, ... */
  double *moments;              /* ... of the pairs collected, and ... */
  char filled[MK_MOST_OCTAVES]; /* ... which octaves have any */
  double *centre;               /* distance at a piece's centre */
  mk_pool pool;
} mk_pieces;

#define MK_LEAST_PIECED 4 /* fewer Gaussians are evaluated one by one */

/* The smallest width that pieces for the widest one can serve, too. */
double mk_pieces_least(double widest);
size_t mk_pieces_needed(double narrowest, double widest);
mk_status mk_pieces_new(mk_pieces *pieces, double narrowest, double widest);
void mk_pieces_free(mk_pieces *pieces);
/* coef += the terms of weight * exp(-d/width), MK_PIECE_TERMS a piece. */
void mk_pieces_add(const mk_pieces *pieces, const mk_simd *simd, double width, double weight,
                   double *coef);
/* Adds moments as fine_moments makes them. */
void mk_pieces_collect(mk_pieces *pieces, const double *moments);
/* sum of weight * exp(-d/width) over the pairs collected. */
double mk_pieces_sum(const mk_pieces *pieces, const mk_simd *simd, double width);

/* ---- expansion-direct.c: without pairs ---- */

typedef struct mk_expansion_job {
  mk_expansion *ask;
  const mk_control *control;
  const mk_kernel_set *set;
  double *weight;                   /* M: theta_m scale_m; zeros without theta */
  double *alpha;                    /* n x tasks by sample; zero off the support vectors */
  double *value_units, *form_units; /* M each: roundings that a term of these sums can suffer */
  double largest;                   /* absolute value of function kernels */
  mk_pool pool;
} mk_expansion_job;

/* ---- expansion-units.c, expansion-rounding.c: what rounding may have done ---- */

/* Roundings of a value itself: of kernel m, on a family whose distances are off by roundings of at
 * most `reach` (0: only of their own). */
double mk_value_units(const mk_expansion_job *job, size_t m, double reach);
#define MK_SUM_ROWS 8 /* rows, or columns of a matrix, whose sums are settled together */

/* Bounds for all that goes by pairs, by matrices and by features that others share. */
mk_status mk_expand_rounding(const mk_expansion_job *job);
/* sum_i x_i y_i in parts whose sums are compensated: a term suffers MK_SUM_UNITS roundings. */
double mk_long_dot(const mk_simd *simd, size_t n, const double *x, const double *y);

double mk_alpha_sum(const mk_expansion_job *job, size_t task);

/* A value grows by x. */
static inline void mk_add_value(const mk_expansion *ask, size_t at, double x) {
  mk_add_to(&ask->value[at], &ask->rest[at], x);
}

static inline int mk_is_rooted(const mk_expansion_job *job, size_t m) {
  return !job->ask->raw && job->set->member[m].root != NULL;
}

static inline int mk_wants_form(const mk_expansion_job *job, size_t m) {
  return job->ask->forms != NULL && (job->ask->wanted == NULL || job->ask->wanted[m]);
}

/* Neither its values nor its form are of use. */
static inline int mk_is_idle(const mk_expansion_job *job, size_t m) {
  return job->weight[m] == 0.0 && !mk_wants_form(job, m);
}

/* 1: kernel m enters by explicit feature weights. */
int mk_expands_by_features(const mk_expansion_job *job, size_t m);
mk_status mk_expand_features(const mk_expansion_job *job, const mk_family *family);
mk_status mk_expand_local(const mk_expansion_job *job, const mk_family *family);
mk_status mk_expand_matrices(const mk_expansion_job *job, const mk_family *family);
mk_status mk_expand_function(mk_expansion_job *job, const mk_family *family);
/* Centring of kernels without roots, and the forms' scales, once all families are summed. */
mk_status mk_expand_centring(const mk_expansion_job *job);

/* ---- expansion-small.c: forms alone of few Gaussians on few features ---- */

int mk_small_suits(const mk_expansion_job *job, const mk_family *family);
mk_status mk_expand_small(const mk_expansion_job *job, const size_t *family, size_t count);

/* ---- expansion-pairs.c: pair by pair ---- */

/* The smallest width that goes by pieces, beside the largest; 0 where kernels one by one are
 * cheaper. */
double mk_narrowest_pieced(const mk_expansion_job *job, const mk_family *family, double *widest);
mk_status mk_expand_pairs(mk_expansion_job *job, size_t f, mk_pairs *pairs);

/* ---- expansion-merge.c: the same, equal samples as one ---- */

int mk_merge_suits(const mk_expansion_job *job, const mk_family *family);
mk_status mk_expand_merged(mk_expansion_job *job, size_t f, mk_pairs *pairs);

#endif
