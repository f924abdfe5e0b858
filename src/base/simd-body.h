/* The loops of simd.h in portable vector code. Include it after defining
 * MK_SIMD_TABLE (name of the mk_simd object), MK_SIMD_NAME (a string) and
 * MK_SIMD_WIDTH (doubles in a vector). */

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define W MK_SIMD_WIDTH
typedef double vd __attribute__((vector_size(8 * W)));
typedef int64_t vi __attribute__((vector_size(8 * W)));
/* vectors at any address in memory */
typedef double vu __attribute__((vector_size(8 * W), aligned(8), may_alias));
typedef int64_t viu __attribute__((vector_size(8 * W), aligned(8), may_alias));

#define LOAD(p) (*(const vu *)(p))
#define STORE(p, v) (*(vu *)(p) = (v))
#define STORE_INTEGERS(p, v) (*(viu *)(p) = (v))
#if W == 8
#define SPLAT(x) ((vd){(x), (x), (x), (x), (x), (x), (x), (x)})
#define IOTA ((vd){0, 1, 2, 3, 4, 5, 6, 7})
#elif W == 4
#define SPLAT(x) ((vd){(x), (x), (x), (x)})
#define IOTA ((vd){0, 1, 2, 3})
#else
#define SPLAT(x) ((vd){(x), (x)})
#define IOTA ((vd){0, 1})
#endif
#define SELECT(mask, yes, no) ((vd)(((mask) & (vi)(yes)) | (~(mask) & (vi)(no))))
#define INLINE static inline __attribute__((always_inline))

/* ---- tiles ---- */

/* A tile is computed in strips of two vectors, whose eight running sums hide the latency of
 * multiplications and fit in sixteen registers. */
#define ADD_PRODUCT(c, x, y) c += x * y
#define ADD_SQUARE(c, x, y)                                                                        \
  do {                                                                                             \
    vd difference = x - y;                                                                         \
    c += difference * difference;                                                                  \
  } while (0)

#define TILE_BODY(TERM)                                                                            \
  const double *a = left, *b = right;                                                              \
  double *c = out;                                                                                 \
  for (size_t s = 0; s < MK_TILE_COLS; s += 2 * W) {                                               \
    double *c0 = c + s, *c1 = c0 + MK_TILE_COLS;                                                   \
    double *c2 = c1 + MK_TILE_COLS, *c3 = c2 + MK_TILE_COLS;                                       \
    vd s00 = LOAD(c0), s01 = LOAD(c0 + W), s10 = LOAD(c1), s11 = LOAD(c1 + W);                     \
    vd s20 = LOAD(c2), s21 = LOAD(c2 + W), s30 = LOAD(c3), s31 = LOAD(c3 + W);                     \
    const double *x = a, *y = b + s;                                                               \
    for (size_t k = 0; k < depth; k++, x += MK_TILE_ROWS, y += MK_TILE_COLS) {                     \
      vd y0 = LOAD(y), y1 = LOAD(y + W);                                                           \
      TERM(s00, x[0], y0);                                                                         \
      TERM(s01, x[0], y1);                                                                         \
      TERM(s10, x[1], y0);                                                                         \
      TERM(s11, x[1], y1);                                                                         \
      TERM(s20, x[2], y0);                                                                         \
      TERM(s21, x[2], y1);                                                                         \
      TERM(s30, x[3], y0);                                                                         \
      TERM(s31, x[3], y1);                                                                         \
    }                                                                                              \
    STORE(c0, s00);                                                                                \
    STORE(c0 + W, s01);                                                                            \
    STORE(c1, s10);                                                                                \
    STORE(c1 + W, s11);                                                                            \
    STORE(c2, s20);                                                                                \
    STORE(c2 + W, s21);                                                                            \
    STORE(c3, s30);                                                                                \
    STORE(c3 + W, s31);                                                                            \
  }

static void dot_tile(size_t depth, const void *left, const void *right, void *out) {
  TILE_BODY(ADD_PRODUCT)
}

static void distance_tile(size_t depth, const void *left, const void *right, void *out) {
  TILE_BODY(ADD_SQUARE)
}

/* ---- vectors ---- */

static double lane_sum(vd x) {
  double sum = 0.0;
  for (int k = 0; k < W; k++) sum += x[k];
  return sum;
}

static double dot(size_t n, const double *x, const double *y) {
  vd s0 = SPLAT(0.0), s1 = s0, s2 = s0, s3 = s0;
  size_t i = 0;
  for (; i + 4 * W <= n; i += 4 * W) {
    s0 += LOAD(x + i) * LOAD(y + i);
    s1 += LOAD(x + i + W) * LOAD(y + i + W);
    s2 += LOAD(x + i + 2 * W) * LOAD(y + i + 2 * W);
    s3 += LOAD(x + i + 3 * W) * LOAD(y + i + 3 * W);
  }
  s0 = (s0 + s1) + (s2 + s3);
  double sum = lane_sum(s0);
  for (; i < n; i++) sum += x[i] * y[i];
  return sum;
}

static void dots(size_t n, const double *x, const double *const *y, double *out) {
  const double *y0 = y[0], *y1 = y[1], *y2 = y[2], *y3 = y[3];
  vd s0 = SPLAT(0.0), s1 = s0, s2 = s0, s3 = s0;
  size_t i = 0;
  for (; i + W <= n; i += W) {
    vd shared = LOAD(x + i);
    s0 += shared * LOAD(y0 + i);
    s1 += shared * LOAD(y1 + i);
    s2 += shared * LOAD(y2 + i);
    s3 += shared * LOAD(y3 + i);
  }
  out[0] = lane_sum(s0), out[1] = lane_sum(s1), out[2] = lane_sum(s2), out[3] = lane_sum(s3);
  for (; i < n; i++)
    for (int r = 0; r < MK_DOTS; r++) out[r] += x[i] * y[r][i];
}

static void axpy(size_t n, double a, const double *x, double *y) {
  size_t i = 0;
  const vd scale = SPLAT(a);
  for (; i + W <= n; i += W) STORE(y + i, LOAD(y + i) + scale * LOAD(x + i));
  for (; i < n; i++) y[i] += a * x[i];
}

static void add_squares(size_t n, double a, const double *x, double *y) {
  size_t i = 0;
  const vd centre = SPLAT(a);
  for (; i + W <= n; i += W) {
    vd difference = LOAD(x + i) - centre;
    STORE(y + i, LOAD(y + i) + difference * difference);
  }
  for (; i < n; i++) y[i] += (x[i] - a) * (x[i] - a);
}

/* ---- tables ---- */

#include "simd-tables.h"

/* ---- exponential ---- */

/* Returns exp(x) for x <= 0. With x = k log 2 + r, |r| <= log(2)/2, the Taylor series of exp(r) to
 * r^13 (remainder below 1e-17) is scaled by 2^k through the exponent bits. */
INLINE vd exp_nonpositive(vd x) {
  const vd shift = SPLAT(6755399441055744.0); /* 1.5 * 2^52: adding it rounds to an integer */
  x = SELECT(x < SPLAT(-708.0), SPLAT(-708.0), x);
  vd k = x * SPLAT(1.4426950408889634) + shift;
  vi power = (vi)k << MANTISSA_BITS;
  k -= shift;
  vd r = (x - k * SPLAT(6.93147180369123816490e-01)) - k * SPLAT(1.90821492927058770002e-10);
  vd r2 = r * r, r4 = r2 * r2;
  vd t0 = (SPLAT(1.0) + r) + r2 * (SPLAT(1.0 / 2) + r * SPLAT(1.0 / 6));
  vd t1 =
      (SPLAT(1.0 / 24) + r * SPLAT(1.0 / 120)) + r2 * (SPLAT(1.0 / 720) + r * SPLAT(1.0 / 5040));
  vd t2 = (SPLAT(1.0 / 40320) + r * SPLAT(1.0 / 362880)) +
          r2 * (SPLAT(1.0 / 3628800) + r * SPLAT(1.0 / 39916800));
  vd t3 = SPLAT(1.0 / 479001600) + r * SPLAT(1.0 / 6227020800.0);
  vd sum = t0 + r4 * (t1 + r4 * (t2 + r4 * t3));
  return (vd)((vi)sum + power);
}

/* The exponential of floats in the same way, by the Taylor series to r^7 (remainder below 1e-8). */
typedef float vf __attribute__((vector_size(8 * W)));
typedef int32_t vi32 __attribute__((vector_size(8 * W)));

INLINE vf exp_nonpositive_single(vf x) {
  vi32 tiny = x < -87.0f;
  x = (vf)((~tiny & (vi32)x) | (tiny & (vi32)(x * 0.0f - 87.0f)));
  vf k = x * 1.44269504f + 12582912.0f; /* 1.5 * 2^23 */
  vi32 power = (vi32)k << 23;
  k -= 12582912.0f;
  vf r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
  vf r2 = r * r, r4 = r2 * r2;
  vf t0 = (1.0f + r) + r2 * (1.0f / 2 + r * (1.0f / 6));
  vf t1 = (1.0f / 24 + r * (1.0f / 120)) + r2 * (1.0f / 720 + r * (1.0f / 5040));
  return (vf)((vi32)(t0 + r4 * t1) + power);
}

#define exp_nonpositive_double exp_nonpositive

static void exp_decay(size_t n, const double *d, double rate, double *out) {
  size_t i = 0;
  double rest[W] = {0};
  const vd minus_rate = SPLAT(-rate);
  for (; i + W <= n; i += W) STORE(out + i, exp_nonpositive(LOAD(d + i) * minus_rate));
  if (i == n) return;
  memcpy(rest, d + i, (n - i) * sizeof *rest);
  STORE(rest, exp_nonpositive(LOAD(rest) * minus_rate));
  memcpy(out + i, rest, (n - i) * sizeof *rest);
}

/* Computes powers by repeated squaring. */
INLINE vd power_of(vd base, int degree) {
  vd out = SPLAT(1.0);
  for (; degree > 0; degree >>= 1, base *= base)
    if (degree & 1) out *= base;
  return out;
}

static void affine_power(size_t n, const double *x, double scale, double offset, int degree,
                         double *out) {
  size_t i = 0;
  double rest[W] = {0};
  const vd slope = SPLAT(scale), start = SPLAT(offset);
  for (; i + W <= n; i += W) STORE(out + i, power_of(LOAD(x + i) * slope + start, degree));
  if (i == n) return;
  memcpy(rest, x + i, (n - i) * sizeof *rest);
  STORE(rest, power_of(LOAD(rest) * slope + start, degree));
  memcpy(out + i, rest, (n - i) * sizeof *rest);
}

/* ---- rows ---- */

#define REAL double
#define WHOLE int64_t
#define ROWS(name) name##_double
#include "simd-rows.h"
#undef REAL
#undef WHOLE
#undef ROWS
#define REAL float
#define WHOLE int32_t
#define ROWS(name) name##_single
#include "simd-rows.h"
#undef REAL
#undef WHOLE
#undef ROWS

#define ROW_LOOPS(precision, table)                                                                \
  {                                                                                                \
    .row_tile = row_tile_##precision, .sparse_tile = sparse_tile_##precision,                      \
    .to_distance = to_distance_##precision, .axpy = axpy_##precision, .add = add_##precision,      \
    .dot = dot_##precision, .dot_double = dot_double_##precision, .table_add = table,              \
    .table_moments = table_moments_##precision, .squares = squares_##precision,                    \
    .few_squares = few_squares_##precision, .exp_add = exp_add_##precision,                        \
    .exp_dot = exp_dot_##precision, .smo_update = smo_update_##precision,                          \
    .smo_partner = smo_partner_##precision, .smo_alone = smo_alone_##precision,                    \
    .local_pair = local_pair_##precision, .combine = combine_##precision,                          \
  }

/* ---- exact values ---- */

static void fine_add(size_t n, const double *d, const mk_table *table, double *out) {
  add_table(n, d, table, FINE_BITS, out);
}

static void fine_moments(size_t n, const double *d, const double *weight, const mk_table *table,
                         double *moments) {
  add_moments_double(n, d, weight, table, FINE_BITS, moments);
}

static int tile_distances(const double *tile, size_t tile_ld, const double *row_square,
                          const double *col_square, double near, double *out, size_t ld) {
  vi found = {0};
  const vd zero = SPLAT(0.0);
  for (size_t r = 0; r < MK_TILE_ROWS; r++, tile += tile_ld)
    for (size_t c = 0; c < MK_TILE_COLS; c += W) {
      vd both = SPLAT(row_square[r]) + LOAD(col_square + c), product = LOAD(tile + c);
      vd d = both - (product + product);
      found |= ~(vi)(d >= SPLAT(near) * both); /* overflow counts, too */
      STORE(out + r * ld + c, SELECT(d > zero, d, zero));
    }
  int64_t any = 0;
  for (int k = 0; k < W; k++) any |= found[k];
  return any != 0;
}

/* ---- sums of vectors ---- */

static void add_scaled(size_t n, double a, const double *scale, const double *x, double *y) {
  size_t i = 0;
  const vd factor = SPLAT(a);
  for (; i + W <= n; i += W) STORE(y + i, LOAD(y + i) + factor * LOAD(scale + i) * LOAD(x + i));
  for (; i < n; i++) y[i] += a * scale[i] * x[i];
}

/* ---- a tile of a matrix and its mirror image ---- */

#define LARGER(a, b) SELECT((a) > (b), a, b)

static void compare_mirror(size_t rows, size_t cols, size_t ld, const double *tile,
                           const double *mirror, const double *row_diagonal,
                           const double *col_diagonal, mk_comparison *seen) {
  double turned[MK_MIRROR * MK_MIRROR] __attribute__((aligned(64)));
  const vd zero = SPLAT(0.0), nearly = SPLAT(1.0 - 1e-8);
  vd largest = zero, difference = zero, minor = zero, bad = zero;
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c < cols; c++) turned[c * MK_MIRROR + r] = mirror[r * ld + c];
  for (size_t c = 0; c < cols; c++) {
    double rest[MK_MIRROR] = {0}, *other = turned + c * MK_MIRROR, diagonal[MK_MIRROR] = {0};
    const double *own = tile + c * ld, *beside = row_diagonal;
    if (rows < MK_MIRROR) { /* missing values are 0 */
      memcpy(rest, own, rows * sizeof *rest);
      memcpy(diagonal, row_diagonal, rows * sizeof *diagonal);
      memset(other + rows, 0, (MK_MIRROR - rows) * sizeof *other);
      own = rest;
      beside = diagonal;
    }
    for (size_t r = 0; r < MK_MIRROR; r += W) {
      vd x = LOAD(own + r), apart = x - LOAD(other + r);
      vd negative = zero - x, opposite = zero - apart;
      vd excess = nearly * x * x - SPLAT(col_diagonal[c]) * LOAD(beside + r);
      largest = LARGER(x, largest);
      largest = LARGER(negative, largest);
      difference = LARGER(apart, difference);
      difference = LARGER(opposite, difference);
      minor = LARGER(excess, minor);
      bad += apart * zero;
    }
  }
  for (int k = 0; k < W; k++) {
    if (largest[k] > seen->largest) seen->largest = largest[k];
    if (difference[k] > seen->difference) seen->difference = difference[k];
    if (minor[k] > seen->minor) seen->minor = minor[k];
  }
  double sum = 0.0;
  for (int k = 0; k < W; k++) sum += bad[k];
  seen->finite = sum == 0.0;
}

/* ---- pieces with terms in common ---- */

#define PARTS (MK_PIECE_TERMS / W)

static void piece_add(size_t n, const double *value, const double *term, double *coef) {
  vd part[PARTS];
  for (int k = 0; k < PARTS; k++) part[k] = LOAD(term + k * W);
  for (size_t i = 0; i < n; i++, coef += MK_PIECE_TERMS)
    for (int k = 0; k < PARTS; k++)
      STORE(coef + k * W, LOAD(coef + k * W) + SPLAT(value[i]) * part[k]);
}

/* Two running sums hide some of the latency. */
static double piece_dot(size_t n, const double *value, const double *term, const double *moments) {
  vd even[PARTS] = {{0}}, odd[PARTS] = {{0}}, sums = {0};
  size_t i = 0;
  for (; i + 2 <= n; i += 2, moments += 2 * MK_PIECE_TERMS)
    for (int k = 0; k < PARTS; k++) {
      even[k] += SPLAT(value[i]) * LOAD(moments + k * W);
      odd[k] += SPLAT(value[i + 1]) * LOAD(moments + MK_PIECE_TERMS + k * W);
    }
  for (int k = 0; i < n && k < PARTS; k++) even[k] += SPLAT(value[i]) * LOAD(moments + k * W);
  for (int k = 0; k < PARTS; k++) sums += (even[k] + odd[k]) * LOAD(term + k * W);
  double sum = 0.0;
  for (int k = 0; k < W; k++) sum += sums[k];
  return sum;
}

/* ---- signs ---- */

typedef unsigned char vb __attribute__((vector_size(8 * W)));
typedef unsigned char vbu __attribute__((vector_size(8 * W), aligned(1), may_alias));

static void count_signs(size_t n, const int *bin, const unsigned char *row,
                        const unsigned char *cols, unsigned char *few) {
  vb own[MK_SIGN_LANES / (8 * W)];
  for (size_t k = 0; k < MK_SIGN_LANES / (8 * W); k++) own[k] = *(const vbu *)(row + k * 8 * W);
  for (size_t c = 0; c < n; c++, cols += MK_SIGN_LANES) {
    unsigned char *to = few + (size_t)bin[c] * MK_SIGN_LANES;
    for (size_t k = 0; k < MK_SIGN_LANES / (8 * W); k++)
      *(vbu *)(to + k * 8 * W) =
          *(const vbu *)(to + k * 8 * W) + (own[k] ^ *(const vbu *)(cols + k * 8 * W));
  }
}

/* ---- locally linear kernels ---- */

static void local_collect(size_t n, double w, double wd, const double *h, const double *u,
                          double *sum_h, double *sum_u, double *sum_d) {
  const vd weight = SPLAT(w), far = SPLAT(wd);
  for (size_t i = 0; i < n; i += W) {
    vd value = LOAD(h + i);
    STORE(sum_h + i, LOAD(sum_h + i) + weight * value);
    STORE(sum_u + i, LOAD(sum_u + i) + weight * LOAD(u + i));
    STORE(sum_d + i, LOAD(sum_d + i) + far * value);
  }
}

/* ---- near and far ---- */

static double gaussian_dot(size_t n, size_t depth, const double *own, const double *x, size_t ld,
                           double rate, const double *weight) {
  const vd minus_rate = SPLAT(-rate);
  vd s0 = SPLAT(0.0), s1 = s0;
  for (size_t c = 0; c < n; c += 2 * W) {
    vd d0 = SPLAT(0.0), d1 = d0;
    for (size_t k = 0; k < depth; k++) {
      vd centre = SPLAT(own[k]);
      vd apart0 = LOAD(x + k * ld + c) - centre, apart1 = LOAD(x + k * ld + c + W) - centre;
      d0 += apart0 * apart0;
      d1 += apart1 * apart1;
    }
    s0 += LOAD(weight + c) * exp_nonpositive(d0 * minus_rate);
    s1 += LOAD(weight + c + W) * exp_nonpositive(d1 * minus_rate);
  }
  s0 += s1;
  double sum = 0.0;
  for (int k = 0; k < W; k++) sum += s0[k];
  return sum;
}

const mk_simd MK_SIMD_TABLE = {
    .name = MK_SIMD_NAME,
    .dot_tile = dot_tile,
    .distance_tile = distance_tile,
    .dot = dot,
    .dots = dots,
    .axpy = axpy,
    .add_squares = add_squares,
    .exp_decay = exp_decay,
    .affine_power = affine_power,
    .rows = {ROW_LOOPS(double, table_add), ROW_LOOPS(single, table_add_single)},
    .fine_add = fine_add,
    .fine_moments = fine_moments,
    .tile_distances = tile_distances,
    .add_scaled = add_scaled,
    .compare_mirror = compare_mirror,
    .piece_add = piece_add,
    .piece_dot = piece_dot,
    .count_signs = count_signs,
    .local_collect = local_collect,
    .gaussian_dot = gaussian_dot,
};
