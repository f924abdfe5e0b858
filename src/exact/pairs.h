/* Blocks of a family's distances and products. */
#ifndef MK_PAIRS_H
#define MK_PAIRS_H

#include "base/pool.h"
#include "exact/tiles.h"

/* One thread's work space. */
typedef struct mk_pair_bench {
  mk_exact *exact;
  mk_tile_strip *strip;
  double *distance, *product; /* MK_STRIP_ROWS x MK_STRIP_COLS */
  mk_samples others;          /* the present strip's samples */
  double reach;               /* largest reach of the family's tiles */
} mk_pair_bench;

typedef struct mk_pairs {
  const mk_kernel_set *set;
  size_t f; /* number of the present family */
  int distances, products, threads;
  const int *row;       /* the group's samples */
  mk_tiles *tiles;      /* the group's tiles; NULL: blocks come from mk_exact */
  mk_pair_bench *bench; /* one per thread */
  mk_pool pool;
} mk_pairs;

mk_status mk_pairs_new(mk_pairs *pairs, const mk_kernel_set *set, mk_team *team);
void mk_pairs_free(mk_pairs *pairs); /* accepts half-built pairs */
/* Chooses the family of the next groups, and whether distances and products are wanted. */
void mk_pairs_family(mk_pairs *pairs, size_t f, int distances, int products);
mk_status mk_pairs_group(mk_pairs *pairs, const int *row, size_t count, mk_team *team);
/* Sets a thread's strip of at most MK_STRIP_COLS columns. */
void mk_pairs_strip(const mk_pairs *pairs, int thread, const int *col, size_t count);
/* Computes the group's rows first .. first + height (first a multiple of MK_TILE_ROWS, height at
 * most MK_STRIP_ROWS) against the strip's columns from `from` on. Rows are MK_STRIP_COLS apart. */
mk_status mk_pairs_block(const mk_pairs *pairs, int thread, size_t first, size_t height,
                         size_t from, const double **distance, const double **product);
double mk_pairs_reach(const mk_pairs *pairs);   /* largest mk_tiles_reach() of the family */
double mk_pairs_largest(const mk_pairs *pairs); /* largest absolute value of function kernels */

#endif
