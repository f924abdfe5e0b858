#include "normalize.h"

#include "base/memory.h"
#include "kernel/exact.h"
#include "kernel/expansion.h"

#include <math.h>
#include <string.h>

/* A kernel whose spread is below this share of its diagonal is constant in
 * double precision. */
#define DEGENERATE 1e-12

static mk_status centre_family(mk_exact *exact, const mk_kernel_set *set, size_t f, const int *rows,
                               size_t row_count, size_t known, const mk_constants *constants) {
  double value[MK_EXACT_COLS];
  for (size_t c = 0; c < known; c += MK_EXACT_COLS) {
    mk_columns part = mk_run(c, known - c < MK_EXACT_COLS ? known - c : MK_EXACT_COLS);
    MK_TRY(mk_exact_block(exact, f, rows, row_count, &part));
    for (size_t k = 0; k < mk_exact_family_size(set, f); k++) {
      size_t m = mk_exact_family_member(set, f, k);
      if (!constants[m].centred) continue;
      for (size_t r = 0; r < row_count; r++) {
        double sum = 0.0;
        mk_exact_unscaled(exact, m, r, value);
        for (size_t j = 0; j < part.count; j++) sum += value[j];
        constants[m].mean[rows[r]] += sum / (double)known;
      }
    }
  }
  return MK_OK;
}

static int family_is_centred(const mk_kernel_set *set, size_t f, const mk_constants *constants) {
  for (size_t k = 0; k < mk_exact_family_size(set, f); k++)
    if (constants[mk_exact_family_member(set, f, k)].centred) return 1;
  return 0;
}

static mk_status centre_block(mk_exact *exact, const mk_kernel_set *set, size_t first, size_t count,
                              size_t known, const mk_constants *constants) {
  int rows[MK_EXACT_ROWS];
  for (size_t r = 0; r < count; r++) rows[r] = (int)(first + r);
  for (size_t f = 0; f < mk_set_families(set); f++)
    if (family_is_centred(set, f, constants))
      MK_TRY(centre_family(exact, set, f, rows, count, known, constants));
  return MK_OK;
}

/* Means over the known samples of rows from..to of centred kernels; each block
 * of rows is one thread's, so that nothing needs merging. */
static mk_status mean_rows(const mk_kernel_set *set, size_t from, size_t known,
                           const mk_constants *constants, const mk_control *control) {
  size_t to = mk_set_samples(set);
  int threads = mk_exact_serial(set) ? 1 : control->threads;
  mk_status status = MK_OK;
  size_t step = (size_t)MK_EXACT_ROWS * (size_t)threads;
  mk_exact **exact = MK_NEW0(mk_exact *, (size_t)threads);
  if (exact == NULL) return MK_NO_MEMORY;
  for (int t = 0; status == MK_OK && t < threads; t++)
    if ((exact[t] = mk_exact_new(set)) == NULL) status = MK_NO_MEMORY;
  for (size_t start = from; status == MK_OK && start < to; start += step) {
    status = mk_check(control);
    if (status != MK_OK) break;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static, 1)
#endif
    for (int t = 0; t < threads; t++) {
      size_t first = start + (size_t)t * MK_EXACT_ROWS;
      if (first >= to) continue;
      size_t count = to - first < MK_EXACT_ROWS ? to - first : MK_EXACT_ROWS;
      mk_status block = centre_block(exact[t], set, first, count, known, constants);
      if (block != MK_OK) {
#ifdef _OPENMP
#pragma omp critical(mk_mean_rows)
#endif
        status = block;
      }
    }
  }
  for (int t = 0; t < threads; t++) mk_exact_free(exact[t]);
  mk_free(exact);
  return status;
}

/* Sums of all entries of the kernels that are scaled by them and not centred: 1'K_m 1. */
static mk_status sum_pairs(const mk_kernel_set *set, const mk_constants *constants, double *all,
                           const mk_control *control) {
  size_t n = mk_set_samples(set), kernels = mk_set_kernels(set);
  int any = 0, *wanted = MK_NEW0(int, kernels), *sample = MK_NEW(int, n);
  double *ones = MK_NEW(double, n);
  mk_status status = wanted == NULL || sample == NULL || ones == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t m = 0; status == MK_OK && m < kernels; m++) {
    wanted[m] = !constants[m].centred && constants[m].scaling == MK_SCALE_MULTIPLICATIVE;
    any |= wanted[m];
  }
  if (any) {
    for (size_t i = 0; i < n; i++) {
      sample[i] = (int)i;
      ones[i] = 1.0;
    }
    mk_expansion pairs = {.set = set,
                          .sample = sample,
                          .support = n,
                          .count = n,
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

/* Scale of kernel m from its diagonal and grand mean; sets `degenerate`. */
static void find_scale(mk_constants *constants, size_t n, const double *diagonal, double mean_all) {
  double trace = 0.0, size = 0.0, denominator;
  for (size_t i = 0; i < n; i++) {
    trace += diagonal[i];
    size += fabs(diagonal[i]);
  }
  double average = trace / (double)n;
  constants->scale = 1.0;
  constants->degenerate = size == 0.0;
  if (constants->centred || constants->scaling == MK_SCALE_MULTIPLICATIVE)
    constants->degenerate = average - mean_all <= DEGENERATE * size / (double)n;
  if (constants->scaling == MK_SCALE_MULTIPLICATIVE)
    denominator = average - mean_all;
  else if (constants->scaling == MK_SCALE_TRACE)
    denominator = constants->centred ? (average - mean_all) * (double)n : trace;
  else
    return;
  if (!(denominator > 0.0) || !isfinite(1.0 / denominator)) constants->degenerate = 1;
  if (!constants->degenerate) constants->scale = 1.0 / denominator;
}

static mk_status install(mk_kernel_set *set, size_t m, const mk_constants *constants,
                         double *diagonal, size_t known, int *degenerate) {
  const double *root = NULL;
  if (constants->scaling == MK_SCALE_SPHERICAL) {
    invert_roots(constants, mk_set_samples(set), diagonal);
    root = diagonal;
    for (size_t i = 0; i < known; i++)
      if (diagonal[i] == 0.0) *degenerate = 1;
  }
  return mk_set_normalization(set, m, constants->scale, constants->centred ? constants->mean : NULL,
                              constants->total, root);
}

static mk_status fit_all(mk_kernel_set *set, mk_constants *constants, double *all, mk_exact *exact,
                         double *diagonal, const mk_control *control) {
  size_t n = mk_set_samples(set), kernels = mk_set_kernels(set);
  int centred = 0;
  for (size_t m = 0; m < kernels; m++)
    if (constants[m].centred) {
      memset(constants[m].mean, 0, n * sizeof(double));
      centred = 1;
    }
  if (centred) MK_TRY(mean_rows(set, 0, n, constants, control));
  MK_TRY(sum_pairs(set, constants, all, control));
  for (size_t m = 0; m < kernels; m++) {
    double mean_all = all[m] / ((double)n * (double)n);
    for (size_t i = 0; constants[m].centred && i < n; i++)
      mean_all += constants[m].mean[i] / (double)n;
    constants[m].total = constants[m].centred ? mean_all : 0.0;
    MK_TRY(mk_exact_diagonal(exact, m, diagonal));
    find_scale(&constants[m], n, diagonal, mean_all);
    if (!constants[m].degenerate)
      MK_TRY(install(set, m, &constants[m], diagonal, n, &constants[m].degenerate));
  }
  return MK_OK;
}

static mk_status apply_all(mk_kernel_set *set, mk_constants *constants, size_t known, int complete,
                           mk_exact *exact, double *diagonal, const mk_control *control) {
  size_t n = mk_set_samples(set), kernels = mk_set_kernels(set);
  int any = 0;
  for (size_t m = 0; m < kernels; m++)
    if (constants[m].centred) {
      for (size_t i = known; i < n; i++) constants[m].mean[i] = 0.0;
      any = 1;
    }
  if (any && complete && known < n) MK_TRY(mean_rows(set, known, known, constants, control));
  for (size_t m = 0; m < kernels; m++) {
    int degenerate = 0; /* a new sample of zero length has kernel value 0 */
    if (constants[m].scaling == MK_SCALE_SPHERICAL) MK_TRY(mk_exact_diagonal(exact, m, diagonal));
    MK_TRY(install(set, m, &constants[m], diagonal, known, &degenerate));
  }
  return MK_OK;
}

static mk_status with_workspace(mk_kernel_set *set, mk_constants *constants, size_t known, int fit,
                                int complete, const mk_control *control) {
  mk_exact *exact = mk_exact_new(set);
  double *all = MK_NEW0(double, mk_set_kernels(set));
  double *diagonal = MK_NEW0(double, mk_set_samples(set));
  mk_status status = MK_NO_MEMORY;
  if (all != NULL && exact != NULL && diagonal != NULL)
    status = fit ? fit_all(set, constants, all, exact, diagonal, control)
                 : apply_all(set, constants, known, complete, exact, diagonal, control);
  mk_exact_free(exact);
  mk_free(all);
  mk_free(diagonal);
  return status;
}

mk_status mk_normalize_fit(mk_kernel_set *set, mk_constants *constants, const mk_control *control) {
  return with_workspace(set, constants, mk_set_samples(set), 1, 1, control);
}

mk_status mk_normalize_apply(mk_kernel_set *set, mk_constants *constants, size_t known,
                             int complete, const mk_control *control) {
  return with_workspace(set, constants, known, 0, complete, control);
}
