/* Kernels of pairs of objects. Called by rglue/pairs.c. MATHEMATICS.md, section 4.1. */
#include "matrix/pair-kernel.h"

#include "base/memory.h"

#define ROUND 1024 /* support vectors between checks of the limits */

static const double *column_of(const double *K, size_t size, int object) {
  return K + (size_t)(object - 1) * size;
}

static int has_objects(const mk_pair_kernel *k, int i) {
  return k->first[i] > 0 && k->second[i] > 0;
}

static double value_of(const mk_pair_kernel *k, int i, int j) {
  if (!has_objects(k, i) || !has_objects(k, j)) return 0.0;
  int a = k->first[i] - 1, b = k->second[i] - 1;
  const double *first = column_of(k->K, k->K_size, k->first[j]);
  if (k->L != NULL) return first[a] * column_of(k->L, k->L_size, k->second[j])[b];
  const double *second = column_of(k->K, k->K_size, k->second[j]);
  return first[a] * second[b] + second[a] * first[b];
}

int mk_pair_values(void *kernel, const int *rows, size_t row_count, const int *cols,
                   size_t col_count, double *out) {
  for (size_t c = 0; c < col_count; c++)
    for (size_t r = 0; r < row_count; r++, out++) *out = value_of(kernel, rows[r], cols[c]);
  return 0;
}

/* ---- sums ---- */

static void add_column(size_t size, double weight, const double *column, double *out) {
  for (size_t k = 0; k < size; k++) out[k] += weight * column[k];
}

/* Adds the support vectors' part to AL, whose columns are the objects of K. */
static mk_status sum_support(const mk_pair_kernel *k, const int *support, size_t count,
                             const double *weight, const mk_control *control, double *sum) {
  const double *L = k->L != NULL ? k->L : k->K;
  size_t size = k->L != NULL ? k->L_size : k->K_size;
  for (size_t j = 0; j < count; j++) {
    if (j % ROUND == 0) MK_TRY(mk_check(control));
    int first = k->first[support[j]], second = k->second[support[j]];
    if (weight[j] == 0.0 || !has_objects(k, support[j])) continue;
    add_column(size, weight[j], column_of(L, size, second), sum + (size_t)(first - 1) * size);
    if (k->L == NULL)
      add_column(size, weight[j], column_of(L, size, first), sum + (size_t)(second - 1) * size);
  }
  return MK_OK;
}

static void transpose(size_t rows, size_t cols, const double *x, double *out) {
  for (size_t c = 0; c < cols; c++)
    for (size_t r = 0; r < rows; r++) out[r * cols + c] = x[c * rows + r];
}

mk_status mk_pair_expand(void *kernel, const int *support, size_t support_count,
                         const double *weight, const int *sample, size_t count,
                         const mk_control *control, double *out) {
  const mk_pair_kernel *k = kernel;
  size_t size = k->L != NULL ? k->L_size : k->K_size;
  double *sum = MK_NEW0(double, k->K_size *size), *by_object = MK_NEW(double, k->K_size *size);
  mk_status status = sum != NULL && by_object != NULL ? MK_OK : MK_NO_MEMORY;
  if (status == MK_OK) status = sum_support(k, support, support_count, weight, control, sum);
  if (status == MK_OK) transpose(size, k->K_size, sum, by_object);
  for (size_t i = 0; status == MK_OK && i < count; i++) {
    out[i] = 0.0;
    if (!has_objects(k, sample[i])) continue;
    const double *own = column_of(k->K, k->K_size, k->first[sample[i]]);
    const double *other = by_object + (size_t)(k->second[sample[i]] - 1) * k->K_size;
    for (size_t a = 0; a < k->K_size; a++) out[i] += own[a] * other[a];
  }
  mk_free(sum);
  mk_free(by_object);
  return status;
}

double mk_pair_units(const mk_pair_kernel *kernel) {
  return (double)kernel->K_size + 4.0;
}
