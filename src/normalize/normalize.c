#include "normalize.h"

#include "base/memory.h"
#include "base/sum.h"
#include "exact/exact-matrix.h"
#include "exact/exact.h"
#include "exact/expansion.h"
#include "exact/means.h"
#include "kernel/constants.h"
#include "kernel/features.h"

#include <math.h>

/* share of its diagonal below which a kernel's spread counts as constant in double precision */
#define DEGENERATE 1e-12
#define SAME_VALUE 1e-13 /* relative difference of values that are equal up to rounding */

/* Returns 1 for kernels scaled by sample, which feature blocks cannot be. */
static int by_sample(const mk_kernel_set *set, size_t m, const mk_constants *constants) {
  return constants->scaling == MK_SCALE_SPHERICAL || mk_set_has(set, m) != NULL;
}

static int by_column(const mk_kernel_set *set, size_t m, const mk_constants *constants) {
  return mk_is_linear(set, m) && !by_sample(set, m, constants);
}

int mk_needs_means(const mk_kernel_set *set, size_t m, const mk_constants *constants) {
  return constants->centred && !by_column(set, m, constants);
}

/* Returns the samples in `counted` that have the view of a kernel. `weight` is work space of n
 * values. */
static mk_counted counted_with_view(size_t n, const double *has, const mk_counted *counted,
                                    double *weight) {
  mk_counted own = {.weight = weight};
  for (size_t i = 0; i < n; i++)
    own.count += weight[i] = counted != NULL ? counted->weight[i] * has[i] : has[i];
  return own;
}

/* Computes the wanted means of the kernels whose views exactly the samples in `has` have. */
static mk_status means_of_group(const mk_kernel_set *set, const double *has, double *const *wanted,
                                double **mean, size_t from, size_t known, const mk_counted *counted,
                                const mk_control *control) {
  size_t n = mk_set_samples(set);
  for (size_t m = 0; m < mk_set_kernels(set); m++)
    mean[m] = mk_set_has(set, m) == has ? wanted[m] : NULL;
  if (has == NULL) return mk_exact_means(set, from, known, counted, mean, control);
  double *weight = MK_NEW(double, n);
  if (weight == NULL) return MK_NO_MEMORY;
  mk_counted own = counted_with_view(n, has, counted, weight);
  mk_status status = mk_exact_means(set, from, known, &own, mean, control);
  mk_free(weight);
  return status;
}

/* Computes means over the known samples, for rows from `from` on and all centred kernels. */
static mk_status find_means(const mk_kernel_set *set, size_t from, size_t known,
                            const mk_counted *counted, const mk_constants *constants,
                            const mk_control *control) {
  size_t kernels = mk_set_kernels(set);
  double **wanted = MK_NEW0(double *, kernels), **mean = MK_NEW(double *, kernels);
  mk_status status = wanted == NULL || mean == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t m = 0; status == MK_OK && m < kernels; m++)
    if (mk_needs_means(set, m, &constants[m])) wanted[m] = constants[m].mean;
  for (size_t m = 0; status == MK_OK && m < kernels; m++) {
    if (wanted[m] == NULL) continue;
    status = means_of_group(set, mk_set_has(set, m), wanted, mean, from, known, counted, control);
    for (size_t k = m; k < kernels; k++)
      if (mean[k] != NULL) wanted[k] = NULL;
  }
  mk_free(wanted);
  mk_free(mean);
  return status;
}

static int is_counted(const mk_counted *counted, size_t i) {
  return counted == NULL || counted->weight[i] > 0.0;
}

/* Computes 1'K_m 1 over the counted samples, for kernels whose scale needs it and that are not
 * centred. */
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
      if (is_counted(counted, i)) sample[count++] = (int)i;
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

typedef struct workspace {
  mk_kernel_set *set;
  double *all;      /* M: sums of entries */
  double *diagonal; /* n: diagonal of one kernel */
  double *weight;   /* n: 1 for samples that count in one kernel */
} workspace;

/* ---- kernels that cannot be normalised ---- */

static mk_status leave_plain(mk_kernel_set *set, size_t m, const mk_constants *constants) {
  return by_column(set, m, constants)
             ? mk_linear_normalize(set, m, 1.0, 0, mk_set_samples(set), NULL)
             : mk_set_normalization(set, m, 1.0, NULL, 0.0, NULL);
}

/* Compares k(i, j) and the mean of k(j, j) with k(i, i), for the first counted sample i and all
 * others j. If they are equal, all distances are 0. `trace` is the sum of k(j, j); `sample` and
 * `value` are work space of n values. */
static mk_status compare_samples(const workspace *work, size_t m, const mk_counted *counted,
                                 double trace, int *sample, double *value, int *same,
                                 const mk_control *control) {
  size_t count = 0;
  for (size_t i = 0; i < mk_set_samples(work->set); i++)
    if (is_counted(counted, i)) sample[count++] = (int)i;
  mk_matrix_ask ask = {.set = work->set,
                       .kernel = m,
                       .rows = sample,
                       .cols = sample,
                       .row_count = count > 0,
                       .col_count = count,
                       .out = value};
  *same = 1;
  if (count == 0) return MK_OK;
  MK_TRY(mk_exact_matrix(&ask, control));
  double bound = SAME_VALUE * fabs(value[0]);
  *same = fabs(trace / (double)count - value[0]) <= bound;
  for (size_t k = 0; k < count; k++) *same &= fabs(value[k] - value[0]) <= bound;
  return MK_OK;
}

/* Finds out whether a degenerate kernel is constant. */
static mk_status find_reason(const workspace *work, size_t m, const mk_counted *counted,
                             double trace, mk_constants *constants, const mk_control *control) {
  size_t n = mk_set_samples(work->set);
  MK_TRY(leave_plain(work->set, m, constants));
  int *sample = MK_NEW(int, n);
  double *value = MK_NEW(double, n);
  mk_status status = MK_NO_MEMORY;
  if (sample != NULL && value != NULL)
    status = compare_samples(work, m, counted, trace, sample, value, &constants->constant, control);
  mk_free(sample);
  mk_free(value);
  return status;
}

/* ---- scales ---- */

/* Inverts the roots of the (centred) diagonal; 0 marks a sample of zero length. */
static void invert_roots(const mk_constants *constants, size_t n, double *diagonal) {
  for (size_t i = 0; i < n; i++) {
    double square = diagonal[i];
    if (constants->mean != NULL) square += constants->total - 2.0 * constants->mean[i];
    diagonal[i] = square > DEGENERATE * fabs(diagonal[i]) ? 1.0 / sqrt(square) : 0.0;
  }
}

/* Computes a kernel's scale from the sum of its diagonal, the sum of the absolute diagonal, and the
 * sum of the centred diagonal; sets `degenerate`. */
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

/* Returns the trace. */
static double scale_by_diagonal(mk_constants *constants, size_t n, const mk_counted *counted,
                                const double *diagonal, double mean_all) {
  mk_sum sum = {0.0, 0.0};
  double size = 0.0, count = counted != NULL ? counted->count : (double)n;
  for (size_t i = 0; i < n; i++) {
    if (!is_counted(counted, i)) continue;
    mk_sum_add(&sum, diagonal[i]);
    size += fabs(diagonal[i]);
  }
  double trace = mk_sum_total(&sum);
  find_scale(constants, count, trace, size, trace - count * mean_all);
  return trace;
}

/* Computes the constants of a linear kernel from the moments of its columns. */
static mk_status fit_linear(const workspace *work, size_t m, const mk_counted *counted,
                            mk_constants *constants, const mk_control *control) {
  mk_kernel_set *set = work->set;
  double trace, spread, count = counted != NULL ? counted->count : (double)mk_set_samples(set);
  mk_linear_moments(set, m, counted, &trace, &spread);
  find_scale(constants, count, trace, trace, spread);
  constants->total = 0.0;
  if (constants->degenerate) return find_reason(work, m, counted, trace, constants, control);
  return mk_linear_normalize(set, m, constants->scale, constants->centred, mk_set_samples(set),
                             counted);
}

/* Installs the constants of one kernel. With spherical scaling, `diagonal` holds its diagonal and
 * is overwritten. */
static mk_status install_constants(mk_kernel_set *set, size_t m, const mk_constants *constants,
                                   double *diagonal, size_t known, const mk_counted *counted,
                                   int *degenerate) {
  size_t n = mk_set_samples(set);
  const double *has = mk_set_has(set, m), *root = has;
  if (constants->scaling == MK_SCALE_SPHERICAL) {
    invert_roots(constants, n, diagonal);
    root = diagonal;
    for (size_t i = 0; i < known && !mk_set_zero_rows(set, m); i++)
      if (diagonal[i] == 0.0 && is_counted(counted, i) && (has == NULL || has[i] > 0.0))
        *degenerate = 1;
    for (size_t i = 0; has != NULL && i < n; i++) diagonal[i] *= has[i];
  }
  return mk_set_normalization(set, m, constants->scale, constants->centred ? constants->mean : NULL,
                              constants->total, root);
}

/* Computes the constants of a kernel that has no columns; `all` is the sum of its entries, unless
 * it is centred. */
static mk_status fit_one(const workspace *work, size_t m, const mk_counted *counted,
                         mk_constants *constants, double all, const mk_control *control) {
  size_t n = mk_set_samples(work->set);
  const double *has = mk_set_has(work->set, m);
  mk_counted own;
  if (has != NULL) {
    own = counted_with_view(n, has, counted, work->weight);
    counted = &own;
  }
  double count = counted != NULL ? counted->count : (double)n;
  mk_sum sum = {all / count, 0.0};
  for (size_t i = 0; constants->centred && i < n; i++)
    if (is_counted(counted, i)) mk_sum_add(&sum, constants->mean[i]);
  double mean_all = mk_sum_total(&sum) / count;
  constants->total = constants->centred ? mean_all : 0.0;
  MK_TRY(mk_exact_diagonal(work->set, m, control, work->diagonal));
  double trace = scale_by_diagonal(constants, n, counted, work->diagonal, mean_all);
  if (!constants->degenerate)
    MK_TRY(install_constants(work->set, m, constants, work->diagonal, n, counted,
                             &constants->degenerate));
  return constants->degenerate ? find_reason(work, m, counted, trace, constants, control) : MK_OK;
}

static mk_status fit_all(const workspace *work, const mk_counted *counted, mk_constants *constants,
                         const mk_control *control) {
  mk_kernel_set *set = work->set;
  MK_TRY(find_means(set, 0, mk_set_samples(set), counted, constants, control));
  MK_TRY(sum_pairs(set, counted, constants, work->all, control));
  for (size_t m = 0; m < mk_set_kernels(set); m++)
    MK_TRY(by_column(set, m, &constants[m])
               ? fit_linear(work, m, counted, &constants[m], control)
               : fit_one(work, m, counted, &constants[m], work->all[m], control));
  return MK_OK;
}

static mk_status apply_all(const workspace *work, mk_constants *constants, size_t known,
                           int complete, const mk_control *control) {
  mk_kernel_set *set = work->set;
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
    if (constants[m].scaling == MK_SCALE_SPHERICAL)
      MK_TRY(mk_exact_diagonal(work->set, m, control, work->diagonal));
    MK_TRY(install_constants(set, m, &constants[m], work->diagonal, known, NULL, &degenerate));
  }
  return MK_OK;
}

static mk_status separate_members(mk_kernel_set *set, const mk_constants *constants,
                                  mk_team *team) {
  size_t kernels = mk_set_kernels(set);
  int *rooted = MK_NEW(int, kernels);
  if (rooted == NULL) return MK_NO_MEMORY;
  for (size_t m = 0; m < kernels; m++) rooted[m] = by_sample(set, m, &constants[m]);
  mk_status status = mk_set_separate(set, rooted, team);
  mk_free(rooted);
  return status;
}

static mk_status with_workspace(mk_kernel_set *set, const mk_counted *counted,
                                mk_constants *constants, size_t known, int fit, int complete,
                                const mk_control *control) {
  MK_TRY(separate_members(set, constants, control->team));
  workspace work = {.set = set,
                    .all = MK_NEW0(double, mk_set_kernels(set)),
                    .diagonal = MK_NEW0(double, mk_set_samples(set)),
                    .weight = MK_NEW(double, mk_set_samples(set))};
  mk_status status = MK_NO_MEMORY;
  if (work.all != NULL && work.diagonal != NULL && work.weight != NULL)
    status = fit ? fit_all(&work, counted, constants, control)
                 : apply_all(&work, constants, known, complete, control);
  mk_free(work.all);
  mk_free(work.diagonal);
  mk_free(work.weight);
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
