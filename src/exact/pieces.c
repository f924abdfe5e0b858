/* Gaussian kernels of one distance as Taylor polynomials of degree 7 on pieces of u = 1 + d/sigma,
 * P = MK_FINE_PIECES of them per octave. expansion-pairs.c and means.c use them for values that
 * must be exact (MATHEMATICS.md, section 1.5).
 *
 * The error for every width w >= sigma: a piece [a, b] of u is at most a/P wide, so half of it in d
 * is h <= sigma a/(2P), and d >= sigma (a - 1) in it. With t = sigma (a - 1)/w >= 0, h/w <= (1 +
 * t)/(2P), as sigma <= w. By Lagrange's form the remainder of the expansion at the centre is at
 * most
 *   e^-t (h/w)^8/8! <= e^-t (1 + t)^8 / (8! (2P)^8),
 * largest at t = 7: e^-7 8^8/8! / 256^8 < 0.3795/1.84e19 < 2.07e-20. Distances beyond 64 widths of
 * the widest kernel count as 64 widths, and octaves that begin beyond 64 widths of a kernel as
 * infinitely far from it: all these values are below e^-64 < 2e-28. */
#include "exact/pieces.h"

#include <math.h>

#define TERMS MK_PIECE_TERMS
#define FARTHEST 64.0 /* widths beyond which a kernel counts as 0 */
#define SPAN 33       /* largest number of octaves between the narrowest and the widest width */

static int octaves_needed(double narrowest, double widest) {
  int octaves = 1;
  while (ldexp(1.0, octaves) < 1.0 + FARTHEST * widest / narrowest) octaves++;
  return octaves;
}

double mk_pieces_least(double widest) {
  return ldexp(widest, -SPAN);
}

size_t mk_pieces_needed(double narrowest, double widest) {
  return (size_t)octaves_needed(narrowest, widest) * MK_FINE_PIECES;
}

mk_status mk_pieces_new(mk_pieces *pieces, double narrowest, double widest) {
  int octaves = octaves_needed(narrowest, widest);
  size_t count = (size_t)octaves * MK_FINE_PIECES;
  *pieces = (mk_pieces){.count = count, .octaves = octaves, .narrowest = narrowest};
  pieces->coef = MK_TAKE0(&pieces->pool, double, count *TERMS);
  pieces->moments = MK_TAKE0(&pieces->pool, double, count *TERMS);
  pieces->centre = MK_TAKE(&pieces->pool, double, count);
  MK_TRY(mk_pool_status(&pieces->pool));
  for (size_t k = 0; k < count; k++) {
    double octave = ldexp(1.0, (int)(k / MK_FINE_PIECES));
    double middle = octave * (1.0 + ((double)(k % MK_FINE_PIECES) + 0.5) / MK_FINE_PIECES);
    pieces->centre[k] = narrowest * (middle - 1.0);
  }
  pieces->table = (mk_table){.inv_sigma = 1.0 / narrowest,
                             .u_max = ldexp(1.0, octaves) * (1.0 - 1e-15),
                             .pieces = (int)count,
                             .coef = pieces->coef};
  return MK_OK;
}

void mk_pieces_free(mk_pieces *pieces) {
  mk_pool_free(&pieces->pool);
  *pieces = (mk_pieces){0};
}

void mk_pieces_collect(mk_pieces *pieces, const double *moments) {
  for (size_t k = 0; k < pieces->count; k++) {
    double *sum = pieces->moments + k * TERMS, any = 0.0;
    for (size_t j = 0; j < TERMS; j++, moments++) {
      sum[j] += *moments;
      any += fabs(*moments);
    }
    if (any != 0.0) pieces->filled[k / MK_FINE_PIECES] = 1;
  }
}

/* The expansion of one width on one octave. */
typedef struct octave {
  size_t first;                 /* number of the first piece */
  double value[MK_FINE_PIECES]; /* weight exp(-d/w) at the centres of the pieces */
  double term[TERMS];           /* the expansion around each centre in powers of z */
} octave;

/* Expands a Gaussian on one octave; returns 0 if the octave is far beyond its width. */
static int expand_octave(const mk_pieces *pieces, const mk_simd *simd, int k, double width,
                         octave *out) {
  double size = ldexp(pieces->narrowest, k), term = 1.0;
  if (size - pieces->narrowest > FARTHEST * width) return 0;
  out->first = (size_t)k * MK_FINE_PIECES;
  simd->exp_decay(MK_FINE_PIECES, pieces->centre + out->first, 1.0 / width, out->value);
  for (int r = 0; r < TERMS; r++) {
    out->term[r] = term;
    term *= -size / (2.0 * MK_FINE_PIECES * width * (r + 1));
  }
  return 1;
}

void mk_pieces_add(const mk_pieces *pieces, const mk_simd *simd, double width, double weight,
                   double *coef) {
  octave octave;
  for (int k = 0; k < pieces->octaves && expand_octave(pieces, simd, k, width, &octave); k++) {
    for (int r = 0; r < TERMS; r++) octave.term[r] *= weight;
    simd->piece_add(MK_FINE_PIECES, octave.value, octave.term, coef + octave.first * TERMS);
  }
}

double mk_pieces_sum(const mk_pieces *pieces, const mk_simd *simd, double width) {
  octave octave;
  double sum = 0.0;
  for (int k = 0; k < pieces->octaves; k++) {
    if (!pieces->filled[k]) continue;
    if (!expand_octave(pieces, simd, k, width, &octave)) break;
    sum += simd->piece_dot(MK_FINE_PIECES, octave.value, octave.term,
                           pieces->moments + octave.first * TERMS);
  }
  return sum;
}
