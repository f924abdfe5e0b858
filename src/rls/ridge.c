/* The refit of a pursuit, by columns while these are few, then by kernel values. Called by gomp.c.
 * MATHEMATICS.md, section 5: the refit. */
#include "ridge.h"

#include "base/cholesky.h"
#include "base/memory.h"
#include "base/simd.h"
#include "rls/dictionary-values.h"

#include <string.h>

#define TILE 64 /* rows and columns transposed together */

struct mk_ridge {
  const mk_gomp_problem *problem;
  mk_dictionary *dictionary;
  const mk_control *control;
  size_t n;
  int *kernel; /* numbers of the `count` kernels in the sum */
  size_t count;
  /* number of columns, and of columns that fit in memory */
  size_t width, reach;
  double *z;        /* n x width by columns */
  double *gram;     /* packed lower triangle of Z'Z */
  mk_buffer system; /* factor of Z'Z + delta I */
  /* n x n: K_G above the diagonal, the factor below; NULL: by columns */
  double *sum;
  double *diagonal; /* diagonal of K_G */
  double *rest;     /* n */
};

mk_ridge *mk_ridge_new(const mk_gomp_problem *problem, mk_dictionary *dictionary,
                       const mk_control *control) {
  mk_ridge *ridge = MK_NEW0(mk_ridge, 1);
  if (ridge == NULL) return NULL;
  ridge->problem = problem;
  ridge->dictionary = dictionary;
  ridge->control = control;
  ridge->n = problem->n;
  ridge->kernel = MK_NEW(int, problem->max_kernels + 1);
  ridge->diagonal = MK_NEW0(double, problem->n);
  ridge->rest = MK_NEW(double, problem->n);
  if (ridge->kernel != NULL && ridge->diagonal != NULL && ridge->rest != NULL) return ridge;
  mk_ridge_free(ridge);
  return NULL;
}

void mk_ridge_free(mk_ridge *ridge) {
  if (ridge == NULL) return;
  mk_buffer_free(&ridge->system);
  mk_free(ridge->kernel);
  mk_free(ridge->z);
  mk_free(ridge->gram);
  mk_free(ridge->sum);
  mk_free(ridge->diagonal);
  mk_free(ridge->rest);
  mk_free(ridge);
}

size_t mk_ridge_bytes(const mk_ridge *ridge) {
  size_t columns = ridge->reach * ridge->n + ridge->reach * (ridge->reach + 1) / 2;
  size_t values = ridge->sum != NULL ? ridge->n * ridge->n : 0;
  return (columns + values) * sizeof(double) + ridge->system.bytes;
}

/* ---- by columns ---- */

static mk_status reach_for(mk_ridge *ridge, size_t width) {
  if (width <= ridge->reach) return MK_OK;
  size_t reach = 2 * ridge->reach > width ? 2 * ridge->reach : width;
  size_t used = ridge->width, n = ridge->n;
  double *z = mk_grown(ridge->z, used * n, reach * n, sizeof *z);
  if (z != NULL) ridge->z = z;
  double *gram =
      mk_grown(ridge->gram, used * (used + 1) / 2, reach * (reach + 1) / 2, sizeof *gram);
  if (gram != NULL) ridge->gram = gram;
  if (z == NULL || gram == NULL) return MK_NO_MEMORY;
  ridge->reach = reach;
  return MK_OK;
}

static mk_status add_columns(mk_ridge *ridge, size_t m, size_t width) {
  size_t n = ridge->n;
  MK_TRY(reach_for(ridge, ridge->width + width));
  mk_dictionary_columns(ridge->dictionary, m, ridge->z + ridge->width * n);
  for (size_t k = 0; k < width; k++) {
    size_t own = ridge->width++;
    for (size_t j = 0; j <= own; j++)
      ridge->gram[own * (own + 1) / 2 + j] =
          mk_simd_best()->dot(n, ridge->z + own * n, ridge->z + j * n);
  }
  return MK_OK;
}

static mk_status factor_columns(mk_ridge *ridge, double delta) {
  size_t width = ridge->width;
  double *a = mk_buffer_need(&ridge->system, width * (width + 1), sizeof *a); /* and a vector */
  if (a == NULL) return MK_NO_MEMORY;
  for (size_t i = 0; i < width; i++)
    memcpy(a + i * width, ridge->gram + i * (i + 1) / 2, (i + 1) * sizeof *a);
  return mk_cholesky_within(a, width, delta, ridge->control);
}

/* Computes (ZZ' + delta I)^-1 x = (x - Z (Z'Z + delta I)^-1 Z'x) / delta. */
static void solve_columns(mk_ridge *ridge, double delta, double *x) {
  const mk_simd *simd = mk_simd_best();
  size_t n = ridge->n, width = ridge->width;
  const double *a = ridge->system.at;
  double *g = (double *)ridge->system.at + width * width;
  for (size_t k = 0; k < width; k++) g[k] = simd->dot(n, ridge->z + k * n, x);
  mk_solve_lower(a, width, g);
  mk_solve_upper(a, width, g);
  for (size_t k = 0; k < width; k++) simd->axpy(n, -g[k], ridge->z + k * n, x);
  for (size_t i = 0; i < n; i++) x[i] /= delta;
}

/* Computes out -= K_G x. */
static void subtract_columns(const mk_ridge *ridge, const double *x, double *out) {
  const mk_simd *simd = mk_simd_best();
  size_t n = ridge->n;
  for (size_t k = 0; k < ridge->width; k++) {
    const double *z = ridge->z + k * n;
    simd->axpy(n, -simd->dot(n, z, x), z, out);
  }
}

/* ---- by values ---- */

static mk_status add_values(mk_ridge *ridge, size_t m) {
  size_t n = ridge->n;
  mk_status status;
  const double *k = mk_dictionary_values(ridge->dictionary, m, &status);
  MK_TRY(status);
  for (size_t row = 0; row < n; row += TILE)
    for (size_t col = 0; col <= row; col += TILE)
      for (size_t j = col; j < mk_smaller(col + TILE, n); j++)
        for (size_t i = row > j ? row : j + 1; i < mk_smaller(row + TILE, n); i++)
          ridge->sum[j * n + i] += k[i * n + j];
  for (size_t i = 0; i < n; i++) ridge->diagonal[i] += k[i * n + i];
  return MK_OK;
}

static mk_status factor_values(mk_ridge *ridge, double delta) {
  size_t n = ridge->n;
  for (size_t row = 0; row < n; row += TILE)
    for (size_t col = 0; col <= row; col += TILE)
      for (size_t i = row; i < mk_smaller(row + TILE, n); i++)
        for (size_t j = col; j < mk_smaller(col + TILE, i); j++)
          ridge->sum[i * n + j] = ridge->sum[j * n + i];
  for (size_t i = 0; i < n; i++) ridge->sum[i * n + i] = ridge->diagonal[i];
  return mk_cholesky_within(ridge->sum, n, delta, ridge->control);
}

static void subtract_values(const mk_ridge *ridge, const double *x, double *out) {
  const mk_simd *simd = mk_simd_best();
  size_t n = ridge->n;
  for (size_t i = 0; i < n; i++) {
    const double *row = ridge->sum + i * n + i + 1;
    out[i] -= ridge->diagonal[i] * x[i] + simd->dot(n - i - 1, row, x + i + 1);
    simd->axpy(n - i - 1, -x[i], row, out + i + 1);
  }
}

/* Replaces the columns of all kernels so far by their values. */
static mk_status turn_to_values(mk_ridge *ridge) {
  ridge->sum = MK_NEW0(double, ridge->n * ridge->n);
  if (ridge->sum == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < ridge->count; k++) MK_TRY(add_values(ridge, (size_t)ridge->kernel[k]));
  return MK_OK;
}

/* ---- by either ---- */

mk_status mk_ridge_add(mk_ridge *ridge, size_t m) {
  size_t width = mk_dictionary_width(ridge->dictionary, m);
  int few = width > 0 && 2 * (ridge->width + width) <= ridge->n;
  if (ridge->sum == NULL && !few) MK_TRY(turn_to_values(ridge));
  MK_TRY(ridge->sum == NULL ? add_columns(ridge, m, width) : add_values(ridge, m));
  ridge->kernel[ridge->count++] = (int)m;
  return MK_OK;
}

static void solve_ridge(mk_ridge *ridge, double delta, double *x) {
  if (ridge->sum == NULL) {
    solve_columns(ridge, delta, x);
    return;
  }
  mk_solve_lower(ridge->sum, ridge->n, x);
  mk_solve_upper(ridge->sum, ridge->n, x);
}

/* Solves the system with one step of refinement. */
mk_status mk_ridge_solve(mk_ridge *ridge, double *alpha) {
  size_t n = ridge->n;
  double delta = mk_gomp_delta(ridge->problem), *rest = ridge->rest;
  MK_TRY(ridge->sum == NULL ? factor_columns(ridge, delta) : factor_values(ridge, delta));
  for (size_t t = 0; t < ridge->problem->tasks; t++) {
    const double *y = ridge->problem->y + t * n;
    double *x = alpha + t * n;
    memcpy(x, y, n * sizeof *x);
    solve_ridge(ridge, delta, x);
    for (size_t i = 0; i < n; i++) rest[i] = y[i] - delta * x[i];
    ridge->sum == NULL ? subtract_columns(ridge, x, rest) : subtract_values(ridge, x, rest);
    solve_ridge(ridge, delta, rest);
    for (size_t i = 0; i < n; i++) x[i] += rest[i];
  }
  return MK_OK;
}
