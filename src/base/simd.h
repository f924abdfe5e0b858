/* The loops that decide the speed, compiled for several instruction sets; mk_simd_best() chooses
 * one for this machine. Arrays are double unless they are rows
 * (floats or doubles), signs or indices; lengths marked "padded" are multiples of
 * MK_LANES. */
#ifndef MK_SIMD_H
#define MK_SIMD_H

#include <stddef.h>

#define MK_LANES 16 /* floats in the widest vector */
#define MK_TILE_ROWS 4
#define MK_TILE_BYTES 128 /* bytes in a row of a tile: 16 doubles or 32 floats */
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
  double u_max; /* larger u are evaluated at u_max */
  int pieces;
  const double *coef; /* pieces x MK_PIECE_TERMS, in powers of z in [-1, 1] */
  /* MK_PIECE_TERMS x MK_COARSE_PIECES in single precision, few enough for registers; NULL: none */
  const float *coarse;
  float coarse_max;
  int coarse_bits; /* log2 of the number of coarse pieces per octave */
} mk_table;
#define MK_COARSE_PIECES 32

/* Number of pieces per octave for exact values. */
#define MK_FINE_PIECES 128

/* The result of one pass of the SMO solver over its rows. */
typedef struct mk_smo_pass {
  double up_max;  /* largest gradient of a variable that can grow */
  double low_min; /* smallest gradient of a variable that can shrink */
  /* a gradient near up_max and low_min, from which rows of floats measure the others */
  double level;
  double gain;
  double push; /* slope of the variable whose move alone gains most, or 0 */
  size_t up_arg, gain_arg;
} mk_smo_pass;

#define MK_MOST_DIFFERENCES 40 /* largest depth of few_squares() */

/* Loops over rows of floats or doubles (void *). All other arrays are double. */
typedef struct mk_row_loops {
  /* Computes c[r][MK_TILE_BYTES] += sum over depth of a[r][k] * b[k][MK_TILE_BYTES] for four rows
   * r; rows of c are ld apart. */
  void (*row_tile)(size_t depth, const void *const a[MK_TILE_ROWS], const void *b, void *c,
                   size_t ld);
  /* Adds inner products of sparse rows with two panels of MK_TILE_BYTES columns that are `apart`
   * values from each other: c[r * ld + j] += sum over start[r] <= e < start[r + 1] of value[e] *
   * b_j[index[e]]. */
  void (*sparse_tile)(size_t rows, const size_t *start, const unsigned char *index,
                      const void *value, const void *b, size_t apart, void *c, size_t ld);
  /* product = max(0, own + other - 2 product) */
  void (*to_distance)(size_t n, double own, const double *other, void *product);
  void (*axpy)(size_t n, double a, const void *row, double *y); /* y += a row */
  void (*add)(size_t n, double a, const double *x, void *row);  /* row += a x */
  double (*dot)(size_t n, const void *row, const void *other);  /* row'other, both rows */
  /* row'other, where other is double */
  double (*dot_double)(size_t n, const void *row, const void *other);
  /* out += table(d), both rows; if fresh, out = table(d) */
  void (*table_add)(size_t n, const void *d, const mk_table *table, int fresh, void *out);
  /* Computes moments[piece][r] += weight * z^r, one entry for each value of the row d. */
  void (*table_moments)(size_t n, const void *d, const double *weight, const mk_table *table,
                        double *moments);
  void (*squares)(size_t n, double a, const double *x, void *row); /* row = (x - a)^2 */
  /* Computes row[c] = sum over depth of (a[k] - b[k * ld + c])^2, all in the row's precision;
   * depth <= MK_MOST_DIFFERENCES. */
  void (*few_squares)(size_t n, size_t depth, const void *a, const void *b, size_t ld, void *row);
  /* Compute out += weight * exp(-rate * d), both rows, and the sum of weight * exp(-rate * d). */
  void (*exp_add)(size_t n, const void *d, double rate, double weight, void *out);
  double (*exp_dot)(size_t n, const void *d, double rate, const double *weight);
  /* Computes gradient -= step * (row_i - row_j), finds the best variable to increase, and writes
   * how far those that can shrink are below pass->level; padded. */
  void (*smo_update)(size_t n, double *gradient, const void *row_i, const void *row_j, double step,
                     const double *up, const double *low, void *below, mk_smo_pass *pass);
  /* Finds the partner of the variable to increase by second-order gain, from rows only; padded. */
  void (*smo_partner)(size_t n, const void *row_i, const void *diagonal, const void *below,
                      double diagonal_i, double floor, mk_smo_pass *pass);
  /* Computes gradient -= step * row and finds the best variable to move alone; `inverse` has the
   * inverses of the diagonal; padded. */
  void (*smo_alone)(size_t n, double *gradient, const void *row, double step, const double *inverse,
                    const double *up, const double *low, mk_smo_pass *pass);
  /* Returns p'u + q'h + a p'h, all rows of padded length. */
  double (*local_pair)(size_t n, const void *p, const void *q, const void *h, const void *u,
                       double a);
  /* Computes y += sum over k < count of a[k] rows[k]. */
  void (*combine)(size_t n, size_t count, const void *const *rows, const double *a, double *y);
} mk_row_loops;

#define MK_DOTS 4
#define MK_READ_AHEAD 16  /* at least the numbers in two vectors */
#define MK_SIGN_LANES 256 /* sign vectors side by side */

/* A comparison of a tile of a square matrix with its mirror image. */
#define MK_MIRROR 32
typedef struct mk_comparison {
  double largest, difference; /* largest absolute value; largest difference of the two */
  double minor; /* above 0 if x^2, less 1e-8 of it, exceeds the product of the diagonal values */
  int finite;   /* 1 if all values and differences are finite */
} mk_comparison;

typedef struct mk_simd {
  const char *name;
  /* Compute c[4][16] += sum over depth of a[k][4] * b[k][16], or of (a - b)^2, in double. */
  void (*dot_tile)(size_t depth, const void *a, const void *b, void *c);
  void (*distance_tile)(size_t depth, const void *a, const void *b, void *c);
  double (*dot)(size_t n, const double *x, const double *y);
  /* Computes out[r] = x'y[r] for MK_DOTS vectors y[r]. */
  void (*dots)(size_t n, const double *x, const double *const *y, double *out);
  void (*axpy)(size_t n, double a, const double *x, double *y);        /* y += a x */
  void (*add_squares)(size_t n, double a, const double *x, double *y); /* y += (x - a)^2 */
  /* out = exp(-rate * d) */
  void (*exp_decay)(size_t n, const double *d, double rate, double *out);
  /* Computes out = (scale x + offset)^degree, degree >= 1; out may be x. */
  void (*affine_power)(size_t n, const double *x, double scale, double offset, int degree,
                       double *out);
  mk_row_loops rows[2]; /* for rows of doubles, of floats */
  /* Compute what table_add and table_moments do, for tables with MK_FINE_PIECES per octave. */
  void (*fine_add)(size_t n, const double *d, const mk_table *table, double *out);
  void (*fine_moments)(size_t n, const double *d, const double *weight, const mk_table *table,
                       double *moments);
  /* Turns a tile of inner products (rows tile_ld apart) into squared distances x'x + z'z - 2 x'z,
   * row r at out + r * ld. Returns 1 if a distance is below `near` times x'x + z'z and so has lost
   * digits. */
  int (*tile_distances)(const double *tile, size_t tile_ld, const double *row_square,
                        const double *col_square, double near, double *out, size_t ld);
  /* Computes y += a scale x, value by value. */
  void (*add_scaled)(size_t n, double a, const double *scale, const double *x, double *y);
  /* Compares at most MK_MIRROR rows and columns: tile[c * ld + r] with mirror[r * ld + c]. */
  void (*compare_mirror)(size_t rows, size_t cols, size_t ld, const double *tile,
                         const double *mirror, const double *row_diagonal,
                         const double *col_diagonal, mk_comparison *seen);
  /* Add the polynomials of the pieces to coef, or return the sum of their products with moments.
   * The polynomial of piece k is value[k] times the same terms; a piece has MK_PIECE_TERMS
   * numbers. */
  void (*piece_add)(size_t n, const double *value, const double *term, double *coef);
  double (*piece_dot)(size_t n, const double *value, const double *term, const double *moments);
  /* Computes few[bin[c]] += row ^ cols[c] for MK_SIGN_LANES bytes each. */
  void (*count_signs)(size_t n, const int *bin, const unsigned char *row, const unsigned char *cols,
                      unsigned char *few);
  /* Computes sum_h += w h, sum_u += w u and sum_d += wd h; padded. */
  void (*local_collect)(size_t n, double w, double wd, const double *h, const double *u,
                        double *sum_h, double *sum_u, double *sum_d);
  /* Returns the sum over c < n of weight_c exp(-rate d_c), d_c = sum over depth of (own[k] - x[k *
   * ld + c])^2. x and weight must be readable up to MK_READ_AHEAD values further, where weights are
   * 0. */
  double (*gaussian_dot)(size_t n, size_t depth, const double *own, const double *x, size_t ld,
                         double rate, const double *weight);
} mk_simd;

const mk_simd *mk_simd_best(void);

/* Each object comes from one compilation of simd-body.h. Tests of other machines' code set
 * MK_BASELINE_ONLY. */
extern const mk_simd mk_simd_baseline;
#if !defined(MK_BASELINE_ONLY) && defined(__GNUC__) && !defined(__clang__) &&                      \
    defined(__x86_64__) && !defined(_WIN32)
#define MK_SIMD_DISPATCH 1
extern const mk_simd mk_simd_avx2;
extern const mk_simd mk_simd_avx512;
#endif

#endif
