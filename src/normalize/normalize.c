#include "normalize.h"

#include "base/memory.h"
#include "kernel/exact.h"
#include "kernel/expansion.h"
#include "kernel/features.h"
#include "kernel/means.h"

#include <math.h>

/* A kernel whose spread is below this share of its diagonal is constant in
 * double precision. */
#define DEGENERATE 1e-12

static int by_column(const mk_kernel_set *set, size_t m, const mk_constants *constants) {
  return mk_is_linear(set, m) && constants->scaling != MK_SCALE_SPHERICAL;
}

int mk_needs_means(const mk_kernel_set *set, size_t m, const mk_constants *constants) {
  return constants->centred && !by_column(set, m, constants);
}

/* Means over the known samples of rows from `from` on, of all centred kernels. */
static mk_status find_means(const mk_kernel_set *set, size_t from, size_t known,
                            const mk_counted *counted, const mk_constants *constants,
                            const mk_control *control) {
  size_t kernels = mk_set_kernels(set);
  double **mean = MK_NEW0(double *, kernels);
  mk_status status = mean == NULL ? MK_NO_MEMORY : MK_OK;
  int any = 0;
  for (size_t m = 0; status == MK_OK && m < kernels; m++)
    if (mk_needs_means(set, m, &constants[m])) {
      mean[m] = constants[m].mean;
      any = 1;
    }
  if (any) status = mk_exact_means(set, from, known, counted, mean, control);
  mk_free(mean);
  return status;
}

static int counts(const mk_counted *counted, size_t i) {
  return counted == NULL || counted->weight[i] > 0.0;
}

/* Sums of all entries between samples that count, of the kernels that are scaled by them and not centred: 1'K_m 1. */
static mk_status sum_pairs(const mk_kernel_set *set, const mk_counted *counted,
                           const mk_constants *constants, double *all, const mk_control *control) {
  size_t n = mk_set_samples(set), kernels = mk_set_kernels(set), count = 0;
  int any = 0, *wanted = MK_NEW0(int, kernels), *sample = MK_NEW(int, n);
  double *ones = MK_NEW(double, n);
  mk_status status = wanted == NULL || sample == NULL || ones == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t m = 0; status == MK_OK && m < kernels; m++) {
    wanted[m] = !constants[m].centred && constants[m].scaling == MK_SCALE_MULTIPLICATIVE &&
                !by_column(set, m, &constants[m]);
    any |= wanted[m];
  }
  if (any) {
    for (size_t i = 0; i < n; i++) {
      ones[i] = 1.0;
      if (counts(counted, i)) sample[count++] = (int)i;
    }
    mk_expansion pairs = {.set = set,
                          .sample = sample,
                          .support = count,
                          .count = count,
                          .tasks = 1,
                          .alpha = ones,
                          .raw = 1,
                          .forms = all,
                          .wanted = wanted};
    status = mk_expand(&pairs, control);
  }
  mk_free(wanted);
  mk_free(sample);
  mk_free(ones);
  return status;
}

/* sqrt of the (centred) diagonal, inverted; 0 marks a sample of zero length. */
static void invert_roots(const mk_constants *constants, size_t n, double *diagonal) {
  for (size_t i = 0; i < n; i++) {
    double square = diagonal[i];
    if (constants->mean != NULL) square += constants->total - 2.0 * constants->mean[i];
    diagonal[i] = square > DEGENERATE * fabs(diagonal[i]) ? 1.0 / sqrt(square) : 0.0;
  }
}

/* Scale of a kernel from the sums of its diagonal, of that without signs and
 * of that once centred; sets `degenerate`. */
static void find_scale(mk_constants *constants, double count, double trace, double size,
                       double spread) {
  double denominator;
  constants->scale = 1.0;
  constants->degenerate = size == 0.0;
  if (constants->centred || constants->scaling == MK_SCALE_MULTIPLICATIVE)
    constants->degenerate = spread <= DEGENERATE * size;
  if (constants->scaling == MK_SCALE_MULTIPLICATIVE)
    denominator = spread / count;
  else if (constants->scaling == MK_SCALE_TRACE)
    denominator = constants->centred ? spread : trace;
  else
    return;
  if (!(denominator > 0.0) || !isfinite(1.0 / denominator)) constants->degenerate = 1;
  if (!constants->degenerate) constants->scale = 1.0 / denominator;
}

static void scale_by_diagonal(mk_constants *constants, size_t n, const mk_counted *counted,
                              const double *diagonal, double mean_all) {
  double trace = 0.0, size = 0.0, count = counted != NULL ? counted->count : (double)n;
  for (size_t i = 0; i < n; i++) {
    if (!counts(counted, i)) continue;
    trace += diagonal[i];
    size += fabs(diagonal[i]);
  }
  find_scale(constants, count, trace, size, trace - count * mean_all);
}

/* A linear kernel: everything from the moments of its columns. */
static mk_status fit_linear(mk_kernel_set *set, size_t m, const mk_counted *counted,
                            mk_constants *constants) {
  double trace, spread, count = counted != NULL ? counted->count : (double)mk_set_samples(set);
  mk_linear_moments(set, m, counted, &trace, &spread);
  find_scale(constants, count, trace, trace, spread);
  constants->total = 0.0;
  if (constants->degenerate) return MK_OK;
  return mk_linear_normalize(set, m, constants->scale, constants->centred, mk_set_samples(set),
                             counted);
}

static mk_status install(mk_kernel_set *set, size_t m, const mk_constants *constants,
                         double *diagonal, size_t known, const mk_counted *counted,
                         int *degenerate) {
  const double *root = NULL;
  if (constants->scaling == MK_SCALE_SPHERICAL) {
    invert_roots(constants, mk_set_samples(set), diagonal);
    root = diagonal;
    for (size_t i = 0; i < known; i++)
      if (diagonal[i] == 0.0 && counts(counted, i)) *degenerate = 1;
  }
  return mk_set_normalization(set, m, constants->scale, constants->centred ? constants->mean : NULL,
                              constants->total, root);
}

static mk_status fit_all(mk_kernel_set *set, const mk_counted *counted, mk_constants *constants,
                         double *all, mk_exact *exact, double *diagonal,
                         const mk_control *control) {
  size_t n = mk_set_samples(set), kernels = mk_set_kernels(set);
  double count = counted != NULL ? counted->count : (double)n;
  MK_TRY(find_means(set, 0, n, counted, constants, control));
  MK_TRY(sum_pairs(set, counted, constants, all, control));
  for (size_t m = 0; m < kernels; m++) {
    if (by_column(set, m, &constants[m])) {
      MK_TRY(fit_linear(set, m, counted, &constants[m]));
      continue;
    }
    double mean_all = all[m] / (count * count);
    for (size_t i = 0; constants[m].centred && i < n; i++)
      if (counts(counted, i)) mean_all += constants[m].mean[i] / count;
    constants[m].total = constants[m].centred ? mean_all : 0.0;
    MK_TRY(mk_exact_diagonal(exact, m, diagonal));
    scale_by_diagonal(&constants[m], n, counted, diagonal, mean_all);
    if (!constants[m].degenerate)
      MK_TRY(install(set, m, &constants[m], diagonal, n, counted, &constants[m].degenerate));
  }
  return MK_OK;
}

static mk_status apply_all(mk_kernel_set *set, mk_constants *constants, size_t known, int complete,
                           mk_exact *exact, double *diagonal, const mk_control *control) {
  size_t n = mk_set_samples(set), kernels = mk_set_kernels(set);
  for (size_t m = 0; m < kernels; m++)
    if (mk_needs_means(set, m, &constants[m]))
      for (size_t i = known; i < n; i++) constants[m].mean[i] = 0.0;
  if (complete && known < n) MK_TRY(find_means(set, known, known, NULL, constants, control));
  for (size_t m = 0; m < kernels; m++) {
    int degenerate = 0;
    if (by_column(set, m, &constants[m])) {
      MK_TRY(mk_linear_normalize(set, m, constants[m].scale, constants[m].centred, known, NULL));
      continue;
    }
    if (constants[m].scaling == MK_SCALE_SPHERICAL) MK_TRY(mk_exact_diagonal(exact, m, diagonal));
    MK_TRY(install(set, m, &constants[m], diagonal, known, NULL, &degenerate));
  }
  return MK_OK;
}

/* Scaling by sample is not for feature blocks. */
static mk_status separate(mk_kernel_set *set, const mk_constants *constants, mk_team *team) {
  size_t kernels = mk_set_kernels(set);
  int *rooted = MK_NEW(int, kernels);
  if (rooted == NULL) return MK_NO_MEMORY;
  for (size_t m = 0; m < kernels; m++) rooted[m] = constants[m].scaling == MK_SCALE_SPHERICAL;
  mk_status status = mk_set_separate(set, rooted, team);
  mk_free(rooted);
  return status;
}

static mk_status with_workspace(mk_kernel_set *set, const mk_counted *counted,
                                mk_constants *constants, size_t known, int fit, int complete,
                                const mk_control *control) {
  MK_TRY(separate(set, constants, control->team));
  mk_exact *exact = mk_exact_new(set);
  double *all = MK_NEW0(double, mk_set_kernels(set));
  double *diagonal = MK_NEW0(double, mk_set_samples(set));
  mk_status status = MK_NO_MEMORY;
  if (all != NULL && exact != NULL && diagonal != NULL)
    status = fit ? fit_all(set, counted, constants, all, exact, diagonal, control)
                 : apply_all(set, constants, known, complete, exact, diagonal, control);
  mk_exact_free(exact);
  mk_free(all);
  mk_free(diagonal);
  return status;
}

mk_status mk_normalize_fit(mk_kernel_set *set, mk_constants *constants, const mk_counted *counted,
                           const mk_control *control) {
  return with_workspace(set, counted, constants, mk_set_samples(set), 1, 1, control);
}

mk_status mk_normalize_apply(mk_kernel_set *set, mk_constants *constants, size_t known,
                             int complete, const mk_control *control) {
  return with_workspace(set, NULL, constants, known, 0, complete, control);
}
