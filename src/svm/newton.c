/* Newton on the free variables: where SMO crawls (large C, nearly singular
 * kernels) the equality-constrained system on the free set ends it at once. */
#include "svm.h"

#include "base/cholesky.h"

#include <math.h>
#include <string.h>

#define TOGETHER 64 /* rows fetched at a time */

size_t mk_svm_free_count(const mk_svm *svm) {
  size_t count = 0;
  for (size_t i = 0; i < svm->n; i++) count += mk_svm_is_free(svm, i);
  return count;
}

/* Factors A + jitter I, raising the jitter until it works. The upper triangle
 * keeps A's values for another try. */
static mk_status factor(size_t n, mk_row a, double *diagonal, double size, double unit,
                        mk_team *team) {
  for (size_t i = 0; i < n; i++) diagonal[i] = mk_row_at(a, i * n + i);
  mk_status status = MK_STALLED;
  for (double jitter = unit; jitter < 1e-5 && status == MK_STALLED; jitter *= 100.0) {
    for (size_t i = 0; i < n && jitter > unit; i++) {
      mk_row_set(a, i * n + i, diagonal[i]);
      for (size_t j = 0; j < i; j++) mk_row_set(a, i * n + j, mk_row_at(a, j * n + i));
    }
    status = mk_factor(a, n, n, jitter * size, team);
  }
  return status;
}

/* Direction d on the free set: K_FF d = g - beta 1 with 1'd = 0; 0 when there is none. */
static int direction(size_t n, mk_row l, const double *gradient, double *d, double *ones) {
  for (size_t i = 0; i < n; i++) {
    d[i] = gradient[i];
    ones[i] = 1.0;
  }
  mk_factor_lower(l, n, d);
  mk_factor_upper(l, n, d);
  mk_factor_lower(l, n, ones);
  mk_factor_upper(l, n, ones);
  double top = 0.0, bottom = 0.0;
  for (size_t i = 0; i < n; i++) {
    top += d[i];
    bottom += ones[i];
  }
  if (!(bottom > 0.0) || !isfinite(top)) return 0;
  double drift = 0.0;
  for (size_t i = 0; i < n; i++) {
    d[i] -= top / bottom * ones[i];
    drift += d[i];
  }
  for (size_t i = 0; i < n; i++) d[i] -= drift / (double)n;
  return 1;
}

/* The longest step in [0, 1] inside the box. */
static double longest_step(const mk_svm *svm, const int *free_set, size_t n, const double *d) {
  double step = 1.0;
  for (size_t k = 0; k < n; k++) {
    size_t i = (size_t)free_set[k];
    double room = d[k] > 0 ? svm->upper[i] - svm->alpha[i] : svm->alpha[i] - svm->lower[i];
    if (fabs(d[k]) * step > room) step = room / fabs(d[k]);
  }
  return step;
}

/* Rows of which number k is the first to be asked for. */
static mk_status fetch_some(const mk_svm_task *task, const int *rows, size_t n, size_t k) {
  if (task->rows.fetch == NULL || k % TOGETHER != 0) return MK_OK;
  return task->rows.fetch(task->rows.data, rows + k, n - k < TOGETHER ? n - k : TOGETHER);
}

/* alpha += step d; the gradient follows row by row. */
static mk_status move(const mk_svm_task *task, const int *free_set, size_t n, const double *d,
                      double step) {
  mk_svm *svm = task->svm;
  size_t size = mk_padded(svm->n);
  mk_status status = MK_OK;
  for (size_t k = 0; k < n; k++) {
    size_t i = (size_t)free_set[k];
    double change = step * d[k];
    MK_TRY(fetch_some(task, free_set, n, k));
    mk_row row = task->rows.row(task->rows.data, i, &status);
    if (row.at == NULL) return status;
    svm->simd->rows[row.single].axpy(size, -change, row.at, svm->gradient);
    double width = svm->upper[i] - svm->lower[i];
    svm->alpha[i] += change;
    if (svm->upper[i] - svm->alpha[i] <= 1e-14 * width) svm->alpha[i] = svm->upper[i];
    if (svm->alpha[i] - svm->lower[i] <= 1e-14 * width) svm->alpha[i] = svm->lower[i];
  }
  mk_svm_reset_bounds(svm);
  return MK_OK;
}

static mk_status newton_step(const mk_svm_task *task, const int *free_set, size_t n, mk_row a,
                             double *vectors, int *moved) {
  mk_svm *svm = task->svm;
  mk_status status = MK_OK;
  double *g = vectors, *d = vectors + n, *ones = vectors + 2 * n, size = 0.0;
  for (size_t k = 0; k < n; k++) {
    MK_TRY(fetch_some(task, free_set, n, k));
    mk_row row = task->rows.row(task->rows.data, (size_t)free_set[k], &status);
    if (row.at == NULL) return status;
    mk_row_gather(row, free_set, n, mk_row_from(a, k * n));
    size = fmax(size, task->diagonal[free_set[k]]);
    g[k] = svm->gradient[free_set[k]];
  }
  double centre = 0.0; /* taking the offset out first spares cancellation */
  for (size_t k = 0; k < n; k++) centre += g[k] / (double)n;
  for (size_t k = 0; k < n; k++) g[k] -= centre;
  status = factor(n, a, d, size, task->rows.unit, task->control->team);
  if (status == MK_NO_MEMORY) return status;
  if (status != MK_OK || !direction(n, a, g, d, ones)) return MK_OK;
  double gain = 0.0;
  for (size_t k = 0; k < n; k++) gain += g[k] * d[k];
  if (!(gain > 0.0)) return MK_OK;
  *moved = 1;
  return move(task, free_set, n, d, longest_step(svm, free_set, n, d));
}

mk_status mk_svm_newton(const mk_svm_task *task, int *moved) {
  mk_svm *svm = task->svm;
  size_t count = mk_svm_free_count(svm);
  *moved = 0;
  if (count < 2) return MK_OK;
  int *free_set = MK_NEW(int, count);
  int single = task->rows.single;
  mk_row a = {mk_buffer_need(task->system, count * count, mk_row_size(single)), single};
  double *vectors = MK_NEW(double, 3 * count);
  mk_status status = MK_NO_MEMORY;
  if (free_set != NULL && a.at != NULL && vectors != NULL) {
    size_t k = 0;
    for (size_t i = 0; i < svm->n; i++)
      if (mk_svm_is_free(svm, i)) free_set[k++] = (int)i;
    status = newton_step(task, free_set, count, a, vectors, moved);
  }
  mk_free(free_set);
  mk_free(vectors);
  return status;
}
