/* The non-isotropic norm sqrt(theta' E^-1 theta) (JMLR section 3.5). Coordinates
 * t_m = theta_m/sqrt(E_mm) give E a unit diagonal. The dual term is
 * max theta's = min over gamma >= 0 of sqrt((s + gamma)'E(s + gamma)), and the best
 * theta is proportional to E(s + gamma). Called by sides.c and theta/norm.c. MATHEMATICS.md,
 * section 2. */
#include "problem/quadratic.h"

#include "base/cholesky.h"
#include "base/simd.h"
#include "base/sum.h"

#include <math.h>
#include <string.h>

#define BLOCK_EXCHANGES 30 /* exchanges of all wrong marks; rarely more than 10 are needed */

/* Scratch memory after E, E^-1 and the vectors of norm.c: a matrix and five vectors. */
static double *matrix_of(const mk_norm *norm, size_t count) {
  return (double *)norm->inverse + count * count;
}

static double *vector_of(const mk_norm *norm, size_t count, size_t k) {
  return matrix_of(norm, count) + (count + k) * count;
}

static void multiply(size_t count, const double *a, const double *x, double *out) {
  const mk_simd *simd = mk_simd_best();
  for (size_t m = 0; m < count; m++) out[m] = simd->dot(count, a + m * count, x);
}

static double form(size_t count, const double *a, const double *x) {
  const mk_simd *simd = mk_simd_best();
  double sum = 0.0;
  for (size_t m = 0; m < count; m++) sum += x[m] * simd->dot(count, a + m * count, x);
  return sum;
}

mk_status mk_quadratic_make(mk_norm *norm, size_t count, const double *e, double *memory) {
  double *scale = memory + 3 * count, *unit = scale + count, *inverse = unit + count * count;
  double *factor = inverse + count * count;
  for (size_t m = 0; m < count; m++) {
    double own = e[m * count + m];
    if (!(own > 0.0) || !isfinite(1.0 / own)) return MK_BAD_ARGUMENT;
    scale[m] = 1.0 / sqrt(own);
  }
  for (size_t m = 0; m < count; m++)
    for (size_t k = 0; k < count; k++)
      unit[m * count + k] = 0.5 * (e[m * count + k] + e[k * count + m]) * scale[m] * scale[k];
  memcpy(factor, unit, count * count * sizeof(double));
  if (mk_cholesky(factor, count, 0.0, NULL) != MK_OK) return MK_BAD_ARGUMENT;
  memset(inverse, 0, count * count * sizeof(double));
  for (size_t m = 0; m < count; m++) {
    double *row = inverse + m * count;
    row[m] = 1.0;
    mk_solve_lower(factor, count, row);
    mk_solve_upper(factor, count, row);
    if (!(row[m] > 0.0) || !isfinite(row[m])) return MK_BAD_ARGUMENT;
  }
  norm->scale = scale;
  norm->e = unit;
  norm->inverse = inverse;
  return MK_OK;
}

void mk_quadratic_normalize(const mk_norm *norm, size_t count, double *t) {
  for (size_t m = 0; m < count; m++) t[m] = fmax(t[m], 0.0);
  double square = form(count, norm->inverse, t);
  for (size_t m = 0; square > 0.0 && m < count; m++) t[m] /= sqrt(square);
}

/* ---- the best gamma ---- */

/* Solves (Ev)_F = 0 over the marked indices F, with v = s elsewhere, and computes gradient = Ev.
 * Returns 0 if the system is singular. */
static int solve_marked(const mk_norm *norm, size_t count, const double *s, const char *marked,
                        double *v, double *gradient) {
  const mk_simd *simd = mk_simd_best();
  double *system = matrix_of(norm, count), *right = vector_of(norm, count, 4);
  size_t size = 0;
  for (size_t m = 0; m < count; m++) v[m] = marked[m] ? 0.0 : s[m];
  for (size_t m = 0; m < count; m++) {
    if (!marked[m]) continue;
    right[size] = -simd->dot(count, norm->e + m * count, v);
    size++;
  }
  for (size_t m = 0, i = 0; m < count; m++) {
    if (!marked[m]) continue;
    for (size_t k = 0, j = 0; k < count; k++)
      if (marked[k]) system[i * size + j++] = norm->e[m * count + k];
    i++;
  }
  if (size > 0 && mk_cholesky(system, size, 0.0, NULL) != MK_OK) return 0;
  mk_solve_lower(system, size, right);
  mk_solve_upper(system, size, right);
  for (size_t m = 0, i = 0; m < count; m++)
    if (marked[m]) v[m] = right[i++];
  multiply(count, norm->e, v, gradient);
  return 1;
}

/* Minimises v'Ev over v >= s by block pivoting (Portugal, Judice & Vicente 1994). Since block
 * pivoting may cycle, after a number of steps only the last wrong index is exchanged (Murty's rule,
 * finite for positive definite E). */
void mk_quadratic_gamma(const mk_norm *norm, size_t count, const double *s, double *gamma) {
  double *v = vector_of(norm, count, 0), *gradient = vector_of(norm, count, 1);
  double *at = vector_of(norm, count, 2), size = 0.0;
  char *marked = (char *)vector_of(norm, count, 3), *bad = marked + count;
  memset(marked, 0, count);
  for (size_t m = 0; m < count; m++) {
    at[m] = fmax(s[m], 0.0);
    size = fmax(size, at[m]);
    gamma[m] = 0.0;
  }
  double slack = 8.0 * MK_UNIT * size; /* roundings of a few operations */
  for (size_t round = 0; round < 20 * count + 100; round++) {
    size_t last = count; /* the last wrong index; `count`: none */
    if (!solve_marked(norm, count, at, marked, v, gradient)) return;
    for (size_t m = 0; m < count; m++) {
      bad[m] = marked[m] ? v[m] < at[m] - slack : gradient[m] < -slack;
      if (bad[m]) last = m;
    }
    for (size_t m = 0; m < count; m++) gamma[m] = marked[m] ? fmax(v[m] - at[m], 0.0) : 0.0;
    if (last == count) return;
    for (size_t m = 0; m < count; m++)
      if (bad[m] && (round < BLOCK_EXCHANGES || m == last)) marked[m] = !marked[m];
  }
}

const double *mk_quadratic_best(const mk_norm *norm, size_t count, const double *s, double *size) {
  double *sum = vector_of(norm, count, 4), *best = vector_of(norm, count, 0);
  double *gamma = norm->work + 2 * count;
  mk_quadratic_gamma(norm, count, s, gamma);
  for (size_t m = 0; m < count; m++) sum[m] = fmax(s[m], 0.0) + gamma[m];
  *size = sqrt(fmax(form(count, norm->e, sum), 0.0));
  if (*size > 0.0) multiply(count, norm->e, sum, best);
  return best;
}
