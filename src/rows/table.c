/* Gaussian kernels as piecewise polynomials of the squared distance, for the rows of mixture.c and
 * the sums of sums.c. MATHEMATICS.md, section 3.4. With sixteen pieces per octave of u = 1 +
 * d/sigma, interpolation of exp(-d/w) at 8 Chebyshev nodes has an error of about
 *   max_t e^-t ((1+t)/32)^8 / (2^7 8!) < 3e-15
 * for every w >= sigma (t = d/w; the piece around t has half-width <= (1+t)/32). Sums over pairs
 * cancel by many digits at large C, where a lower accuracy would show.
 *
 * Many widths are combinations of few: as a function of s = log w, exp(-d/w) is at most 1 in the
 * strip |Im s| < pi/2 for any d, so that interpolation at n Chebyshev nodes over widths with
 * log(widest / narrowest) = l has an error of at most 4 rho^-n / (rho - 1), where rho belongs to
 * the widest Bernstein ellipse in the strip: a + sqrt(a^2 + 1) with a = pi / l. */
#include "rows/table.h"

#include "kernel/norms.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TERMS MK_PIECE_TERMS
#define PI 3.14159265358979323846

/* Computes power[r][j], the factor of the value at Chebyshev node j in the coefficient of z^r. */
static void node_to_power(double power[TERMS][TERMS]) {
  double chebyshev[TERMS][TERMS] = {{0}}; /* [k][r]: z^r in T_k */
  chebyshev[0][0] = 1.0;
  chebyshev[1][1] = 1.0;
  for (int k = 2; k < TERMS; k++)
    for (int r = 0; r < TERMS; r++)
      chebyshev[k][r] = (r > 0 ? 2.0 * chebyshev[k - 1][r - 1] : 0.0) - chebyshev[k - 2][r];
  for (int r = 0; r < TERMS; r++)
    for (int j = 0; j < TERMS; j++) {
      double angle = PI * (j + 0.5) / TERMS, sum = 0.0;
      for (int k = 0; k < TERMS; k++)
        sum += (k == 0 ? 1.0 : 2.0) / TERMS * cos(k * angle) * chebyshev[k][r];
      power[r][j] = sum;
    }
}

/* Returns an upper bound of the squared distances. */
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

/* Returns the squared distance at node j of a piece, for so many pieces per octave. */
static double node_distance(double inv_sigma, int pieces, int piece, int j) {
  double octave = ldexp(1.0, piece / pieces), z = cos(PI * (j + 0.5) / TERMS);
  double left = 1.0 + (double)(piece % pieces) / pieces;
  return (octave * (left + (z + 1.0) / (2.0 * pieces)) - 1.0) / inv_sigma;
}

static void choose_pieces(mk_family_tables *tables, double sigma, double most) {
  int octaves = 1;
  if (most / sigma > ldexp(1.0, MK_MAX_OCTAVES)) sigma = ldexp(most, -MK_MAX_OCTAVES);
  while (octaves <= MK_MAX_OCTAVES && ldexp(1.0, octaves) < (1.0 + most / sigma) * 1.001) octaves++;
  tables->inv_sigma = 1.0 / sigma;
  tables->pieces = octaves * MK_OCTAVE_PIECES;
  tables->u_max = ldexp(1.0, octaves) * (1.0 - 1e-15);
}

/* ---- widths ---- */

#define WIDTH_ERROR 1e-15 /* error of a Gaussian combined from the nodes */
/* Gaussians per node below which each Gaussian has a table of its own */
#define WORTH_SHARING 2.0

/* Returns the number of nodes for logarithms of widths from an interval of this length. */
static size_t nodes_needed(double length) {
  double a = PI / fmax(length, DBL_EPSILON), rho = a + sqrt(a * a + 1.0);
  double degree = ceil(log(4.0 / (rho - 1.0) / WIDTH_ERROR) / log(rho));
  return 1 + (size_t)fmax(degree, 0.0);
}

/* Computes share[j], the part of node j's value in the value at z, by the barycentric formula. */
static void interpolate(size_t nodes, const double *cosine, const double *sine, double z,
                        double *share) {
  double sum = 0.0;
  for (size_t j = 0; j < nodes; j++) {
    double away = z - cosine[j];
    if (away == 0.0) away = DBL_MIN;
    share[j] = (j % 2 == 0 ? sine[j] : -sine[j]) / away;
    sum += share[j];
  }
  for (size_t j = 0; j < nodes; j++) share[j] /= sum;
}

/* Combines members from Gaussians at nodes, if these are much fewer. */
static mk_status share_tables(mk_family *family, double narrowest, double widest) {
  mk_family_tables *tables = family->tables;
  double half = 0.5 * (log(widest) - log(narrowest)), middle = log(narrowest) + half;
  size_t count = tables->count, nodes = nodes_needed(2.0 * half);
  if ((double)count < WORTH_SHARING * (double)nodes) return MK_OK;
  double *cosine = MK_TAKE(&family->pool, double, nodes);
  double *sine = MK_TAKE(&family->pool, double, nodes);
  tables->share = MK_TAKE(&family->pool, double, count *nodes);
  MK_TRY(mk_pool_status(&family->pool));
  for (size_t j = 0; j < nodes; j++) {
    cosine[j] = cos(PI * ((double)j + 0.5) / (double)nodes);
    sine[j] = sin(PI * ((double)j + 0.5) / (double)nodes);
  }
  for (size_t k = 0; k < count; k++) {
    double away = log(tables->width[k]) - middle;
    interpolate(nodes, cosine, sine, half > 0.0 ? away / half : 0.0, tables->share + k * nodes);
  }
  for (size_t j = 0; j < nodes; j++) tables->width[j] = exp(middle + half * cosine[j]);
  tables->tables = nodes;
  return MK_OK;
}

/* least number of Gaussians that get a table, since exponentials of fewer are cheaper */
#define LEAST_TABLED 3

static mk_status choose_members(const mk_kernel_set *set, mk_family *family) {
  size_t count = 0;
  for (size_t k = 0; k < family->count; k++)
    count += (size_t)mk_member_is_exponential(&set->member[family->member[k]]);
  if (count < LEAST_TABLED) return MK_OK;
  mk_family_tables *tables = family->tables = MK_TAKE0(&family->pool, mk_family_tables, 1);
  if (tables == NULL) return MK_NO_MEMORY;
  tables->member = MK_TAKE(&family->pool, int, count);
  tables->width = MK_TAKE(&family->pool, double, count);
  MK_TRY(mk_pool_status(&family->pool));
  for (size_t k = 0; k < family->count; k++) {
    mk_member *member = &set->member[family->member[k]];
    if (!mk_member_is_exponential(member)) continue;
    member->tabled = (int)tables->count;
    tables->member[tables->count++] = family->member[k];
  }
  tables->tables = count;
  return MK_OK;
}

/* Interpolates every table's Gaussian on every piece. */
static mk_status fill_tables(const mk_kernel_set *set, mk_family *family) {
  mk_family_tables *tables = family->tables;
  size_t points = (size_t)tables->pieces * TERMS;
  double power[TERMS][TERMS];
  mk_pool pool = {NULL, 0, 0};
  double *d = MK_TAKE(&pool, double, points), *value = MK_TAKE(&pool, double, points);
  double *basis = MK_TAKE(&family->pool, double, tables->tables *points);
  int complete = !pool.failed && !family->pool.failed;
  node_to_power(power);
  for (size_t at = 0; complete && at < points; at++)
    d[at] =
        node_distance(tables->inv_sigma, MK_OCTAVE_PIECES, (int)(at / TERMS), (int)(at % TERMS));
  for (size_t k = 0; complete && k < tables->tables; k++) {
    set->simd->exp_decay(points, d, 1.0 / tables->width[k], value);
    for (size_t at = 0; at < points; at++) {
      double sum = 0.0;
      for (size_t j = 0; j < TERMS; j++)
        sum += power[at % TERMS][j] * value[at / TERMS * TERMS + j];
      basis[k * points + at] = sum;
    }
  }
  mk_pool_free(&pool);
  if (complete) tables->basis = basis;
  return complete ? MK_OK : MK_NO_MEMORY;
}

static mk_status build_tables(const mk_kernel_set *set, mk_family *family) {
  double narrowest = INFINITY, widest = 0.0;
  MK_TRY(choose_members(set, family));
  mk_family_tables *tables = family->tables;
  if (tables == NULL) return MK_OK;
  for (size_t k = 0; k < tables->count; k++) {
    tables->width[k] = set->member[tables->member[k]].spec.width;
    narrowest = fmin(narrowest, tables->width[k]);
    widest = fmax(widest, tables->width[k]);
  }
  MK_TRY(share_tables(family, narrowest, widest));
  choose_pieces(tables, narrowest, largest_distance(family, set->n));
  return fill_tables(set, family);
}

mk_status mk_table_need(const mk_kernel_set *set) {
  MK_TRY(mk_norms_need(set));
  for (size_t f = 0; f < set->families; f++) {
    mk_family *family = &set->family[f];
    if (mk_family_is_euclidean(family) && family->tables == NULL) MK_TRY(build_tables(set, family));
    if (family->tables != NULL && family->tables->basis == NULL) return MK_NO_MEMORY;
  }
  return MK_OK;
}

void mk_table_weights(const mk_kernel_set *set, const mk_family_tables *tables,
                      const double *weight, double *out) {
  if (tables->share != NULL) memset(out, 0, tables->tables * sizeof *out);
  for (size_t k = 0; k < tables->count; k++) {
    double own = weight[tables->member[k]];
    if (tables->share == NULL)
      out[k] = own;
    else if (own != 0.0)
      set->simd->axpy(tables->tables, own, tables->share + k * tables->tables, out);
  }
}

/* ---- coarse tables ---- */

/* With two or more pieces per octave, the interpolation has an error below 1e-7 of the sum of
 * weights: max_t e^-t ((1+t)/4)^8 / (2^7 8!). */
#define LEAST_COARSE_BITS 1
/* share of the largest coefficient below which coefficients are 0, since they would be subnormal
 * floats */
#define FAINT 1e-9

static int coarse_bits(int octaves) {
  int bits = 0;
  while (octaves << (bits + 1) <= MK_COARSE_PIECES) bits++;
  return bits;
}

void mk_table_coarsen(const mk_kernel_set *set, mk_table *table, float *out) {
  int octaves = table->pieces / MK_OCTAVE_PIECES, bits = coarse_bits(octaves);
  int pieces = octaves << bits;
  double power[TERMS][TERMS], d[MK_COARSE_PIECES * TERMS], value[MK_COARSE_PIECES * TERMS];
  double most = 0.0;
  table->coarse = NULL;
  if (bits < LEAST_COARSE_BITS) return;
  node_to_power(power);
  for (int at = 0; at < pieces * TERMS; at++)
    d[at] = node_distance(table->inv_sigma, 1 << bits, at / TERMS, at % TERMS);
  set->simd->rows[0].table_add((size_t)(pieces * TERMS), d, table, 1, value);
  for (int at = 0; at < pieces * TERMS; at++) most = fmax(most, fabs(value[at]));
  for (int piece = 0; piece < MK_COARSE_PIECES; piece++)
    for (int r = 0; r < TERMS; r++) {
      double sum = 0.0;
      for (int j = 0; piece < pieces && j < TERMS; j++)
        sum += power[r][j] * value[piece * TERMS + j];
      out[r * MK_COARSE_PIECES + piece] = fabs(sum) < FAINT * most ? 0.0f : (float)sum;
    }
  table->coarse = out;
  table->coarse_bits = bits;
  table->coarse_max = (float)ldexp(1.0 - 1e-7, octaves);
}
