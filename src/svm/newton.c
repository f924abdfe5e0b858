/* Newton on the free variables: where SMO crawls (large C, nearly singular
 * kernels) the equality-constrained system on the free set ends it at once. */
#include "svm.h"

#include "base/blas.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

size_t mk_svm_free_count(const mk_svm *svm) {
  size_t count = 0;
  for (size_t i = 0; i < svm->n; i++)
    count += mk_svm_is_free(svm, i);
  return count;
}

/* Factors A + jitter I in place, raising the jitter until it works. */
static int factor(int n, double *a, double *backup, double size) {
  size_t bytes = (size_t)n * (size_t)n * sizeof *a;
  memcpy(backup, a, bytes);
  for (double jitter = 1e-14; jitter < 1e-5; jitter *= 100.0) {
    int info = 0;
    if (jitter > 1e-14)
      memcpy(a, backup, bytes);
    for (int i = 0; i < n; i++)
      a[(size_t)i * (size_t)n + (size_t)i] += jitter * size;
    F77_CALL(dpotrf)("L", &n, a, &n, &info FCONE);
    if (info == 0)
      return 1;
  }
  return 0;
}

/* Direction d on the free set: K_FF d = g - beta 1 with 1'd = 0. */
static int direction(int n, const double *a, const double *gradient, double *d, double *ones) {
  int one = 1, info = 0;
  for (int i = 0; i < n; i++) {
    d[i] = gradient[i];
    ones[i] = 1.0;
  }
  F77_CALL(dpotrs)("L", &n, &one, a, &n, d, &n, &info FCONE);
  if (info != 0)
    return 0;
  F77_CALL(dpotrs)("L", &n, &one, a, &n, ones, &n, &info FCONE);
  if (info != 0)
    return 0;
  double top = 0.0, bottom = 0.0;
  for (int i = 0; i < n; i++) {
    top += d[i];
    bottom += ones[i];
  }
  if (!(bottom > 0.0) || !isfinite(top))
    return 0;
  double drift = 0.0;
  for (int i = 0; i < n; i++) {
    d[i] -= top / bottom * ones[i];
    drift += d[i];
  }
  for (int i = 0; i < n; i++)
    d[i] -= drift / n;
  return 1;
}

/* The longest step in [0, 1] inside the box. */
static double longest_step(const mk_svm *svm, const int *free_set, int n, const double *d) {
  double step = 1.0;
  for (int k = 0; k < n; k++) {
    size_t i = (size_t)free_set[k];
    double room = d[k] > 0 ? svm->upper[i] - svm->alpha[i] : svm->alpha[i] - svm->lower[i];
    if (fabs(d[k]) * step > room)
      step = room / fabs(d[k]);
  }
  return step;
}

/* alpha += step d; the gradient follows row by row. */
static mk_status move(const mk_svm_task *task, const int *free_set, int n, const double *d,
                      double step) {
  mk_svm *svm = task->svm;
  size_t size = mk_padded(svm->n);
  mk_status status = MK_OK;
  for (int k = 0; k < n; k++) {
    size_t i = (size_t)free_set[k];
    double change = step * d[k];
    const double *row = task->rows.row(task->rows.data, i, &status);
    if (row == NULL)
      return status;
    for (size_t t = 0; t < size; t++)
      svm->gradient[t] -= change * row[t];
    double width = svm->upper[i] - svm->lower[i];
    svm->alpha[i] += change;
    if (svm->upper[i] - svm->alpha[i] <= 1e-14 * width)
      svm->alpha[i] = svm->upper[i];
    if (svm->alpha[i] - svm->lower[i] <= 1e-14 * width)
      svm->alpha[i] = svm->lower[i];
  }
  mk_svm_reset_bounds(svm);
  return MK_OK;
}

static mk_status newton_step(const mk_svm_task *task, const int *free_set, int n, double *a,
                             double *backup, double *vectors, int *moved) {
  mk_svm *svm = task->svm;
  mk_status status = MK_OK;
  double *g = vectors, *d = vectors + n, *ones = vectors + 2 * n, size = 0.0;
  for (int k = 0; k < n; k++) {
    const double *row = task->rows.row(task->rows.data, (size_t)free_set[k], &status);
    if (row == NULL)
      return status;
    for (int t = 0; t < n; t++)
      a[(size_t)k * (size_t)n + (size_t)t] = row[free_set[t]];
    size = fmax(size, task->diagonal[free_set[k]]);
    g[k] = svm->gradient[free_set[k]];
  }
  double centre = 0.0; /* taking the offset out first spares cancellation */
  for (int k = 0; k < n; k++)
    centre += g[k] / n;
  for (int k = 0; k < n; k++)
    g[k] -= centre;
  if (!factor(n, a, backup, size) || !direction(n, a, g, d, ones))
    return MK_OK;
  double gain = 0.0;
  for (int k = 0; k < n; k++)
    gain += g[k] * d[k];
  if (!(gain > 0.0))
    return MK_OK;
  *moved = 1;
  return move(task, free_set, n, d, longest_step(svm, free_set, n, d));
}

mk_status mk_svm_newton(const mk_svm_task *task, int *moved) {
  mk_svm *svm = task->svm;
  size_t count = mk_svm_free_count(svm);
  *moved = 0;
  if (count < 2)
    return MK_OK;
  int *free_set = MK_NEW(int, count);
  double *a = MK_NEW(double, count * count), *backup = MK_NEW(double, count * count);
  double *vectors = MK_NEW(double, 3 * count);
  mk_status status = MK_NO_MEMORY;
  if (free_set != NULL && a != NULL && backup != NULL && vectors != NULL) {
    size_t k = 0;
    for (size_t i = 0; i < svm->n; i++)
      if (mk_svm_is_free(svm, i))
        free_set[k++] = (int)i;
    status = newton_step(task, free_set, (int)count, a, backup, vectors, moved);
  }
  mk_free(free_set);
  mk_free(a);
  mk_free(backup);
  mk_free(vectors);
  return status;
}
