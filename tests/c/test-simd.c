/* The vector code of every instruction set that the machine has, against plain loops. */
#include "base/memory.h"
#include "base/row.h"
#include "base/simd.h"
#include "check.h"
#include "data.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH 37
#define N 203

static void check_tiles(const mk_simd *simd) {
  double *a = MK_NEW(double, DEPTH *MK_TILE_ROWS), *b = MK_NEW(double, DEPTH *MK_TILE_COLS);
  double *dot = MK_NEW0(double, MK_TILE_ROWS *MK_TILE_COLS);
  double *distance = MK_NEW0(double, MK_TILE_ROWS *MK_TILE_COLS);
  data_fill(DEPTH * MK_TILE_ROWS, a);
  data_fill(DEPTH * MK_TILE_COLS, b);
  simd->dot_tile(DEPTH, a, b, dot);
  simd->distance_tile(DEPTH, a, b, distance);
  double worst_dot = 0.0, worst_distance = 0.0;
  for (int i = 0; i < MK_TILE_ROWS; i++)
    for (int j = 0; j < MK_TILE_COLS; j++) {
      double product = 0.0, square = 0.0;
      for (int k = 0; k < DEPTH; k++) {
        double x = a[k * MK_TILE_ROWS + i], z = b[k * MK_TILE_COLS + j];
        product += x * z;
        square += (x - z) * (x - z);
      }
      worst_dot = worse(worst_dot, fabs(dot[i * MK_TILE_COLS + j] - product));
      worst_distance = worse(worst_distance, fabs(distance[i * MK_TILE_COLS + j] - square));
    }
  CHECK_NEAR(worst_dot, 0.0, 1e-13);
  CHECK_NEAR(worst_distance, 0.0, 1e-13);
  mk_free(a);
  mk_free(b);
  mk_free(dot);
  mk_free(distance);
}

/* Products are compared at every length up to a few vectors. */
static void check_dots(const mk_simd *simd) {
  double x[N], values[MK_DOTS][N], out[MK_DOTS], worst = 0.0;
  const double *y[MK_DOTS];
  data_fill(N, x);
  for (int r = 0; r < MK_DOTS; r++) {
    data_fill(N, values[r]);
    y[r] = values[r];
  }
  for (size_t n = 0; n <= N; n += n < 40 ? 1 : N - 40) {
    simd->dots(n, x, y, out);
    for (int r = 0; r < MK_DOTS; r++) {
      double truth = 0.0;
      for (size_t k = 0; k < n; k++) truth += x[k] * y[r][k];
      worst = worse(worst, fabs(out[r] - truth));
      worst = worse(worst, fabs(simd->dot(n, x, y[r]) - truth));
    }
  }
  CHECK_NEAR(worst, 0.0, 1e-12);
}

static void check_exponential(const mk_simd *simd) {
  const double rates[] = {1e-6, 0.3, 1.0, 17.0};
  double d[N], out[N];
  for (int i = 0; i < N; i++) d[i] = i * 0.37;
  for (int r = 0; r < 4; r++) {
    double worst = 0.0; /* relative, where there is anything left */
    simd->exp_decay(N, d, rates[r], out);
    for (int i = 0; i < N; i++) {
      double truth = exp(-rates[r] * d[i]);
      worst = worse(worst, fabs(out[i] - truth) / (truth + 1e-286));
    }
    CHECK_NEAR(worst, 0.0, 1e-14);
    CHECK(out[0] == 1.0);
  }
}

/* Powers are compared at every length up to a few vectors, in place too. */
static void check_powers(const mk_simd *simd) {
  double x[N], out[N], worst = 0.0; /* relative */
  data_fill(N, x);
  for (size_t i = 0; i < N; i++) x[i] = fabs(x[i]);
  for (int degree = 1; degree <= 100; degree += degree < 12 ? 1 : 11)
    for (size_t n = 0; n <= N; n += n < 40 ? 1 : N - 40) {
      memcpy(out, x, sizeof x);
      simd->affine_power(n, out, -0.7, -0.2, degree, out);
      for (size_t i = 0; i < N; i++) {
        double truth = i < n ? pow(-0.7 * x[i] - 0.2, degree) : x[i];
        worst = worse(worst, fabs(out[i] - truth) / fabs(truth));
      }
    }
  CHECK_NEAR(worst, 0.0, 1e-12);
}

/* Rows of distances of either precision, of every length up to two vectors. */
static void check_row_exponentials(const mk_simd *simd, int single) {
  const double rates[] = {1e-6, 0.3, 17.0, 1e9}, unit = single ? 1e-6 : 1e-14;
  double x[N], weight[N], wide[N];
  float narrow[N], narrow_out[N];
  data_fill(N, x);
  data_fill(N, weight);
  for (size_t n = 1; n <= 70; n++)
    for (int r = 0; r < 4; r++) {
      double out[N], sum = 0.0, truth[N], worst = 0.0;
      void *row = single ? (void *)narrow : (void *)wide;
      simd->rows[single].squares(n, 0.25, x, row);
      for (size_t i = 0; i < n; i++) {
        double d = single ? (double)narrow[i] : wide[i];
        worst = worse(worst, fabs(d - (x[i] - 0.25) * (x[i] - 0.25)));
        truth[i] = exp(-rates[r] * d);
        sum += weight[i] * truth[i];
        out[i] = narrow_out[i] = 1.0f;
      }
      double got = simd->rows[single].exp_dot(n, row, rates[r], weight);
      CHECK_NEAR(got, sum, unit * (double)n);
      simd->rows[single].exp_add(n, row, rates[r], 0.5, single ? (void *)narrow_out : (void *)out);
      for (size_t i = 0; i < n; i++)
        worst = worse(worst, fabs((single ? narrow_out[i] : out[i]) - 1.0 - 0.5 * truth[i]));
      CHECK_NEAR(worst, 0.0, unit);
    }
}

/* Rows of both precisions hold the same values, which floats can hold. */
/* One variable: the gradient follows, and the one that gains most comes next. */
static void check_step_alone(const mk_simd *simd, int single, size_t padded, const void *row,
                             double *gradient, const double *values, const double *up,
                             const double *low) {
  double *inverse = MK_NEW(double, padded), best = 0.0, push = 0.0, worst = 0.0;
  double *truth = MK_NEW(double, padded);
  size_t arg = padded;
  for (size_t i = 0; i < padded; i++) {
    inverse[i] = 1.0 + (double)(i % 7);
    truth[i] = gradient[i] - 0.3 * values[i];
    double rise = truth[i] + up[i], fall = truth[i] + low[i];
    double slope = rise > 0.0 ? rise : fall < 0.0 ? fall : 0.0;
    if (!(slope * slope * inverse[i] > best)) continue;
    best = slope * slope * inverse[i];
    push = slope;
    arg = i;
  }
  mk_smo_pass pass;
  simd->rows[single].smo_alone(padded, gradient, row, 0.3, inverse, up, low, &pass);
  for (size_t i = 0; i < padded; i++) worst = worse(worst, fabs(gradient[i] - truth[i]));
  CHECK(worst <= 1e-14);
  CHECK_NEAR(pass.push, push, 1e-14);
  CHECK(pass.gain_arg == arg);
  mk_free(inverse);
  mk_free(truth);
}

/* The partner of the best variable to grow, of those that can shrink. */
static void check_partner(const mk_simd *simd, int single, const void *row, const double *values,
                          const double *gradient, const double *low, const void *below,
                          mk_smo_pass pass) {
  size_t padded = mk_padded(N), arg = padded;
  double *diagonal = MK_NEW(double, padded), best = 0.0, own = values[pass.up_arg];
  float *narrow = MK_NEW(float, padded);
  for (size_t i = 0; i < padded; i++) diagonal[i] = narrow[i] = (float)(2.0 + (double)(i % 5));
  for (size_t i = 0; i < N; i++) {
    double fall = pass.up_max - gradient[i] - low[i];
    double curvature = fmax(3.0 + own + diagonal[i] - 2.0 * values[i], 0.5);
    if (!(fall > 0.0 && fall * fall / curvature > best)) continue;
    best = fall * fall / curvature;
    arg = i;
  }
  simd->rows[single].smo_partner(padded, row, single ? (void *)narrow : diagonal, below, 3.0 + own,
                                 0.5, &pass);
  CHECK(pass.gain_arg == arg);
  pass.up_max = pass.low_min = -1e3; /* nobody is below */
  simd->rows[single].smo_partner(padded, row, single ? (void *)narrow : diagonal, below, 3.0 + own,
                                 0.5, &pass);
  CHECK(pass.gain_arg == padded);
  mk_free(diagonal);
  mk_free(narrow);
}

static void check_update(const mk_simd *simd, int single) {
  size_t padded = mk_padded(N);
  double *rows = MK_NEW0(double, 5 * padded), *gradient = rows + 2 * padded;
  double *up = rows + 3 * padded, *low = rows + 4 * padded, truth[N];
  float *floats = MK_NEW0(float, 2 * padded);
  data_fill(2 * padded, rows);
  data_fill(padded, gradient);
  for (size_t i = 0; i < 2 * padded; i++) rows[i] = floats[i] = (float)rows[i];
  for (size_t i = 0; i < padded; i++) {
    up[i] = i < N && i % 3 != 0 ? 0.0 : -INFINITY;
    low[i] = i < N && i % 5 != 0 ? 0.0 : INFINITY;
  }
  double most = -INFINITY, least = INFINITY;
  size_t arg = 0;
  for (size_t i = 0; i < N; i++) {
    truth[i] = gradient[i] - 0.7 * (rows[i] - rows[padded + i]);
    if (up[i] == 0.0 && truth[i] > most) {
      most = truth[i];
      arg = i;
    }
    if (low[i] == 0.0) least = fmin(least, truth[i]);
  }
  double *below = MK_NEW(double, padded);
  mk_smo_pass pass = {.level = 0.25};
  void *one = single ? (void *)floats : rows,
       *other = single ? (void *)(floats + padded) : rows + padded;
  simd->rows[single].smo_update(padded, gradient, one, other, 0.7, up, low, below, &pass);
  CHECK(data_distance(N, gradient, truth) <= 1e-14);
  CHECK_NEAR(pass.up_max, most, 1e-14);
  CHECK_NEAR(pass.low_min, least, 1e-14);
  CHECK(pass.up_arg == arg);
  check_partner(simd, single, one, rows, gradient, low, below, pass);
  check_step_alone(simd, single, padded, one, gradient, rows, up, low);
  mk_free(below);
  mk_free(rows);
  mk_free(floats);
}

static void check_single_tile(const mk_simd *simd) {
  float *a = MK_NEW(float, DEPTH *MK_TILE_ROWS), *b = MK_NEW(float, DEPTH *MK_TILE_COLS_SINGLE);
  float *dot = MK_NEW0(float, MK_TILE_ROWS *MK_TILE_COLS_SINGLE);
  double worst = 0.0;
  for (int k = 0; k < DEPTH * MK_TILE_ROWS; k++) a[k] = (float)data_next();
  for (int k = 0; k < DEPTH * MK_TILE_COLS_SINGLE; k++) b[k] = (float)data_next();
  const void *rows[MK_TILE_ROWS];
  for (int i = 0; i < MK_TILE_ROWS; i++) rows[i] = a + i * DEPTH;
  simd->rows[1].row_tile(DEPTH, rows, b, dot, MK_TILE_COLS_SINGLE);
  for (int i = 0; i < MK_TILE_ROWS; i++)
    for (int j = 0; j < MK_TILE_COLS_SINGLE; j++) {
      double product = 0.0;
      for (int k = 0; k < DEPTH; k++)
        product += (double)a[i * DEPTH + k] * b[k * MK_TILE_COLS_SINGLE + j];
      worst = worse(worst, fabs(dot[i * MK_TILE_COLS_SINGLE + j] - product));
    }
  CHECK_NEAR(worst, 0.0, 1e-4);
  mk_free(a);
  mk_free(b);
  mk_free(dot);
}

#define OCTAVES 3
#define PIECES (OCTAVES * MK_FINE_PIECES)

/* Values on fine pieces and their moments: sums of weights times any table are the same by both. */
static void check_fine_pieces(const mk_simd *simd) {
  double coef[PIECES * MK_PIECE_TERMS], d[N], weight[N], out[N], sum = 0.0, truth = 0.0;
  double *moments = MK_NEW0(double, PIECES *MK_PIECE_TERMS), worst = 0.0;
  mk_table table = {.inv_sigma = 0.5, .u_max = 7.999, .pieces = PIECES, .coef = coef};
  data_fill(PIECES * MK_PIECE_TERMS, coef);
  data_fill(N, weight);
  for (int i = 0; i < N; i++) {
    d[i] = i == 0 ? 0.0 : 9.0 * (1.0 + data_next()); /* the largest are beyond the table */
    out[i] = 1.0;
  }
  simd->fine_add(N, d, &table, out);
  for (int i = 0; i < N; i++) {
    double u = fmin(1.0 + 0.5 * d[i], 7.999), octave = floor(log2(u));
    double place = (u / exp2(octave) - 1.0) * MK_FINE_PIECES,
           z = 2.0 * (place - floor(place)) - 1.0;
    const double *c = coef + (size_t)(octave * MK_FINE_PIECES + floor(place)) * MK_PIECE_TERMS;
    double value = 0.0;
    for (int r = MK_PIECE_TERMS; r-- > 0;) value = value * z + c[r];
    worst = worse(worst, fabs(out[i] - 1.0 - value));
    truth += weight[i] * value;
  }
  CHECK_NEAR(worst, 0.0, 1e-11);
  simd->fine_moments(N, d, weight, &table, moments);
  for (size_t k = 0; k < PIECES; k++)
    for (size_t r = 0; r < MK_PIECE_TERMS; r++)
      sum += moments[k * MK_PIECE_TERMS + r] * coef[k * MK_PIECE_TERMS + r];
  CHECK_NEAR(sum, truth, 1e-10);
  mk_free(moments);
}

/* Moments of rows of either precision, whole vectors and rests of them, against the plain sums. */
static void check_row_moments(const mk_simd *simd, int single) {
  enum { MOST = 300 };
  const size_t terms = MK_PIECE_TERMS, cut = MK_OCTAVE_PIECES, bins = OCTAVES * cut * terms;
  double d[MOST], weight[MOST], seen[PIECES * MK_PIECE_TERMS], truth[PIECES * MK_PIECE_TERMS];
  float narrow[MOST];
  mk_table table = {.inv_sigma = 0.5, .u_max = 7.999};
  mk_row row = {single ? (void *)narrow : (void *)d, single};
  data_fill(MOST, weight);
  for (int i = 0; i < MOST; i++) {
    narrow[i] = i == 5 ? 0.0f : (float)(9.0 * (1.0 + data_next()));
    d[i] = narrow[i];
  }
  for (size_t n = 0; n <= MOST; n += n < 20 ? 1 : 35) {
    memset(seen, 0, sizeof seen);
    memset(truth, 0, sizeof truth);
    for (size_t i = 0; i < n; i++) {
      double u = fmin(1.0 + 0.5 * d[i], 7.999), octave = floor(log2(u));
      double place = (u / exp2(octave) - 1.0) * (double)cut, power = weight[i];
      double *bin = truth + (size_t)(octave * (double)cut + floor(place)) * terms;
      for (size_t r = 0; r < terms; r++, power *= 2.0 * (place - floor(place)) - 1.0)
        bin[r] += power;
    }
    simd->rows[single].table_moments(n, row.at, weight, &table, seen);
    CHECK_NEAR(data_distance(bins, seen, truth), 0.0, 1e-12);
  }
}

static void check_common_terms(const mk_simd *simd) {
  double value[N], term[MK_PIECE_TERMS], coef[N * MK_PIECE_TERMS], sum[N * MK_PIECE_TERMS];
  data_fill(N, value);
  data_fill(MK_PIECE_TERMS, term);
  data_fill(N * MK_PIECE_TERMS, coef);
  for (size_t n = 0; n <= N; n += 29) {
    double product = 0.0, size = 1.0;
    for (size_t k = 0; k < N * MK_PIECE_TERMS; k++) {
      double polynomial = k < n * MK_PIECE_TERMS ? value[k / MK_PIECE_TERMS] : 0.0;
      polynomial *= term[k % MK_PIECE_TERMS];
      product += polynomial * coef[k];
      size += fabs(polynomial * coef[k]);
      sum[k] = coef[k] + polynomial;
    }
    CHECK_NEAR(simd->piece_dot(n, value, term, coef), product, 1e-14 * size);
    simd->piece_add(n, value, term, coef);
    CHECK_NEAR(data_distance(N * MK_PIECE_TERMS, coef, sum), 0.0, 1e-14);
  }
}

static void check_tile_distances(const mk_simd *simd) {
  double tile[MK_TILE_ROWS * 20], row[MK_TILE_ROWS], col[MK_TILE_COLS], out[MK_TILE_ROWS * 18];
  double worst = 0.0;
  for (int i = 0; i < MK_TILE_ROWS * 20; i++) tile[i] = 0.5 * data_next();
  for (int i = 0; i < MK_TILE_ROWS; i++) row[i] = 2.0 + data_next();
  for (int j = 0; j < MK_TILE_COLS; j++) col[j] = 2.0 + data_next();
  CHECK(!simd->tile_distances(tile, 20, row, col, 1e-3, out, 18));
  for (int i = 0; i < MK_TILE_ROWS; i++)
    for (int j = 0; j < MK_TILE_COLS; j++)
      worst = worse(worst, fabs(out[i * 18 + j] - (row[i] + col[j] - 2.0 * tile[i * 20 + j])));
  CHECK_NEAR(worst, 0.0, 1e-15);
  tile[3 * 20 + 15] = 0.49999 * (row[3] + col[15]);
  CHECK(simd->tile_distances(tile, 20, row, col, 1e-3, out, 18));
  tile[3 * 20 + 15] = 0.6 * (row[3] + col[15]);
  CHECK(simd->tile_distances(tile, 20, row, col, 1e-3, out, 18) && out[3 * 18 + 15] == 0.0);
  tile[3 * 20 + 15] = INFINITY;
  row[3] = INFINITY;
  CHECK(simd->tile_distances(tile, 20, row, col, 1e-3, out, 18));
}

static void check_sparse_tile(const mk_simd *simd, int single) {
  enum { LD = 4 * MK_TILE_COLS_SINGLE };
  const size_t start[4] = {0, 3, 3, 5}, size = mk_row_size(single), panel = MK_TILE_BYTES / size;
  const unsigned char index[5] = {0, 7, 36, 2, 36};
  double value[5], b[2 * DEPTH * MK_TILE_COLS_SINGLE], out[3 * LD], seen[3 * LD], worst = 0.0;
  float rows[5 + 2 * DEPTH * MK_TILE_COLS_SINGLE + 3 * LD];
  double wide[5 + 2 * DEPTH * MK_TILE_COLS_SINGLE + 3 * LD];
  data_fill(5, value);
  data_fill(2 * DEPTH * panel, b);
  for (int k = 0; k < 3 * LD; k++) out[k] = k % 7;
  mk_row values = {single ? (void *)rows : (void *)wide, single};
  mk_row panels = mk_row_from(values, 5), to = mk_row_from(panels, 2 * DEPTH * panel);
  mk_row_store(values, value, 5);
  mk_row_store(panels, b, 2 * DEPTH * panel);
  mk_row_store(to, out, 3 * LD);
  simd->rows[single].sparse_tile(3, start, index, values.at, panels.at, DEPTH * panel, to.at, LD);
  const double *result = mk_row_doubles(to, 3 * LD, seen);
  for (size_t r = 0; r < 3; r++)
    for (size_t j = 0; j < LD; j++) {
      double truth = out[r * LD + j];
      for (size_t e = start[r]; j < 2 * panel && e < start[r + 1]; e++)
        truth += value[e] * b[j / panel * DEPTH * panel + index[e] * panel + j % panel];
      worst = worse(worst, fabs(result[r * LD + j] - truth));
    }
  CHECK_NEAR(worst, 0.0, single ? 1e-5 : 1e-13);
}

static void check_sums_of_vectors(const mk_simd *simd) {
  double x[15 * N], a[15], y[N], sum[N];
  float narrow[15 * N];
  const void *rows[2][15];
  data_fill(15 * N, x);
  data_fill(15, a);
  for (size_t i = 0; i < 15 * N; i++) x[i] = narrow[i] = (float)x[i];
  for (int k = 0; k < 15; k++) {
    rows[0][k] = x + k * N;
    rows[1][k] = narrow + k * N;
  }
  for (size_t k = 0; k < 32; k++) {
    size_t count = k / 2;
    data_fill(N, y);
    for (size_t i = 0; i < N; i++) {
      sum[i] = y[i];
      for (size_t j = 0; j < count; j++) sum[i] += a[j] * x[j * N + i];
    }
    simd->rows[k % 2].combine(N, count, rows[k % 2], a, y);
    CHECK_NEAR(data_distance(N, y, sum), 0.0, 1e-14);
  }
  for (size_t i = 0; i < N; i++) sum[i] = y[i] - 0.3 * x[i] * x[N + i];
  simd->add_scaled(N, -0.3, x, x + N, y);
  CHECK_NEAR(data_distance(N, y, sum), 0.0, 1e-14);
}

/* Tiles of every size in a matrix that has one odd pair. */
static void check_mirrors(const mk_simd *simd) {
  enum { SIZE = 2 * MK_MIRROR };
  double *k = MK_NEW(double, SIZE *SIZE), diagonal[SIZE];
  int wrong = 0;
  for (int i = 0; i < SIZE; i++) {
    diagonal[i] = 1.0;
    for (int j = 0; j < SIZE; j++) k[i * SIZE + j] = 1.0 / (1.0 + abs(i - j));
  }
  k[3 * SIZE + MK_MIRROR + 5] = -1.25; /* row 5 and column 3 of the tile */
  for (size_t rows = 1; rows <= MK_MIRROR; rows++)
    for (size_t cols = 1; cols <= MK_MIRROR; cols += 5) {
      mk_comparison seen = {0};
      int odd = rows > 5 && cols > 3;
      simd->compare_mirror(rows, cols, SIZE, k + MK_MIRROR, k + MK_MIRROR * SIZE,
                           diagonal + MK_MIRROR, diagonal, &seen);
      wrong += !seen.finite || (seen.largest == 1.25) != odd || (seen.difference > 1.0) != odd;
      wrong += odd ? fabs(seen.minor - 0.5625) > 1e-7 : seen.minor != 0.0;
    }
  CHECK(wrong == 0);
  mk_free(k);
}

/* Some bins more than once, bytes that run full. */
static void check_signs(const mk_simd *simd) {
  enum { BINS = 7 };
  static unsigned char row[MK_SIGN_LANES], cols[N * MK_SIGN_LANES], few[BINS * MK_SIGN_LANES];
  static unsigned char expected[BINS * MK_SIGN_LANES];
  int bin[N], wrong = 0;
  for (int k = 0; k < MK_SIGN_LANES; k++) row[k] = k % 7 < 3;
  for (int k = 0; k < N * MK_SIGN_LANES; k++) cols[k] = k % 11 * (k % 5) % 3 == 1;
  for (int k = 0; k < BINS * MK_SIGN_LANES; k++) few[k] = expected[k] = (unsigned char)(k % 99);
  for (int c = 0; c < N; c++) {
    bin[c] = c % 3 ? c % BINS : 2;
    for (int t = 0; t < MK_SIGN_LANES; t++)
      expected[bin[c] * MK_SIGN_LANES + t] += row[t] ^ cols[c * MK_SIGN_LANES + t];
  }
  simd->count_signs(N, bin, row, cols, few);
  for (int k = 0; k < BINS * MK_SIGN_LANES; k++) wrong += few[k] != expected[k];
  CHECK(wrong == 0);
}

#define NEAR_DEPTH 5

static void check_near_sums(const mk_simd *simd) {
  size_t apart = N + MK_READ_AHEAD;
  double *x = MK_NEW0(double, NEAR_DEPTH *apart), own[NEAR_DEPTH], weight[N + MK_READ_AHEAD];
  data_fill(NEAR_DEPTH * apart, x);
  data_fill(NEAR_DEPTH, own);
  for (size_t n = 0; n <= N; n += n < 20 ? 1 : 61)
    for (size_t depth = 1; depth <= NEAR_DEPTH; depth++) {
      double truth = 0.0;
      memset(weight, 0, sizeof weight);
      data_fill(n, weight);
      for (size_t c = 0; c < n; c++) {
        double distance = 0.0;
        for (size_t k = 0; k < depth; k++)
          distance += (own[k] - x[k * apart + c]) * (own[k] - x[k * apart + c]);
        truth += weight[c] * exp(-0.7 * distance);
      }
      CHECK_NEAR(simd->gaussian_dot(n, depth, own, x, apart, 0.7, weight), truth, 1e-13);
    }
  mk_free(x);
}

/* Returns 1 if all values are the first one, bit by bit. */
static int are_equal(size_t n, const double *x) {
  size_t same = 0;
  for (size_t i = 0; i < n; i++) same += memcmp(x + i, x, sizeof *x) == 0;
  return same == n;
}

/* Equal samples have equal values, whether they fill vectors or are the last ones of a row: with few
 * features, equal rows of new data have equal predictions in every batch. */
static void check_places(const mk_simd *simd) {
  enum { PLACES = 71, COLUMNS = 7 };
  double own[COLUMNS], x[COLUMNS * PLACES], coef[PIECES * MK_PIECE_TERMS];
  double distance[PLACES], value[PLACES], mixed[PLACES], tabled[PLACES], power[PLACES];
  mk_table table = {.inv_sigma = 0.5, .u_max = 7.999, .pieces = PIECES, .coef = coef};
  data_fill(PIECES * MK_PIECE_TERMS, coef);
  for (size_t n = 1; n <= PLACES; n++)
    for (size_t depth = 1; depth <= COLUMNS; depth++) {
      data_fill(COLUMNS, own);
      for (size_t k = 0; k < depth; k++) {
        double same = data_next();
        for (size_t i = 0; i < n; i++) x[k * PLACES + i] = same;
      }
      for (size_t i = 0; i < n; i++) mixed[i] = tabled[i] = 0.3;
      simd->rows[0].few_squares(n, depth, own, x, PLACES, distance);
      simd->exp_decay(n, distance, 0.7, value);
      simd->axpy(n, own[0], value, mixed);
      simd->add_squares(n, own[0], x, mixed);
      simd->rows[0].exp_add(n, distance, 0.3, own[0], mixed);
      simd->fine_add(n, distance, &table, tabled);
      simd->affine_power(n, distance, 0.7, 0.1, 3, power);
      CHECK(are_equal(n, distance) && are_equal(n, value) && are_equal(n, mixed));
      CHECK(are_equal(n, tabled) && are_equal(n, power));
    }
}

static void check_all(const mk_simd *simd) {
  check_places(simd);
  check_signs(simd);
  check_fine_pieces(simd);
  check_common_terms(simd);
  check_tile_distances(simd);
  for (int single = 0; single < 2; single++) check_sparse_tile(simd, single);
  check_sums_of_vectors(simd);
  check_mirrors(simd);
  check_tiles(simd);
  check_dots(simd);
  check_exponential(simd);
  check_powers(simd);
  for (int single = 0; single < 2; single++) check_row_exponentials(simd, single);
  check_update(simd, 0);
  check_update(simd, 1);
  check_single_tile(simd);
  for (int single = 0; single < 2; single++) check_row_moments(simd, single);
}

typedef void (*check)(const mk_simd *simd);

static void check_wider(check one) {
#ifdef MK_SIMD_DISPATCH
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) one(&mk_simd_avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) one(&mk_simd_avx512);
#endif
  one(mk_simd_best());
}

static void test_baseline(void) {
  check_all(&mk_simd_baseline);
}

static void test_wider_sets(void) {
  check_wider(check_all);
}

static void test_near_sums(void) {
  check_near_sums(&mk_simd_baseline);
  check_wider(check_near_sums);
}

int main(void) {
  RUN(test_baseline);
  RUN(test_wider_sets);
  RUN(test_near_sums);
  return REPORT();
}
