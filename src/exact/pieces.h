/* Many Gaussians of one distance as piecewise polynomials of it. */
#ifndef MK_PIECES_H
#define MK_PIECES_H

#include "base/pool.h"
#include "base/simd.h"

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

#endif
