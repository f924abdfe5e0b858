/* Functions of the squared distance as tables of polynomials, and moments of the distances that
 * fall on their pieces: part of simd-body.h, compiled once for each instruction set. */

#define MANTISSA_BITS 52
#define PIECE_BITS 4 /* log2(MK_OCTAVE_PIECES) */
#define FINE_BITS 7  /* log2(MK_FINE_PIECES) */
#define BATCH 128    /* values that are widened or located at a time */
#define ONE_BITS ((int64_t)1023 << MANTISSA_BITS)

/* Locates u: its exponent and first mantissa bits give the piece; the rest of the mantissa, read as
 * a number in [1, 2), gives z. */
INLINE void locate(double u, int piece_bits, int64_t *piece, double *z) {
  int64_t bits;
  memcpy(&bits, &u, sizeof bits);
  bits -= ONE_BITS;
  *piece = bits >> (MANTISSA_BITS - piece_bits);
  uint64_t mantissa = ((uint64_t)bits << piece_bits) & (((uint64_t)1 << MANTISSA_BITS) - 1);
  int64_t rest = (int64_t)mantissa | ONE_BITS;
  double v;
  memcpy(&v, &rest, sizeof v);
  *z = 2.0 * v - 3.0;
}

INLINE double table_value(double d, const mk_table *table, int piece_bits) {
  double u = 1.0 + d * table->inv_sigma, z;
  int64_t piece;
  locate(u < table->u_max ? u : table->u_max, piece_bits, &piece, &z);
  const double *c = table->coef + piece * MK_PIECE_TERMS;
  double z2 = z * z;
  double low = (c[0] + c[1] * z) + z2 * (c[2] + c[3] * z);
  double high = (c[4] + c[5] * z) + z2 * (c[6] + c[7] * z);
  return low + z2 * z2 * high;
}

#ifdef MK_SIMD_TRANSPOSE
/* Evaluates eight values at once: loads their eight rows of coefficients and transposes them in
 * registers, which is much cheaper than 64 gathered loads. */
INLINE void table_add8(const double *d, const mk_table *table, int piece_bits, double *out) {
  __m512d u =
      _mm512_fmadd_pd(_mm512_loadu_pd(d), _mm512_set1_pd(table->inv_sigma), _mm512_set1_pd(1.0));
  u = _mm512_min_pd(u, _mm512_set1_pd(table->u_max));
  __m512i bits = _mm512_sub_epi64(_mm512_castpd_si512(u), _mm512_set1_epi64(ONE_BITS));
  int64_t piece[8] __attribute__((aligned(64)));
  _mm512_store_si512((void *)piece,
                     _mm512_srli_epi64(bits, (unsigned)(MANTISSA_BITS - piece_bits)));
  __m512i rest = _mm512_and_si512(_mm512_slli_epi64(bits, (unsigned)piece_bits),
                                  _mm512_set1_epi64(((int64_t)1 << MANTISSA_BITS) - 1));
  __m512d v = _mm512_castsi512_pd(_mm512_or_si512(rest, _mm512_set1_epi64(ONE_BITS)));
  __m512d z = _mm512_fmsub_pd(_mm512_set1_pd(2.0), v, _mm512_set1_pd(3.0));

#define ROW(k) _mm512_loadu_pd(table->coef + piece[k] * MK_PIECE_TERMS)
  __m512d r0 = ROW(0), r1 = ROW(1), r2 = ROW(2), r3 = ROW(3);
  __m512d r4 = ROW(4), r5 = ROW(5), r6 = ROW(6), r7 = ROW(7);
#undef ROW
  __m512d p0 = _mm512_unpacklo_pd(r0, r1), p1 = _mm512_unpackhi_pd(r0, r1);
  __m512d p2 = _mm512_unpacklo_pd(r2, r3), p3 = _mm512_unpackhi_pd(r2, r3);
  __m512d p4 = _mm512_unpacklo_pd(r4, r5), p5 = _mm512_unpackhi_pd(r4, r5);
  __m512d p6 = _mm512_unpacklo_pd(r6, r7), p7 = _mm512_unpackhi_pd(r6, r7);
#define HALF(a, b, k) _mm512_shuffle_f64x2(a, b, k)
  __m512d q0 = HALF(p0, p2, 0x88), q1 = HALF(p0, p2, 0xdd);
  __m512d q2 = HALF(p1, p3, 0x88), q3 = HALF(p1, p3, 0xdd);
  __m512d q4 = HALF(p4, p6, 0x88), q5 = HALF(p4, p6, 0xdd);
  __m512d q6 = HALF(p5, p7, 0x88), q7 = HALF(p5, p7, 0xdd);
  __m512d c0 = HALF(q0, q4, 0x88), c4 = HALF(q0, q4, 0xdd);
  __m512d c2 = HALF(q1, q5, 0x88), c6 = HALF(q1, q5, 0xdd);
  __m512d c1 = HALF(q2, q6, 0x88), c5 = HALF(q2, q6, 0xdd);
  __m512d c3 = HALF(q3, q7, 0x88), c7 = HALF(q3, q7, 0xdd);
#undef HALF
  __m512d z2 = _mm512_mul_pd(z, z);
  __m512d low = _mm512_fmadd_pd(z2, _mm512_fmadd_pd(c3, z, c2), _mm512_fmadd_pd(c1, z, c0));
  __m512d high = _mm512_fmadd_pd(z2, _mm512_fmadd_pd(c7, z, c6), _mm512_fmadd_pd(c5, z, c4));
  __m512d sum = _mm512_fmadd_pd(_mm512_mul_pd(z2, z2), high, low);
  _mm512_storeu_pd(out, _mm512_add_pd(_mm512_loadu_pd(out), sum));
}
#endif

/* The last values fill a vector, too: compilers round table_value() in ways of their own. */
INLINE void add_table(size_t n, const double *d, const mk_table *table, int piece_bits,
                      double *out) {
  size_t i = 0;
#ifdef MK_SIMD_TRANSPOSE
  double last[8] = {0}, sum[8] = {0};
  for (; i + 8 <= n; i += 8) table_add8(d + i, table, piece_bits, out + i);
  if (i == n) return;
  memcpy(last, d + i, (n - i) * sizeof *last);
  memcpy(sum, out + i, (n - i) * sizeof *sum);
  table_add8(last, table, piece_bits, sum);
  memcpy(out + i, sum, (n - i) * sizeof *sum);
#else
  for (; i < n; i++) out[i] += table_value(d[i], table, piece_bits);
#endif
}

static void table_add(size_t n, const void *row, const mk_table *table, int fresh, void *out) {
  if (fresh) memset(out, 0, n * sizeof(double));
  add_table(n, row, table, PIECE_BITS, out);
}

/* ---- rows of floats ---- */

/* Evaluates a coarse table as table_value() does a fine one: the piece is the exponent and first
 * mantissa bits of a float. */
INLINE float coarse_value(float d, const mk_table *table) {
  const int32_t one_bits = 127 << 23, mantissa = (1 << 23) - 1;
  float u = 1.0f + d * (float)table->inv_sigma, v;
  int32_t bits;
  u = u < table->coarse_max ? u : table->coarse_max;
  memcpy(&bits, &u, sizeof bits);
  bits -= one_bits;
  int32_t rest = (int32_t)((uint32_t)bits << table->coarse_bits & (uint32_t)mantissa) | one_bits;
  memcpy(&v, &rest, sizeof v);
  const float *c = table->coarse + (bits >> (23 - table->coarse_bits));
  float z = 2.0f * v - 3.0f, sum = 0.0f;
  for (int r = MK_PIECE_TERMS; r-- > 0;) sum = sum * z + c[r * MK_COARSE_PIECES];
  return sum;
}

#ifdef MK_SIMD_TRANSPOSE
/* Evaluates sixteen values at a time. Each coefficient of all pieces fits in two registers, so
 * looking it up is one permutation. Returns the number of values done. */
INLINE size_t coarse_sixteens(size_t n, const float *d, const mk_table *table, int fresh,
                              float *out) {
  __m512 low[MK_PIECE_TERMS], high[MK_PIECE_TERMS];
  for (int r = 0; r < MK_PIECE_TERMS; r++) {
    low[r] = _mm512_loadu_ps(table->coarse + r * MK_COARSE_PIECES);
    high[r] = _mm512_loadu_ps(table->coarse + r * MK_COARSE_PIECES + 16);
  }
  const __m512 scale = _mm512_set1_ps((float)table->inv_sigma), one = _mm512_set1_ps(1.0f);
  const __m512 most = _mm512_set1_ps(table->coarse_max);
  const __m512i one_bits = _mm512_set1_epi32(127 << 23);
  const __m512i mantissa = _mm512_set1_epi32((1 << 23) - 1);
  const __m128i left = _mm_cvtsi32_si128(table->coarse_bits);
  const __m128i right = _mm_cvtsi32_si128(23 - table->coarse_bits);
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    __m512 u = _mm512_min_ps(_mm512_fmadd_ps(_mm512_loadu_ps(d + i), scale, one), most);
    __m512i bits = _mm512_sub_epi32(_mm512_castps_si512(u), one_bits);
    __m512i piece = _mm512_srl_epi32(bits, right);
    __m512i rest = _mm512_and_si512(_mm512_sll_epi32(bits, left), mantissa);
    __m512 v = _mm512_castsi512_ps(_mm512_or_si512(rest, one_bits));
    __m512 z = _mm512_fmsub_ps(_mm512_set1_ps(2.0f), v, _mm512_set1_ps(3.0f));
    __m512 z2 = _mm512_mul_ps(z, z);
#define TERM(r) _mm512_permutex2var_ps(low[r], piece, high[r])
    __m512 p01 = _mm512_fmadd_ps(TERM(1), z, TERM(0)), p23 = _mm512_fmadd_ps(TERM(3), z, TERM(2));
    __m512 p45 = _mm512_fmadd_ps(TERM(5), z, TERM(4)), p67 = _mm512_fmadd_ps(TERM(7), z, TERM(6));
#undef TERM
    __m512 sum = _mm512_fmadd_ps(_mm512_mul_ps(z2, z2), _mm512_fmadd_ps(p67, z2, p45),
                                 _mm512_fmadd_ps(p23, z2, p01));
    _mm512_storeu_ps(out + i, fresh ? sum : _mm512_add_ps(_mm512_loadu_ps(out + i), sum));
  }
  return i;
}
#endif

INLINE void coarse_add(size_t n, const float *d, const mk_table *table, int fresh, float *out) {
  size_t i = 0;
#ifdef MK_SIMD_TRANSPOSE
  i = fresh ? coarse_sixteens(n, d, table, 1, out) : coarse_sixteens(n, d, table, 0, out);
#endif
  for (; i < n; i++) out[i] = (fresh ? 0.0f : out[i]) + coarse_value(d[i], table);
}

/* Evaluates floats. Without a coarse table values are computed in double; values that would be
 * subnormal floats, which are slow, become 0. */
static void table_add_single(size_t n, const void *row, const mk_table *table, int fresh,
                             void *to) {
  const float *d = row;
  float *out = to;
  double wide[BATCH], sum[BATCH];
  if (table->coarse != NULL) {
    coarse_add(n, d, table, fresh, out);
    return;
  }
  for (size_t from = 0; from < n; from += BATCH) {
    size_t count = n - from < BATCH ? n - from : BATCH;
    for (size_t i = 0; i < count; i++) {
      wide[i] = d[from + i];
      sum[i] = fresh ? 0.0 : out[from + i];
    }
    add_table(count, wide, table, PIECE_BITS, sum);
    for (size_t i = 0; i < count; i++)
      out[from + i] = fabs(sum[i]) < FLT_MIN ? 0.0f : (float)sum[i];
  }
}

/* ---- moments ---- */

/* Computes bin[r] += weight * z^r. */
INLINE void add_powers(double *bin, double weight, double z) {
  double z2 = z * z;
#ifdef MK_SIMD_TRANSPOSE
  const vd one = SPLAT(1.0), first = SPLAT(weight), last = SPLAT(weight * (z2 * z2));
  vd low = _mm512_mask_mov_pd(one, 0xAA, SPLAT(z)) * _mm512_mask_mov_pd(one, 0xCC, SPLAT(z2));
  STORE(bin, LOAD(bin) + low * _mm512_mask_mov_pd(first, 0xF0, last));
#else
  double w = weight, w2 = w * z2, w4 = w2 * z2, w6 = w4 * z2;
  bin[0] += w;
  bin[1] += w * z;
  bin[2] += w2;
  bin[3] += w2 * z;
  bin[4] += w4;
  bin[5] += w4 * z;
  bin[6] += w6;
  bin[7] += w6 * z;
#endif
}

/* Computes the pieces of a vector of distances, as offsets of their first moment, and z. */
INLINE void locate_all(vd d, const mk_table *table, int piece_bits, int64_t *at, double *z) {
  const vi one_bits = (vi)SPLAT(1.0), mantissa = (vi){0} + (((int64_t)1 << MANTISSA_BITS) - 1);
  vd u = SPLAT(1.0) + d * SPLAT(table->inv_sigma), most = SPLAT(table->u_max);
  vi bits = (vi)SELECT(u < most, u, most) - one_bits;
  STORE_INTEGERS(at, (bits >> (MANTISSA_BITS - piece_bits)) * MK_PIECE_TERMS);
  STORE(z, SPLAT(2.0) * (vd)(((bits << piece_bits) & mantissa) | one_bits) - SPLAT(3.0));
}

INLINE void locate_one(double d, const mk_table *table, int piece_bits, int64_t *at, double *z) {
  double u = 1.0 + d * table->inv_sigma;
  locate(u < table->u_max ? u : table->u_max, piece_bits, at, z);
  *at *= MK_PIECE_TERMS;
}
