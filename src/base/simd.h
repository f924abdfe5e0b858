/* The few loops that decide the speed, compiled for several instruction sets;
 * mk_simd_best() picks one for the machine at hand. All arrays are double;
 * lengths marked "padded" are multiples of MK_LANES. */
#ifndef MK_SIMD_H
#define MK_SIMD_H

#include <stddef.h>

#define MK_LANES 16 /* floats in the widest vector */
#define MK_TILE_ROWS 4
#define MK_TILE_BYTES 128 /* of a row of a tile: 16 doubles or 32 floats */
#define MK_TILE_COLS 16
#define MK_TILE_COLS_SINGLE 32

static inline size_t mk_smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static inline size_t mk_padded(size_t n) {
  return (n + MK_LANES - 1) / MK_LANES * MK_LANES;
}

/* A function of one variable d >= 0 as polynomials of degree 7 on pieces of
 * u = 1 + d * inv_sigma: each octave of u is cut into 16 equal pieces. */
#define MK_PIECE_TERMS 8
#define MK_OCTAVE_PIECES 16
typedef struct mk_table {
  double inv_sigma;
  double u_max; /* values beyond it are evaluated at it */
  int pieces;
  const double *coef; /* pieces x MK_PIECE_TERMS, in powers of z in [-1, 1] */
  /* the same to single precision on so few pieces that registers hold them; NULL: none */
  const float *coarse; /* MK_PIECE_TERMS x MK_COARSE_PIECES */
  float coarse_max;
  int coarse_bits; /* log2 of the coarse pieces of an octave */
} mk_table;
#define MK_COARSE_PIECES 32

/* Pieces for values that have to be exact. */
#define MK_FINE_PIECES 128

/* What one pass of the SMO solver over its rows reports. */
typedef struct mk_smo_pass {
  double up_max;  /* largest gradient of a variable that can grow */
  double low_min; /* smallest gradient of a variable that can shrink */
  double level;   /* near both, for rows that hold few digits */
  double gain;
  double push; /* slope of the one that gains most by moving alone, 0 for none */
  size_t up_arg, gain_arg;
} mk_smo_pass;

/* Loops over rows of floats or doubles (void *); everything else is double. */
typedef struct mk_row_loops {
  /* c[r][MK_TILE_BYTES] += sum over depth of a[r][k] * b[k][MK_TILE_BYTES] for four rows r, those
   * of c ld apart */
  void (*row_tile)(size_t depth, const void *const a[MK_TILE_ROWS], const void *b, void *c,
                   size_t ld);
  /* Inner products of sparse rows with two panels of MK_TILE_BYTES columns, `apart` values from
   * each other: c[r * ld + j] += sum over start[r] <= e < start[r + 1] of value[e] * b_j[index[e]]
   */
  void (*sparse_tile)(size_t rows, const size_t *start, const unsigned char *index,
                      const void *value, const void *b, size_t apart, void *c, size_t ld);
  /* product = max(0, own + other - 2 product) */
  void (*to_distance)(size_t n, double own, const double *other, void *product);
  void (*axpy)(size_t n, double a, const void *row, double *y);       /* y += a row */
  void (*add)(size_t n, double a, const double *x, void *row);        /* row += a x */
  double (*dot)(size_t n, const void *row, const void *other);        /* both rows */
  double (*dot_double)(size_t n, const void *row, const void *other); /* other: doubles */
  /* out += table(d), both rows; fresh: out = table(d) */
  void (*table_add)(size_t n, const void *d, const mk_table *table, int fresh, void *out);
  /* moments[piece][r] += weight * z^r, one entry per value of the row d */
  void (*table_moments)(size_t n, const void *d, const double *weight, const mk_table *table,
                        double *moments);
  void (*squares)(size_t n, double a, const double *x, void *row); /* row = (x - a)^2 */
  /* row[c] = sum over depth of (a[k] - b[k * ld + c])^2, all of the row's precision */
  void (*few_squares)(size_t n, size_t depth, const void *a, const void *b, size_t ld, void *row);
  /* out += weight * exp(-rate * d), both rows; sum of weight * exp(-rate * d) */
  void (*exp_add)(size_t n, const void *d, double rate, double weight, void *out);
  double (*exp_dot)(size_t n, const void *d, double rate, const double *weight);
  /* gradient -= step * (row_i - row_j), then the best variable to increase, and a row of how far
   * those that can shrink are below pass->level; padded */
  void (*smo_update)(size_t n, double *gradient, const void *row_i, const void *row_j, double step,
                     const double *up, const double *low, void *below, mk_smo_pass *pass);
  /* the partner of that variable by second-order gain, from rows only; padded */
  void (*smo_partner)(size_t n, const void *row_i, const void *diagonal, const void *below,
                      double diagonal_i, double floor, mk_smo_pass *pass);
  /* gradient -= step * row, then the best variable to move alone; inverse: of the diagonal; padded
   */
  void (*smo_alone)(size_t n, double *gradient, const void *row, double step, const double *inverse,
                    const double *up, const double *low, mk_smo_pass *pass);
  /* p'u + q'h + a p'h, all rows whose length is padded */
  double (*local_pair)(size_t n, const void *p, const void *q, const void *h, const void *u,
                       double a);
  /* y += sum over k < count of a[k] rows[k] */
  void (*combine)(size_t n, size_t count, const void *const *rows, const double *a, double *y);
} mk_row_loops;

#define MK_DOTS 4
#define MK_READ_AHEAD 16  /* numbers of two vectors, at least */
#define MK_SIGN_LANES 256 /* sign vectors side by side */

/* What a tile of a square matrix and its mirror image are like. */
#define MK_MIRROR 32
typedef struct mk_comparison {
  double largest, difference; /* of absolute values; of the two */
  double minor; /* above 0 where x^2, less 1e-8 of it, exceeds the diagonals' product */
  int finite;   /* all values and their differences */
} mk_comparison;

typedef struct mk_simd {
  const char *name;
  /* c[4][16] += sum over depth of a[k][4] * b[k][16], or of (a - b)^2; doubles */
  void (*dot_tile)(size_t depth, const void *a, const void *b, void *c);
  void (*distance_tile)(size_t depth, const void *a, const void *b, void *c);
  double (*dot)(size_t n, const double *x, const double *y);
  /* out[r] = x'y[r] of MK_DOTS vectors y[r] */
  void (*dots)(size_t n, const double *x, const double *const *y, double *out);
  void (*axpy)(size_t n, double a, const double *x, double *y);        /* y += a x */
  void (*add_squares)(size_t n, double a, const double *x, double *y); /* y += (x - a)^2 */
  /* out = exp(-rate * d) */
  void (*exp_decay)(size_t n, const double *d, double rate, double *out);
  /* out = (scale x + offset)^degree, degree >= 1; out may be x */
  void (*affine_power)(size_t n, const double *x, double scale, double offset, int degree,
                       double *out);
  mk_row_loops rows[2]; /* of doubles, of floats */
  /* as table_add and table_moments with MK_FINE_PIECES an octave */
  void (*fine_add)(size_t n, const double *d, const mk_table *table, double *out);
  void (*fine_moments)(size_t n, const double *d, const double *weight, const mk_table *table,
                       double *moments);
  /* A tile of inner products (rows tile_ld apart) to squared distances x'x + z'z - 2 x'z, row r
   * at out + r * ld; returns 1 where one of them is below `near` times x'x + z'z and has lost
   * digits. */
  int (*tile_distances)(const double *tile, size_t tile_ld, const double *row_square,
                        const double *col_square, double near, double *out, size_t ld);
  /* y += a scale x, value by value */
  void (*add_scaled)(size_t n, double a, const double *scale, const double *x, double *y);
  /* At most MK_MIRROR rows and columns; tile[c * ld + r] faces mirror[r * ld + c]. */
  void (*compare_mirror)(size_t rows, size_t cols, size_t ld, const double *tile,
                         const double *mirror, const double *row_diagonal,
                         const double *col_diagonal, mk_comparison *seen);
  /* Pieces whose polynomials are value[k] times the same terms: adds them to coef, or to the sum
   * of their products with moments; MK_PIECE_TERMS numbers a piece. */
  void (*piece_add)(size_t n, const double *value, const double *term, double *coef);
  double (*piece_dot)(size_t n, const double *value, const double *term, const double *moments);
  /* few[bin[c]] += row ^ cols[c], byte by byte: MK_SIGN_LANES of them each */
  void (*count_signs)(size_t n, const int *bin, const unsigned char *row, const unsigned char *cols,
                      unsigned char *few);
  /* sum_h += w h, sum_u += w u, sum_d += wd h; padded */
  void (*local_collect)(size_t n, double w, double wd, const double *h, const double *u,
                        double *sum_h, double *sum_u, double *sum_d);
  /* sum over c < n of weight_c exp(-rate d_c), d_c = sum over depth of (own[k] - x[k * ld + c])^2;
   * x and weight can be read up to MK_READ_AHEAD beyond, where weights are zero */
  double (*gaussian_dot)(size_t n, size_t depth, const double *own, const double *x, size_t ld,
                         double rate, const double *weight);
} mk_simd;

const mk_simd *mk_simd_best(void);

/* Each file below compiles simd-body.h once. MK_BASELINE_ONLY is for tests of what other machines
 * do. */
extern const mk_simd mk_simd_baseline;
#if !defined(MK_BASELINE_ONLY) && defined(__GNUC__) && !defined(__clang__) &&                      \
    defined(__x86_64__) && !defined(_WIN32)
#define MK_SIMD_DISPATCH 1
extern const mk_simd mk_simd_avx2;
extern const mk_simd mk_simd_avx512;
#endif

#endif
