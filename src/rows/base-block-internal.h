/* The structures of bases and scratch, for the files that fill them. */
#ifndef MK_BASE_BLOCK_INTERNAL_H
#define MK_BASE_BLOCK_INTERNAL_H

#include "base/pool.h"
#include "kernel/structure.h"
#include "rows/packed.h"
#include "rows/slices.h"

#define MK_DEPTH 192      /* features packed at a time */
#define MK_PACK_ROWS 768  /* rows packed at a time */
#define MK_PANEL_DEPTH 64 /* columns of feature blocks packed at a time */
#define MK_LOCAL_ROWS 3

struct mk_bases {
  const mk_kernel_set *set;
  int single;
  /* by view, if a family needs products of many features: */
  mk_row *centred;    /* rows of centred values, for tiles */
  mk_slices **slices; /* nonzero values instead, if most are zero */
};

struct mk_packed {
  const mk_kernel_set *set;
  int *sample;
  size_t count, apart; /* number of samples; stride from one feature's values to the next one's */
  mk_row *view;        /* by view: features x apart; at = NULL: not packed */
  mk_pool pool;
};

struct mk_scratch {
  mk_pool memory; /* owns all vectors below */
  double *left;   /* MK_TILE_ROWS-row panels of MK_DEPTH features, MK_PACK_ROWS rows */
  double *right;  /* MK_TILE_COLS-column panels of MK_DEPTH features */
  double *block;  /* MK_BLOCK_ROWS x MK_BLOCK_COLS */
  double *row[3]; /* MK_BLOCK_COLS each */
  double *wide;   /* MK_TILE_ROWS x MK_BLOCK_COLS */
  double *panels; /* feature blocks: MK_BLOCK_COLS samples, MK_PANEL_DEPTH columns; NULL: none */
  double *dense;  /* sparse views: MK_TILE_ROWS filled-up rows, by columns */
  double *local;  /* MK_LOCAL_ROWS rows of the set's slots */
};

#endif
