/* Gaussian kernels as piecewise polynomials of the squared distance. With
 * u = 1 + d/sigma cut into sixteenths of octaves, interpolation of exp(-d/w) at
 * 8 Chebyshev nodes errs by about max_t e^-t ((1+t)/32)^8 / (2^7 8!) < 3e-15
 * for every w >= sigma (t = d/w; the piece around t has half-width <= (1+t)/32).
 * Sums over pairs cancel by many digits at large C: less would show. */
#include "base/memory.h"
#include "internal.h"

#include <math.h>

#define TERMS MK_PIECE_TERMS

/* power[r][j]: coefficient of z^r per value at Chebyshev node j. */
static void node_to_power(double power[TERMS][TERMS]) {
  double chebyshev[TERMS][TERMS] = {{0}}; /* [k][r]: z^r in T_k */
  chebyshev[0][0] = 1.0;
  chebyshev[1][1] = 1.0;
  for (int k = 2; k < TERMS; k++)
    for (int r = 0; r < TERMS; r++)
      chebyshev[k][r] = (r > 0 ? 2.0 * chebyshev[k - 1][r - 1] : 0.0) - chebyshev[k - 2][r];
  for (int r = 0; r < TERMS; r++)
    for (int j = 0; j < TERMS; j++) {
      double angle = 3.14159265358979323846 * (j + 0.5) / TERMS, sum = 0.0;
      for (int k = 0; k < TERMS; k++)
        sum += (k == 0 ? 1.0 : 2.0) / TERMS * cos(k * angle) * chebyshev[k][r];
      power[r][j] = sum;
    }
}

/* An upper bound of the squared distances. */
static double largest_distance(const mk_family *family, size_t n) {
  double most = 0.0;
  if (family->square != NULL) {
    for (size_t i = 0; i < n; i++) most = fmax(most, family->square[i]);
    return 4.0 * most;
  }
  for (size_t k = 0; k < family->feature_count; k++) {
    const double *column = family->view->x + mk_family_feature(family, k) * n;
    double low = column[0], high = column[0];
    for (size_t i = 1; i < n; i++) {
      low = fmin(low, column[i]);
      high = fmax(high, column[i]);
    }
    most += (high - low) * (high - low);
  }
  return most;
}

/* Squared distances at the nodes of pieces that cut each octave into `cut`. */
static void node_distances(double inv_sigma, int pieces, int cut, double *d) {
  for (int piece = 0; piece < pieces; piece++) {
    double octave = ldexp(1.0, piece / cut), left = 1.0 + (double)(piece % cut) / cut;
    for (int j = 0; j < TERMS; j++) {
      double z = cos(3.14159265358979323846 * (j + 0.5) / TERMS);
      double u = octave * (left + (z + 1.0) / (2.0 * cut));
      d[piece * TERMS + j] = (u - 1.0) / inv_sigma;
    }
  }
}

/* How many pieces of floats an octave may have: a power of 2; 0: too few. */
static void choose_coarse(mk_family *family, int octaves) {
  int bits = 0;
  if (octaves * 2 > MK_COARSE_PIECES) {
    family->coarse_bits = -1;
    return;
  }
  while (octaves << (bits + 1) <= MK_COARSE_PIECES) bits++;
  family->coarse_bits = bits;
  family->coarse_max = (float)ldexp(1.0 - 1e-7, octaves);
}

static void choose_pieces(mk_family *family, double sigma, double most) {
  int octaves = 1;
  if (most / sigma > ldexp(1.0, MK_MAX_OCTAVES)) sigma = ldexp(most, -MK_MAX_OCTAVES);
  while (octaves <= MK_MAX_OCTAVES && ldexp(1.0, octaves) < (1.0 + most / sigma) * 1.001) octaves++;
  family->inv_sigma = 1.0 / sigma;
  family->pieces = octaves * MK_OCTAVE_PIECES;
  family->u_max = ldexp(1.0, octaves) * (1.0 - 1e-15);
  choose_coarse(family, octaves);
}

/* Fewer Gaussians than this are cheaper by their exponentials. */
#define FEWEST_TABLED 3

static size_t count_gaussians(const mk_kernel_set *set, const mk_family *family) {
  size_t count = 0;
  for (size_t k = 0; k < family->count; k++)
    count += set->member[family->member[k]].spec.type == MK_GAUSSIAN;
  return count;
}

typedef struct expansion {
  int pieces, cut;
  int by_term;   /* 1: coefficients of one power of all pieces side by side */
  size_t length; /* of one kernel's coefficients */
  double *d, *value;
} expansion;

/* Interpolates every tabled kernel on every piece. */
static void expand(const mk_kernel_set *set, const mk_family *family, const expansion *e,
                   double *basis) {
  double power[TERMS][TERMS];
  size_t nodes = (size_t)e->pieces * TERMS;
  node_to_power(power);
  node_distances(family->inv_sigma, e->pieces, e->cut, e->d);
  for (size_t k = 0; k < family->tabled_count; k++) {
    double *out = basis + k * e->length;
    set->simd->exp_decay(nodes, e->d, 1.0 / set->member[family->tabled[k]].spec.width, e->value);
    for (size_t at = 0; at < nodes; at += TERMS)
      for (size_t r = 0; r < TERMS; r++) {
        double sum = 0.0;
        for (size_t j = 0; j < TERMS; j++) sum += power[r][j] * e->value[at + j];
        out[e->by_term ? r * MK_COARSE_PIECES + at / TERMS : at + r] = sum;
      }
  }
}

mk_status mk_table_build(mk_kernel_set *set, mk_family *family) {
  double sigma = INFINITY;
  if (count_gaussians(set, family) < FEWEST_TABLED) return MK_OK;
  for (size_t k = 0; k < family->count; k++) {
    mk_member *member = &set->member[family->member[k]];
    if (member->spec.type != MK_GAUSSIAN) continue;
    member->tabled = (int)family->tabled_count;
    family->tabled[family->tabled_count++] = family->member[k];
    sigma = fmin(sigma, member->spec.width);
  }
  choose_pieces(family, sigma, largest_distance(family, set->n));
  size_t length = (size_t)family->pieces * TERMS;
  int coarse = family->coarse_bits >= 0;
  family->basis = MK_NEW(double, family->tabled_count *length);
  if (coarse) family->coarse_basis = MK_NEW0(double, family->tabled_count *MK_COARSE);
  expansion e = {.pieces = family->pieces, .cut = MK_OCTAVE_PIECES, .length = length};
  e.d = MK_NEW(double, length + MK_COARSE);
  e.value = MK_NEW(double, length + MK_COARSE);
  mk_status status = MK_NO_MEMORY;
  if (family->basis != NULL && e.d != NULL && e.value != NULL &&
      (!coarse || family->coarse_basis != NULL)) {
    expand(set, family, &e, family->basis);
    if (coarse) e.cut = 1 << family->coarse_bits;
    e.pieces = family->pieces / MK_OCTAVE_PIECES * e.cut;
    e.length = MK_COARSE;
    e.by_term = 1;
    if (coarse) expand(set, family, &e, family->coarse_basis);
    status = MK_OK;
  }
  mk_free(e.d);
  mk_free(e.value);
  return status;
}
