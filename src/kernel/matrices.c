#include "matrices.h"

#include "internal.h"

#define BATCH 64  /* vectors added in one call */
#define SPAN 1024 /* samples at a time: what is summed up stays in the nearest cache */
#define LEAST_SPAN 128

size_t mk_matrices_family(const mk_kernel_set *set) {
  return set->matrices;
}

size_t mk_matrices_count(const mk_kernel_set *set) {
  return set->matrices < set->families ? set->family[set->matrices].count : 0;
}

size_t mk_matrices_member(const mk_kernel_set *set, size_t k) {
  return (size_t)set->family[set->matrices].member[k];
}

/* ---- mixtures ---- */

/* Spherical kernels: every value has its own factor. */
static void add_rooted(const mk_kernel_set *set, const mk_member *member, const double *values,
                       double weight, int row, size_t from, size_t count, double *out) {
  const double *root = member->root + from;
  weight *= member->root[row];
  set->simd->add_scaled(count, weight, root, values, out);
  if (member->mean == NULL) return;
  set->simd->axpy(count, weight * (member->total - member->mean[row]), root, out);
  set->simd->add_scaled(count, -weight, root, member->mean + from, out);
}

void mk_matrices_mix(const mk_kernel_set *set, const double *weight, int row, size_t from,
                     size_t count, double *out) {
  const mk_family *family = &set->family[set->matrices];
  const double *values[BATCH];
  double factor[BATCH];
  size_t held = 0;
  for (size_t k = 0; k < family->count; k++) {
    int m = family->member[k];
    const mk_member *member = &set->member[m];
    const double *column = member->spec.matrix + (size_t)row * set->n + from;
    if (weight[m] == 0.0) continue;
    if (member->root != NULL) {
      add_rooted(set, member, column, weight[m], row, from, count, out);
      continue;
    }
    values[held] = column;
    factor[held++] = weight[m];
    if (held == BATCH) {
      set->simd->combine(count, held, values, factor, out);
      held = 0;
    }
  }
  set->simd->combine(count, held, values, factor, out);
}

/* ---- responses ---- */

/* out[i] = sum over c of alpha_c root_c k_m(from + i, sample_c), as the matrix has it. */
static void raw_response(const mk_kernel_set *set, const mk_member *member, const int *samples,
                         const double *alpha, size_t columns, size_t from, size_t count,
                         double *out) {
  const double *values[BATCH];
  double factor[BATCH];
  for (size_t i = 0; i < count; i++) out[i] = 0.0;
  for (size_t c = 0; c < columns; c += BATCH) {
    size_t held = columns - c < BATCH ? columns - c : BATCH;
    for (size_t k = 0; k < held; k++) {
      size_t j = (size_t)samples[c + k];
      values[k] = member->spec.matrix + j * set->n + from;
      factor[k] = member->root != NULL ? alpha[c + k] * member->root[j] : alpha[c + k];
    }
    set->simd->combine(count, held, values, factor, out);
  }
}

/* Adds a member's response, normalised: scale root_i (raw_i + what centring adds). */
static void add_response(const mk_kernel_set *set, const mk_member *member, const int *samples,
                         const double *alpha, size_t columns, size_t from, size_t count,
                         double *out) {
  double raw[SPAN], all = 0.0, centre = 0.0;
  raw_response(set, member, samples, alpha, columns, from, count, raw);
  for (size_t c = 0; member->mean != NULL && c < columns; c++) {
    size_t j = (size_t)samples[c];
    double weight = member->root != NULL ? alpha[c] * member->root[j] : alpha[c];
    all += weight;
    centre += weight * (member->total - member->mean[j]);
  }
  for (size_t i = 0; i < count; i++) {
    double scale = member->root != NULL ? member->scale * member->root[from + i] : member->scale;
    double mean = member->mean != NULL ? member->mean[from + i] : 0.0;
    out[from + i] += scale * (raw[i] + centre - mean * all);
  }
}

/* Kernels times spans of samples, dealt out by number: results do not depend on timing. */
void mk_matrices_respond(const mk_kernel_set *set, const int *samples, const double *alpha,
                         size_t count, int threads, double *out) {
  const mk_family *family = &set->family[set->matrices];
  size_t span = set->n;
  if (family->count < (size_t)threads) span = (set->n + (size_t)threads - 1) / (size_t)threads;
  span = span > SPAN ? SPAN : span < LEAST_SPAN ? LEAST_SPAN : span;
  size_t spans = (set->n + span - 1) / span;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
#endif
  for (long item = 0; item < (long)(family->count * spans); item++) {
    size_t k = (size_t)item / spans, from = (size_t)item % spans * span;
    size_t size = set->n - from < span ? set->n - from : span;
    add_response(set, &set->member[family->member[k]], samples, alpha, count, from, size,
                 out + k * set->n);
  }
}
