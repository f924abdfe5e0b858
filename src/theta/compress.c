/* Replaces many rows by a pivoted Cholesky factor. Called by curvature.c. MATHEMATICS.md, section
 * 2.4. */
#include "compress.h"

#include "base/memory.h"
#include "base/simd.h"
#include "base/sum.h"

#include <math.h>
#include <string.h>

#define ZERO_SHARE 1e-30 /* share of the largest square that counts as 0 */

/* A pivoted Cholesky factor of Z'Z, of which only the pivots' rows are formed. */
typedef struct factoring {
  const double *z;
  size_t rows, kernels, rank;
  const mk_simd *simd;
  double *factor;   /* rank x kernels */
  double *square;   /* squares of the kernels' values, the diagonal of Z'Z */
  double *residual; /* parts of the squares that the factor does not have yet */
} factoring;

static void measure_kernels(factoring *f) {
  double most = 0.0;
  memset(f->square, 0, f->kernels * sizeof(double));
  for (size_t r = 0; r < f->rows; r++)
    for (size_t m = 0; m < f->kernels; m++) {
      double value = f->z[r * f->kernels + m];
      f->square[m] += value * value;
    }
  for (size_t m = 0; m < f->kernels; m++) most = fmax(most, f->square[m]);
  for (size_t m = 0; m < f->kernels; m++)
    if (!(f->square[m] > ZERO_SHARE * most)) f->square[m] = 0.0;
  memcpy(f->residual, f->square, f->kernels * sizeof(double));
}

/* Returns the kernel that lacks the largest share of its square; `kernels`: all shares are
 * small. */
static size_t next_pivot(const factoring *f) {
  double worst = MK_SUM_ROUNDING; /* share of a kernel's square that may be missing */
  size_t pivot = f->kernels;
  for (size_t m = 0; m < f->kernels; m++)
    if (f->residual[m] > worst * f->square[m]) {
      worst = f->residual[m] / f->square[m];
      pivot = m;
    }
  return pivot;
}

static void add_row(factoring *f, size_t pivot) {
  size_t kernels = f->kernels;
  double *row = f->factor + f->rank * kernels;
  memset(row, 0, kernels * sizeof(double));
  for (size_t r = 0; r < f->rows; r++)
    f->simd->axpy(kernels, f->z[r * kernels + pivot], f->z + r * kernels, row);
  for (size_t k = 0; k < f->rank; k++)
    f->simd->axpy(kernels, -f->factor[k * kernels + pivot], f->factor + k * kernels, row);
  double root = sqrt(f->residual[pivot]);
  for (size_t m = 0; m < kernels; m++) {
    row[m] = f->square[m] > 0.0 ? row[m] / root : 0.0;
    f->residual[m] -= row[m] * row[m];
  }
  f->residual[pivot] = 0.0;
  f->rank++;
}

mk_status mk_theta_compress(double *z, size_t *rows, size_t kernels) {
  size_t most = (*rows < kernels ? *rows : kernels) / 2, pivot;
  factoring f = {.z = z, .rows = *rows, .kernels = kernels, .simd = mk_simd_best()};
  if (most == 0) return MK_OK;
  f.factor = MK_NEW(double, most *kernels);
  f.square = MK_NEW(double, kernels);
  f.residual = MK_NEW(double, kernels);
  int complete = f.factor != NULL && f.square != NULL && f.residual != NULL;
  if (complete) {
    measure_kernels(&f);
    while ((pivot = next_pivot(&f)) < kernels && f.rank < most) add_row(&f, pivot);
    if (pivot == kernels) {
      memcpy(z, f.factor, f.rank * kernels * sizeof(double));
      *rows = f.rank;
    }
  }
  mk_free(f.factor);
  mk_free(f.square);
  mk_free(f.residual);
  return complete ? MK_OK : MK_NO_MEMORY;
}
