/* Piecewise polynomials of one distance for many Gaussians of it. */
#ifndef MK_PIECES_H
#define MK_PIECES_H

#include "base/pool.h"
#include "base/simd.h"

#define MK_MOST_OCTAVES 48

typedef struct mk_pieces {
  mk_table table; /* table of sum_m weight_m exp(-d/w_m) */
  size_t count;
  int octaves;
  double narrowest;
  double *coef;                 /* count x MK_PIECE_TERMS */
  double *moments;              /* count x MK_PIECE_TERMS: sums over the collected pairs */
  char filled[MK_MOST_OCTAVES]; /* 1 for octaves with collected pairs */
  double *centre;               /* count: distance at the centre of each piece */
  mk_pool pool;
} mk_pieces;

#define MK_LEAST_PIECED 4 /* with fewer Gaussians, each is evaluated by itself */

/* Returns the smallest width that can share pieces with the widest one. */
double mk_pieces_least(double widest);
size_t mk_pieces_needed(double narrowest, double widest);
mk_status mk_pieces_new(mk_pieces *pieces, double narrowest, double widest);
void mk_pieces_free(mk_pieces *pieces);
/* Adds the terms of weight * exp(-d/width) to coef, MK_PIECE_TERMS per piece. */
void mk_pieces_add(const mk_pieces *pieces, const mk_simd *simd, double width, double weight,
                   double *coef);
/* Adds moments in the layout of fine_moments (base/simd.h). */
void mk_pieces_collect(mk_pieces *pieces, const double *moments);
/* Returns the sum of weight * exp(-d/width) over the collected pairs. */
double mk_pieces_sum(const mk_pieces *pieces, const mk_simd *simd, double width);

#endif
