/* Gaussian kernels of one distance as Taylor polynomials of degree 7 on pieces
 * of u = 1 + d/sigma, MK_FINE_PIECES = P of them an octave.
 *
 * The error, for every width w >= sigma. A piece [a, b] of u is at most a/P wide,
 * so half of it in d is h <= sigma a/(2P), and d >= sigma (a - 1) in it. With
 * t = sigma (a - 1)/w >= 0 this reads h/w <= (1 + t)/(2P), as sigma <= w. By
 * Lagrange's form the remainder at the centre's expansion is at most
 *   e^-t (h/w)^8/8! <= e^-t (1 + t)^8 / (8! (2P)^8),
 * largest at t = 7: e^-7 8^8/8! / 256^8 < 0.3795/1.84e19 < MK_PIECES_ERROR.
 * Distances beyond 64 widths of the widest kernel count as that: both values
 * are below e^-64 < 2e-28 then. */
#include "base/memory.h"
#include "expansion-internal.h"

#include <math.h>

#define TERMS MK_PIECE_TERMS
#define FAR 64.0
#define SPAN 33 /* octaves between the narrowest width and the widest, at most */

static int octaves_needed(double narrowest, double widest) {
  int octaves = 1;
  while (ldexp(1.0, octaves) < 1.0 + FAR * widest / narrowest) octaves++;
  return octaves;
}

int mk_pieces_serve(double width, double widest) {
  return width >= ldexp(widest, -SPAN);
}

size_t mk_pieces_needed(double narrowest, double widest) {
  return (size_t)octaves_needed(narrowest, widest) * MK_FINE_PIECES;
}

mk_status mk_pieces_new(mk_pieces *pieces, double narrowest, double widest) {
  int octaves = octaves_needed(narrowest, widest);
  size_t count = (size_t)octaves * MK_FINE_PIECES;
  *pieces = (mk_pieces){.count = count};
  pieces->coef = MK_NEW0(double, count *TERMS);
  pieces->centre = MK_NEW(double, 3 * count);
  if (pieces->coef == NULL || pieces->centre == NULL) return MK_NO_MEMORY;
  pieces->half = pieces->centre + count;
  pieces->value = pieces->half + count;
  for (size_t k = 0; k < count; k++) {
    double octave = ldexp(1.0, (int)(k / MK_FINE_PIECES));
    double middle = octave * (1.0 + ((double)(k % MK_FINE_PIECES) + 0.5) / MK_FINE_PIECES);
    pieces->centre[k] = narrowest * (middle - 1.0);
    pieces->half[k] = narrowest * octave / (2.0 * MK_FINE_PIECES);
  }
  pieces->table = (mk_table){.inv_sigma = 1.0 / narrowest,
                             .u_max = ldexp(1.0, octaves) * (1.0 - 1e-15),
                             .pieces = (int)count,
                             .coef = pieces->coef};
  return MK_OK;
}

void mk_pieces_free(mk_pieces *pieces) {
  mk_free(pieces->coef);
  mk_free(pieces->centre);
  *pieces = (mk_pieces){0};
}

/* Terms of exp(-(d0 + h z)/w) in powers of z, from its value at d0. */
static inline void taylor(double value, double step, double *term) {
  for (int r = 0; r < TERMS; r++) {
    term[r] = value;
    value *= step / (r + 1);
  }
}

void mk_pieces_add(const mk_pieces *pieces, const mk_simd *simd, double width, double weight,
                   double *coef) {
  double term[TERMS];
  simd->exp_decay(pieces->count, pieces->centre, 1.0 / width, pieces->value);
  for (size_t k = 0; k < pieces->count; k++) {
    taylor(weight * pieces->value[k], -pieces->half[k] / width, term);
    for (int r = 0; r < TERMS; r++) coef[k * TERMS + (size_t)r] += term[r];
  }
}

double mk_pieces_sum(const mk_pieces *pieces, const mk_simd *simd, double width,
                     const double *moments) {
  double sum = 0.0, term[TERMS];
  simd->exp_decay(pieces->count, pieces->centre, 1.0 / width, pieces->value);
  for (size_t k = 0; k < pieces->count; k++) {
    const double *bin = moments + k * MK_FINE_COPIES * TERMS;
    double any = 0.0;
    for (int r = 0; r < TERMS; r++) any += fabs(bin[r]);
    if (any == 0.0) continue;
    taylor(pieces->value[k], -pieces->half[k] / width, term);
    for (int r = 0; r < TERMS; r++) sum += bin[r] * term[r];
  }
  return sum;
}
