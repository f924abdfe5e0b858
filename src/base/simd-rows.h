/* The loops over rows of values, once for each precision: include with REAL
 * (float or double) and ROWS(name) defined. Sums are kept in double, except
 * in the tiles, whose products are of the precision of their factors. */

typedef REAL ROWS(vector) __attribute__((vector_size(8 * W)));
typedef REAL ROWS(memory) __attribute__((vector_size(8 * W), aligned(sizeof(REAL)), may_alias));
typedef REAL ROWS(part)
    __attribute__((vector_size(W * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

/* the type of comparisons of vectors */
typedef WHOLE ROWS(lanes) __attribute__((vector_size(8 * W)));

#define REALS (8 * W / sizeof(REAL)) /* values in a vector */
#define LOAD_REALS(p) ((ROWS(vector)) * (const ROWS(memory) *)(p))
#define STORE_REALS(p, v) (*(ROWS(memory) *)(p) = (v))
#define CHOOSE(mask, yes, no)                                                                      \
  ((ROWS(vector))(((mask) & (ROWS(lanes))(yes)) | (~(mask) & (ROWS(lanes))(no))))
/* Loads W values as doubles. A function of its own keeps compilers from splitting wide vectors. */
#define WIDEN(p) ROWS(widen)(p)
INLINE vd ROWS(widen)(const void *p) {
#ifdef MK_SIMD_TRANSPOSE
  if (sizeof(REAL) == sizeof(float)) return _mm512_cvtps_pd(_mm256_loadu_ps(p));
#endif
  return __builtin_convertvector(*(const ROWS(part) *)p, vd);
}
#define NARROW(p, v) (*(ROWS(part) *)(p) = __builtin_convertvector(v, ROWS(part)))

/* ---- tiles ---- */

/* A tile is computed in strips of two vectors, whose eight running sums hide the latency of
 * multiplications and fit in sixteen registers. */
static void ROWS(row_tile)(size_t depth, const void *const left[MK_TILE_ROWS], const void *right,
                           void *out, size_t ld) {
  const REAL *a0 = left[0], *a1 = left[1], *a2 = left[2], *a3 = left[3], *b = right;
  REAL *c = out;
  const size_t cols = MK_TILE_BYTES / sizeof(REAL);
  for (size_t s = 0; s < cols; s += 2 * REALS) {
    REAL *c0 = c + s, *c1 = c0 + ld, *c2 = c1 + ld, *c3 = c2 + ld;
    ROWS(vector) s00 = LOAD_REALS(c0), s01 = LOAD_REALS(c0 + REALS);
    ROWS(vector) s10 = LOAD_REALS(c1), s11 = LOAD_REALS(c1 + REALS);
    ROWS(vector) s20 = LOAD_REALS(c2), s21 = LOAD_REALS(c2 + REALS);
    ROWS(vector) s30 = LOAD_REALS(c3), s31 = LOAD_REALS(c3 + REALS);
    const REAL *y = b + s;
    for (size_t k = 0; k < depth; k++, y += cols) {
      ROWS(vector) y0 = LOAD_REALS(y), y1 = LOAD_REALS(y + REALS);
      s00 += a0[k] * y0;
      s01 += a0[k] * y1;
      s10 += a1[k] * y0;
      s11 += a1[k] * y1;
      s20 += a2[k] * y0;
      s21 += a2[k] * y1;
      s30 += a3[k] * y0;
      s31 += a3[k] * y1;
    }
    STORE_REALS(c0, s00);
    STORE_REALS(c0 + REALS, s01);
    STORE_REALS(c1, s10);
    STORE_REALS(c1 + REALS, s11);
    STORE_REALS(c2, s20);
    STORE_REALS(c2 + REALS, s21);
    STORE_REALS(c3, s30);
    STORE_REALS(c3 + REALS, s31);
  }
}

/* Adds the products of four vectors of columns at a time, whose sums hide the latency of
 * multiplications. */
static void ROWS(sparse_tile)(size_t rows, const size_t *start, const unsigned char *index,
                              const void *values, const void *panels, size_t apart, void *out,
                              size_t ld) {
  const REAL *value = values, *b = panels;
  const size_t cols = MK_TILE_BYTES / sizeof(REAL);
  for (size_t s = 0; s < 2 * cols; s += 4 * REALS) {
    const REAL *low = b + s / cols * apart + s % cols;
    const REAL *high = 4 * REALS > cols ? low + apart : low + 2 * REALS;
    for (size_t r = 0; r < rows; r++) {
      REAL *c = (REAL *)out + r * ld + s;
      ROWS(vector) s0 = LOAD_REALS(c), s1 = LOAD_REALS(c + REALS);
      ROWS(vector) s2 = LOAD_REALS(c + 2 * REALS), s3 = LOAD_REALS(c + 3 * REALS);
      for (size_t e = start[r]; e < start[r + 1]; e++) {
        size_t at = index[e] * cols;
        s0 += value[e] * LOAD_REALS(low + at);
        s1 += value[e] * LOAD_REALS(low + at + REALS);
        s2 += value[e] * LOAD_REALS(high + at);
        s3 += value[e] * LOAD_REALS(high + at + REALS);
      }
      STORE_REALS(c, s0);
      STORE_REALS(c + REALS, s1);
      STORE_REALS(c + 2 * REALS, s2);
      STORE_REALS(c + 3 * REALS, s3);
    }
  }
}

/* ---- vectors ---- */

static void ROWS(axpy)(size_t n, double a, const void *row, double *y) {
  const REAL *x = row;
  size_t i = 0;
  for (; i + W <= n; i += W) STORE(y + i, LOAD(y + i) + a * WIDEN(x + i));
  for (; i < n; i++) y[i] += a * x[i];
}

/* Defines products a'b of a row with another row, and of a row with doubles. */
#define DOT(name, type, LOAD_OTHER)                                                                \
  static double ROWS(name)(size_t n, const void *row, const void *other) {                         \
    const REAL *x = row;                                                                           \
    const type *y = other;                                                                         \
    vd s0 = SPLAT(0.0), s1 = s0, s2 = s0, s3 = s0;                                                 \
    size_t i = 0;                                                                                  \
    for (; i + 4 * W <= n; i += 4 * W) {                                                           \
      s0 += WIDEN(x + i) * LOAD_OTHER(y + i);                                                      \
      s1 += WIDEN(x + i + W) * LOAD_OTHER(y + i + W);                                              \
      s2 += WIDEN(x + i + 2 * W) * LOAD_OTHER(y + i + 2 * W);                                      \
      s3 += WIDEN(x + i + 3 * W) * LOAD_OTHER(y + i + 3 * W);                                      \
    }                                                                                              \
    s0 = (s0 + s1) + (s2 + s3);                                                                    \
    double sum = 0.0;                                                                              \
    for (int k = 0; k < W; k++) sum += s0[k];                                                      \
    for (; i < n; i++) sum += (double)x[i] * (double)y[i];                                         \
    return sum;                                                                                    \
  }
DOT(dot, REAL, WIDEN)
DOT(dot_double, double, LOAD)
#undef DOT

static void ROWS(add)(size_t n, double a, const double *x, void *row) {
  REAL *y = row;
  size_t i = 0;
  for (; i + W <= n; i += W) NARROW(y + i, WIDEN(y + i) + a * LOAD(x + i));
  for (; i < n; i++) y[i] = (REAL)(y[i] + a * x[i]);
}

/* Turns products into squared distances, which rounding never makes negative. */
static void ROWS(to_distance)(size_t n, double own, const double *other, void *row) {
  REAL *product = row;
  size_t i = 0;
  for (; i + W <= n; i += W) {
    vd d = own + LOAD(other + i) - 2.0 * WIDEN(product + i);
    d = SELECT(d > SPLAT(0.0), d, SPLAT(0.0));
    NARROW(product + i, d);
  }
  for (; i < n; i++) {
    double d = own + other[i] - 2.0 * product[i];
    product[i] = d > 0.0 ? (REAL)d : 0;
  }
}

/* ---- tables ---- */

/* Adds w (1, z, z^2, ...) to the bin of each value. */
INLINE void ROWS(add_moments)(size_t n, const REAL *d, const double *weight, const mk_table *table,
                              int piece_bits, double *moments) {
  int64_t at[BATCH];
  double z[BATCH];
  for (size_t from = 0; from < n; from += BATCH, d += BATCH, weight += BATCH) {
    size_t count = n - from < BATCH ? n - from : BATCH, i = 0;
    for (; i + W <= count; i += W) locate_all(WIDEN(d + i), table, piece_bits, at + i, z + i);
    for (; i < count; i++) locate_one(d[i], table, piece_bits, at + i, z + i);
    for (i = 0; i < count; i++) add_powers(moments + at[i], weight[i], z[i]);
  }
}

static void ROWS(table_moments)(size_t n, const void *row, const double *weight,
                                const mk_table *table, double *moments) {
  ROWS(add_moments)(n, row, weight, table, PIECE_BITS, moments);
}

/* ---- exponentials ---- */

static void ROWS(squares)(size_t n, double a, const double *x, void *row) {
  REAL *y = row;
  size_t i = 0;
  for (; i + W <= n; i += W) {
    vd difference = LOAD(x + i) - a;
    NARROW(y + i, difference * difference);
  }
  for (; i < n; i++) y[i] = (REAL)((x[i] - a) * (x[i] - a));
}

/* Copies a column after the other of fewer samples than fill four vectors. */
INLINE void ROWS(widen_columns)(size_t n, size_t depth, const REAL *from, size_t ld, REAL *to) {
  for (size_t k = 0; k < depth; k++, to += 4 * REALS) {
    memset(to, 0, 4 * REALS * sizeof *to); /* quicker than the last ones alone */
    memcpy(to, from + k * ld, n * sizeof *to);
  }
}

/* All samples go through one loop, the last four vectors of them twice if need be: compilers fuse
 * products and sums in one copy of a loop and not in another, which changes the last bit. */
static void ROWS(few_squares)(size_t n, size_t depth, const void *a, const void *b, size_t ld,
                              void *row) {
  REAL room[MK_MOST_DIFFERENCES * 4 * REALS], sums[4 * REALS];
  const REAL *own = a, *other = b;
  REAL *y = row;
  size_t count = n;
  if (n < 4 * REALS) {
    ROWS(widen_columns)(n, depth, other, ld, room);
    other = room, ld = count = 4 * REALS, y = sums;
  }
  for (size_t i = 0; i < count; i += 4 * REALS) {
    size_t at = i + 4 * REALS > count ? count - 4 * REALS : i;
    ROWS(vector) s0 = {0}, s1 = s0, s2 = s0, s3 = s0;
    const REAL *x = other + at;
    for (size_t k = 0; k < depth; k++, x += ld) {
      const REAL value = own[k];
      ROWS(vector) d0 = LOAD_REALS(x) - value, d1 = LOAD_REALS(x + REALS) - value;
      ROWS(vector) d2 = LOAD_REALS(x + 2 * REALS) - value, d3 = LOAD_REALS(x + 3 * REALS) - value;
      s0 += d0 * d0;
      s1 += d1 * d1;
      s2 += d2 * d2;
      s3 += d3 * d3;
    }
    STORE_REALS(y + at, s0);
    STORE_REALS(y + at + REALS, s1);
    STORE_REALS(y + at + 2 * REALS, s2);
    STORE_REALS(y + at + 3 * REALS, s3);
  }
  if (n < 4 * REALS) memcpy(row, sums, n * sizeof *sums);
}

/* Computes the exponentials of the last values, which do not fill a vector. */
INLINE void ROWS(exp_rest)(size_t n, const REAL *d, REAL minus_rate, REAL *out) {
  REAL in[REALS] = {0};
  memcpy(in, d, n * sizeof *d);
  STORE_REALS(out, ROWS(exp_nonpositive)(LOAD_REALS(in) * minus_rate));
}

static void ROWS(exp_add)(size_t n, const void *row, double rate, double weight, void *out) {
  const REAL *d = row, minus_rate = (REAL)-rate, scale = (REAL)weight;
  REAL *y = out, rest[REALS];
  size_t i = 0;
  for (; i + REALS <= n; i += REALS) {
    ROWS(vector) value = ROWS(exp_nonpositive)(LOAD_REALS(d + i) * minus_rate);
    STORE_REALS(y + i, LOAD_REALS(y + i) + scale * value);
  }
  if (i < n) ROWS(exp_rest)(n - i, d + i, minus_rate, rest);
  for (size_t k = 0; i < n; i++, k++) y[i] += scale * rest[k];
}

static double ROWS(exp_dot)(size_t n, const void *row, double rate, const double *weight) {
  const REAL *d = row, minus_rate = (REAL)-rate;
  REAL part[REALS];
  vd sums = SPLAT(0.0);
  double sum = 0.0;
  size_t i = 0;
  for (; i + REALS <= n; i += REALS) {
    STORE_REALS(part, ROWS(exp_nonpositive)(LOAD_REALS(d + i) * minus_rate));
    for (size_t k = 0; k < REALS; k += W) sums += LOAD(weight + i + k) * WIDEN(part + k);
  }
  if (i < n) ROWS(exp_rest)(n - i, d + i, minus_rate, part);
  for (size_t k = 0; i < n; i++, k++) sum += weight[i] * part[k];
  for (int k = 0; k < W; k++) sum += sums[k];
  return sum;
}

/* ---- SMO ---- */

/* values by which prefetching is ahead: rows are seldom in the processor's cache */
#define AHEAD 512

static void ROWS(smo_update)(size_t n, double *gradient, const void *one, const void *other,
                             double step, const double *up, const double *low, void *below,
                             mk_smo_pass *pass) {
  const REAL *row_i = one, *row_j = other;
  REAL *room = below;
  vd best = SPLAT(-INFINITY), least = SPLAT(INFINITY), where = SPLAT(0.0), index = IOTA;
  const vd step8 = SPLAT(step), level = SPLAT(pass->level);
  for (size_t t = 0; t < n; t += W, index += SPLAT((double)W)) {
    __builtin_prefetch(row_j + t + AHEAD);
    vd g = LOAD(gradient + t) - step8 * (WIDEN(row_i + t) - WIDEN(row_j + t));
    STORE(gradient + t, g);
    vd rise = g + LOAD(up + t), fall = g + LOAD(low + t);
    NARROW(room + t, level - fall);
    vi better = rise > best;
    best = SELECT(better, rise, best);
    where = SELECT(better, index, where);
    least = SELECT(fall < least, fall, least);
  }
  pass->up_max = -INFINITY;
  pass->low_min = INFINITY;
  pass->up_arg = 0;
  for (int k = 0; k < W; k++) {
    if (best[k] > pass->up_max) {
      pass->up_max = best[k];
      pass->up_arg = (size_t)where[k];
    }
    if (least[k] < pass->low_min) pass->low_min = least[k];
  }
}

static void ROWS(smo_partner)(size_t n, const void *row, const void *squares, const void *below,
                              double diagonal_i, double floor, mk_smo_pass *pass) {
  const REAL *row_i = row, *diagonal = squares, *room = below;
  const ROWS(vector) zero = {0}, unit = zero + (REAL)(1.0 / (pass->up_max - pass->low_min));
  const ROWS(vector) above = zero + (REAL)(pass->up_max - pass->level);
  const ROWS(vector) di = zero + (REAL)diagonal_i, least = zero + (REAL)floor;
  ROWS(vector) best = zero;
  ROWS(lanes) where = {0}, index;
  for (size_t k = 0; k < REALS; k++) index[k] = (WHOLE)k;
  where -= 1;
  for (size_t t = 0; t < n; t += REALS, index += (WHOLE)REALS) {
    __builtin_prefetch(row_i + t + AHEAD);
    ROWS(vector) value = LOAD_REALS(row_i + t), fall = (above + LOAD_REALS(room + t)) * unit;
    fall = CHOOSE(fall > zero, fall, zero);
    ROWS(vector) curvature = di + LOAD_REALS(diagonal + t) - (value + value);
    curvature = CHOOSE(curvature > least, curvature, least);
    ROWS(vector) gain = fall * fall / curvature;
    ROWS(lanes) better = gain > best;
    best = CHOOSE(better, gain, best);
    where = (better & index) | (~better & where);
  }
  REAL gain = 0;
  pass->gain_arg = n;
  for (size_t k = 0; k < REALS; k++)
    if (where[k] >= 0 && best[k] > gain) {
      gain = best[k];
      pass->gain_arg = (size_t)where[k];
    }
}

static void ROWS(smo_alone)(size_t n, double *gradient, const void *row, double step,
                            const double *inverse, const double *up, const double *low,
                            mk_smo_pass *pass) {
  const REAL *own = row;
  vd best = SPLAT(0.0), where = SPLAT(-1.0), push = SPLAT(0.0), index = IOTA;
  vd most = SPLAT(-INFINITY), least = SPLAT(INFINITY);
  const vd step8 = SPLAT(step), zero = SPLAT(0.0);
  for (size_t t = 0; t < n; t += W, index += SPLAT((double)W)) {
    vd g = LOAD(gradient + t) - step8 * WIDEN(own + t);
    STORE(gradient + t, g);
    vd rise = g + LOAD(up + t), fall = g + LOAD(low + t);
    most = SELECT(rise > most, rise, most);
    least = SELECT(fall < least, fall, least);
    vd slope = SELECT(rise > zero, rise, SELECT(fall < zero, fall, zero));
    vd gain = slope * slope * LOAD(inverse + t);
    vi better = gain > best;
    best = SELECT(better, gain, best);
    push = SELECT(better, slope, push);
    where = SELECT(better, index, where);
  }
  *pass = (mk_smo_pass){.up_max = -INFINITY, .low_min = INFINITY, .gain_arg = n};
  for (int k = 0; k < W; k++) {
    if (most[k] > pass->up_max) pass->up_max = most[k];
    if (least[k] < pass->low_min) pass->low_min = least[k];
    if (!(where[k] >= 0 && best[k] > pass->gain)) continue;
    pass->gain = best[k];
    pass->push = push[k];
    pass->gain_arg = (size_t)where[k];
  }
}

/* ---- locally linear kernels ---- */

static double ROWS(local_pair)(size_t n, const void *p, const void *q, const void *h, const void *u,
                               double a) {
  const REAL *own = p, *far = q, *other = h, *rest = u;
  ROWS(vector) s0 = {0}, s1 = s0, near = s0;
  for (size_t i = 0; i < n; i += REALS) {
    ROWS(vector) mine = LOAD_REALS(own + i), value = LOAD_REALS(other + i);
    s0 += mine * LOAD_REALS(rest + i);
    s1 += LOAD_REALS(far + i) * value;
    near += mine * value;
  }
  s0 += s1 + (REAL)a * near;
  double sum = 0.0;
  for (size_t k = 0; k < REALS; k++) sum += (double)s0[k];
  return sum;
}

/* ---- sums of rows ---- */

/* Computes y += sum over k of a[k] x[k] for a few rows, whose number is a constant for the
 * compiler. */
INLINE void ROWS(add_few)(size_t n, const int few, const void *const *rows, const double *a,
                          double *y) {
  const REAL *x[8];
  size_t i = 0;
  for (int k = 0; k < few; k++) x[k] = rows[k];
  for (; i + 2 * W <= n; i += 2 * W) {
    vd s0 = LOAD(y + i), s1 = LOAD(y + i + W);
#pragma GCC unroll 8
    for (int k = 0; k < few; k++) {
      const vd scale = SPLAT(a[k]);
      s0 += scale * WIDEN(x[k] + i);
      s1 += scale * WIDEN(x[k] + i + W);
    }
    STORE(y + i, s0);
    STORE(y + i + W, s1);
  }
  for (; i < n; i++)
    for (int k = 0; k < few; k++) y[i] += a[k] * x[k][i];
}

static void ROWS(combine)(size_t n, size_t count, const void *const *rows, const double *a,
                          double *y) {
  for (; count >= 8; count -= 8, rows += 8, a += 8) ROWS(add_few)(n, 8, rows, a, y);
  if (count >= 4) {
    ROWS(add_few)(n, 4, rows, a, y);
    count -= 4;
    rows += 4;
    a += 4;
  }
  for (size_t k = 0; k < count; k++) ROWS(add_few)(n, 1, rows + k, a + k, y);
}

#undef REALS
#undef LOAD_REALS
#undef STORE_REALS
#undef WIDEN
#undef NARROW
