/* Gaussian kernels as piecewise polynomials of the squared distance. With
 * u = 1 + d/sigma cut into sixteenths of octaves, interpolation of exp(-d/w) at
 * 8 Chebyshev nodes errs by about max_t e^-t ((1+t)/32)^8 / (2^7 8!) < 3e-15
 * for every w >= sigma (t = d/w; the piece around t has half-width <= (1+t)/32).
 * Sums over pairs cancel by many digits at large C: less would show.
 *
 * Many widths: as a function of x = log w, exp(-d/w) is bounded by 1 in the
 * strip |Im x| < pi/2 whatever d is, so that interpolation at 16 Chebyshev nodes
 * per octave of w errs by about 2e-15 (rho = 9). More Gaussians than such nodes
 * are combinations of the nodes' and cost 16 numbers each. */
#include "base/chebyshev.h"
#include "base/memory.h"
#include "internal.h"

#include <math.h>

#define TERMS MK_PIECE_TERMS
#define NODES MK_NODE_TERMS
#define PI 3.14159265358979323846

/* power[r][j]: coefficient of z^r per value at Chebyshev node j of `terms`. */
static void node_to_power(int terms, double power[TERMS][TERMS]) {
  double chebyshev[TERMS][TERMS] = {{0}}; /* [k][r]: z^r in T_k */
  chebyshev[0][0] = 1.0;
  chebyshev[1][1] = 1.0;
  for (int k = 2; k < terms; k++)
    for (int r = 0; r < terms; r++)
      chebyshev[k][r] = (r > 0 ? 2.0 * chebyshev[k - 1][r - 1] : 0.0) - chebyshev[k - 2][r];
  for (int r = 0; r < terms; r++)
    for (int j = 0; j < terms; j++) {
      double angle = PI * (j + 0.5) / terms, sum = 0.0;
      for (int k = 0; k < terms; k++)
        sum += (k == 0 ? 1.0 : 2.0) / terms * cos(k * angle) * chebyshev[k][r];
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
static void node_distances(double inv_sigma, int pieces, int cut, int terms, double *d) {
  for (int piece = 0; piece < pieces; piece++) {
    double octave = ldexp(1.0, piece / cut), left = 1.0 + (double)(piece % cut) / cut;
    for (int j = 0; j < terms; j++) {
      double z = cos(PI * (j + 0.5) / terms);
      double u = octave * (left + (z + 1.0) / (2.0 * cut));
      d[piece * terms + j] = (u - 1.0) / inv_sigma;
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

/* Chooses the tabled members. */
static void choose_members(mk_kernel_set *set, mk_family *family) {
  size_t count = 0;
  for (size_t k = 0; k < family->count; k++)
    count += set->member[family->member[k]].spec.type == MK_GAUSSIAN;
  if (count < FEWEST_TABLED) return;
  for (size_t k = 0; k < family->count; k++) {
    mk_member *member = &set->member[family->member[k]];
    if (member->spec.type != MK_GAUSSIAN) continue;
    member->tabled = (int)family->tabled_count;
    family->tabled[family->tabled_count++] = family->member[k];
  }
}

/* ---- nodes ---- */

/* The logarithms of the widths, cut into equal cells of at most one octave. */
typedef struct cells {
  double start, width;
  size_t count;
  mk_chebyshev rule;
} cells;

static double log_width(const mk_kernel_set *set, const mk_family *family, size_t k) {
  return log(set->member[family->tabled[k]].spec.width);
}

static cells cut_widths(const mk_kernel_set *set, const mk_family *family) {
  double low = INFINITY, high = -INFINITY;
  for (size_t k = 0; k < family->tabled_count; k++) {
    low = fmin(low, log_width(set, family, k));
    high = fmax(high, log_width(set, family, k));
  }
  double octaves = fmax(1.0, ceil((high - low) / log(2.0)));
  cells out = {.start = low, .width = (high - low) / octaves, .count = (size_t)octaves};
  mk_chebyshev_init(&out.rule, NODES);
  return out;
}

/* Members in terms of the nodes of their cell. */
static mk_status blend_members(const mk_kernel_set *set, mk_family *family, const cells *c) {
  family->nodes = c->count * NODES;
  family->first = MK_NEW(int, family->tabled_count);
  family->blend = MK_NEW(double, family->tabled_count *NODES);
  if (family->first == NULL || family->blend == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < family->tabled_count; k++) {
    double at = (log_width(set, family, k) - c->start) / c->width; /* in cells */
    double cell = c->width > 0.0 ? fmin(floor(at), (double)c->count - 1.0) : 0.0;
    family->first[k] = (int)cell * NODES;
    mk_chebyshev_shares(&c->rule, c->width > 0.0 ? 2.0 * (at - cell) - 1.0 : 0.0,
                        family->blend + k * NODES);
  }
  return MK_OK;
}

static double node_width(const mk_kernel_set *set, const mk_family *family, const cells *c,
                         size_t node) {
  if (family->blend == NULL) return set->member[family->tabled[node]].spec.width;
  double z = c->rule.node[node % NODES];
  return exp(c->start + c->width * ((double)(node / NODES) + 0.5 * (z + 1.0)));
}

void mk_table_spread(const mk_family *family, size_t k, double weight, double *node) {
  if (family->blend == NULL) {
    node[k] += weight;
    return;
  }
  const double *blend = family->blend + k * NODES;
  node += family->first[k];
  for (int j = 0; j < NODES; j++) node[j] += weight * blend[j];
}

double mk_table_blend(const mk_family *family, size_t k, const double *node) {
  if (family->blend == NULL) return node[k];
  const double *blend = family->blend + k * NODES;
  double sum = 0.0;
  node += family->first[k];
  for (int j = 0; j < NODES; j++) sum += blend[j] * node[j];
  return sum;
}

/* ---- life ---- */

typedef struct expansion {
  int by_term;   /* 1: coefficients of one power of all pieces side by side */
  size_t length; /* of one node's coefficients */
  double *d, *value;
} expansion;

/* Interpolates every node on every piece, of which an octave has `cut`. */
static void expand(const mk_kernel_set *set, const mk_family *family, const cells *c,
                   const expansion *e, int cut, size_t terms, double *basis) {
  double power[TERMS][TERMS];
  int pieces = family->pieces / MK_OCTAVE_PIECES * cut;
  size_t points = (size_t)pieces * terms;
  node_to_power((int)terms, power);
  node_distances(family->inv_sigma, pieces, cut, (int)terms, e->d);
  for (size_t k = 0; k < family->nodes; k++) {
    double *out = basis + k * e->length;
    set->simd->exp_decay(points, e->d, 1.0 / node_width(set, family, c, k), e->value);
    for (size_t at = 0; at < points; at += terms)
      for (size_t r = 0; r < terms; r++) {
        double sum = 0.0;
        for (size_t j = 0; j < terms; j++) sum += power[r][j] * e->value[at + j];
        out[e->by_term ? r * MK_COARSE_PIECES + at / terms : at + r] = sum;
      }
  }
}

mk_status mk_table_build(mk_kernel_set *set, mk_family *family) {
  choose_members(set, family);
  if (family->tabled_count == 0) return MK_OK;
  cells c = cut_widths(set, family);
  choose_pieces(family, exp(c.start), largest_distance(family, set->n));
  family->nodes = family->tabled_count;
  return c.count * NODES < family->tabled_count ? blend_members(set, family, &c) : MK_OK;
}

/* One of a family's bases, where it has none. */
static mk_status expand_once(const mk_kernel_set *set, const mk_family *family, mk_basis kind,
                             double **basis) {
  size_t length = (size_t)family->pieces * TERMS;
  if (*basis != NULL || family->nodes == 0) return MK_OK;
  cells c = cut_widths(set, family);
  expansion e = {.by_term = kind == MK_BASIS_COARSE, .length = length};
  if (e.by_term) e.length = MK_COARSE;
  double *out = MK_NEW0(double, family->nodes *e.length);
  e.d = MK_NEW(double, length + MK_COARSE);
  e.value = MK_NEW(double, length + MK_COARSE);
  mk_status status = out == NULL || e.d == NULL || e.value == NULL ? MK_NO_MEMORY : MK_OK;
  if (status == MK_OK && kind == MK_BASIS_CUBIC)
    expand(set, family, &c, &e, MK_CUBIC_PIECES, MK_CUBIC_TERMS, out);
  else if (status == MK_OK)
    expand(set, family, &c, &e, e.by_term ? 1 << family->coarse_bits : MK_OCTAVE_PIECES, TERMS,
           out);
  mk_free(e.d);
  mk_free(e.value);
  if (status == MK_OK)
    *basis = out;
  else
    mk_free(out);
  return status;
}

mk_status mk_table_need(const mk_kernel_set *set, mk_basis kind) {
  for (size_t f = 0; f < set->families; f++) {
    mk_family *family = &set->family[f];
    mk_basis own = kind == MK_BASIS_COARSE && family->coarse_bits < 0 ? MK_BASIS_FINE : kind;
    double **basis = own == MK_BASIS_FINE    ? &family->basis
                     : own == MK_BASIS_CUBIC ? &family->cubic_basis
                                             : &family->coarse_basis;
    MK_TRY(expand_once(set, family, own, basis));
  }
  return MK_OK;
}

void mk_table_clear(mk_family *family) {
  mk_free(family->basis);
  mk_free(family->cubic_basis);
  mk_free(family->coarse_basis);
  mk_free(family->first);
  mk_free(family->blend);
}

size_t mk_table_bytes(const mk_family *family) {
  size_t coarse = family->coarse_basis != NULL ? MK_COARSE : 0;
  size_t full = (size_t)(family->basis != NULL) + (size_t)(family->cubic_basis != NULL);
  size_t length = full * (size_t)family->pieces * TERMS + coarse;
  size_t bytes = family->nodes * length * sizeof(double);
  if (family->blend != NULL) bytes += family->tabled_count * (NODES * sizeof(double) + sizeof(int));
  return bytes;
}
