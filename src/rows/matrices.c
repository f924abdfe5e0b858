/* Rows of the mixture of precomputed matrices and responses K_m alpha, with the matrices read in
 * place. Called by gram-matrices.c. MATHEMATICS.md, section 1. */
#include "rows/matrices.h"

#include "base/threads.h"
#include "kernel/structure.h"

#define BATCH 64 /* vectors added in one call */
#define LEAST_SPAN 128

size_t mk_matrices_count(const mk_kernel_set *set) {
  return set->matrices < set->families ? set->family[set->matrices].count : 0;
}

size_t mk_matrices_member(const mk_kernel_set *set, size_t k) {
  return (size_t)set->family[set->matrices].member[k];
}

/* ---- mixtures ---- */

/* Vectors of one precision that are added together. */
typedef struct batch {
  const void *values[BATCH];
  double factor[BATCH];
  size_t held;
} batch;

static void add_batch(const mk_simd *simd, batch *from, int single, size_t count, double *out) {
  simd->rows[single].combine(count, from->held, from->values, from->factor, out);
  from->held = 0;
}

/* Adds at most MK_MATRIX_SPAN values of a spherical kernel, each with a factor of its own. */
static void add_rooted(const mk_kernel_set *set, const mk_member *member, mk_row values,
                       double weight, int row, size_t from, size_t count, double *out) {
  const double *root = member->root + from;
  double wide[MK_MATRIX_SPAN];
  weight *= member->root[row];
  set->simd->add_scaled(count, weight, root, mk_row_doubles(values, count, wide), out);
  if (member->mean == NULL) return;
  set->simd->axpy(count, weight * (member->total - member->mean[row]), root, out);
  set->simd->add_scaled(count, -weight, root, member->mean + from, out);
}

void mk_matrices_mix(const mk_kernel_set *set, const double *weight, int row, size_t from,
                     size_t count, double *out) {
  const mk_family *family = &set->family[set->matrices];
  batch waiting[2] = {{.held = 0}, {.held = 0}}; /* doubles, floats */
  for (size_t k = 0; k < family->count; k++) {
    int m = family->member[k];
    const mk_member *member = &set->member[m];
    mk_row values = mk_matrix_row(set, &member->spec, (size_t)row, from);
    batch *own = &waiting[values.single];
    if (weight[m] == 0.0) continue;
    if (member->root != NULL) {
      add_rooted(set, member, values, weight[m], row, from, count, out);
      continue;
    }
    own->values[own->held] = values.at;
    own->factor[own->held++] = weight[m];
    if (own->held == BATCH) add_batch(set->simd, own, values.single, count, out);
  }
  for (int single = 0; single < 2; single++)
    add_batch(set->simd, &waiting[single], single, count, out);
}

double mk_matrices_centre(const mk_kernel_set *set, const double *weight, double *shift) {
  const mk_family *family = &set->family[set->matrices];
  double centre = 0.0;
  for (size_t i = 0; i < set->n; i++) shift[i] = 0.0;
  for (size_t k = 0; k < family->count; k++) {
    const mk_member *member = &set->member[family->member[k]];
    double own = weight[family->member[k]];
    if (member->mean == NULL || member->root != NULL || own == 0.0) continue;
    centre += own * member->total;
    set->simd->axpy(set->n, own, member->mean, shift);
  }
  return centre;
}

/* ---- responses ---- */

/* Computes out[i] = sum over c of alpha_c root_c k_m(from + i, sample_c) from the given matrix. */
static void raw_response(const mk_kernel_set *set, const mk_member *member, const int *samples,
                         const double *alpha, size_t support, size_t from, size_t count,
                         double *out) {
  batch few;
  for (size_t i = 0; i < count; i++) out[i] = 0.0;
  for (size_t c = 0; c < support; c += few.held) {
    few.held = mk_smaller(support - c, BATCH);
    for (size_t k = 0; k < few.held; k++) {
      size_t j = (size_t)samples[c + k];
      few.values[k] = mk_matrix_row(set, &member->spec, j, from).at;
      few.factor[k] = member->root != NULL ? alpha[c + k] * member->root[j] : alpha[c + k];
    }
    set->simd->rows[member->spec.single].combine(count, few.held, few.values, few.factor, out);
  }
}

/* Adds a member's normalised response: scale root_i (raw_i + what centring adds). */
static void add_response(const mk_kernel_set *set, const mk_member *member, const int *samples,
                         const double *alpha, size_t support, size_t from, size_t count,
                         double *out) {
  double raw[MK_MATRIX_SPAN], all = 0.0, centre = 0.0;
  raw_response(set, member, samples, alpha, support, from, count, raw);
  for (size_t c = 0; member->mean != NULL && c < support; c++) {
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

/* A pass over kernels times spans of samples. */
typedef struct response_pass {
  const mk_kernel_set *set;
  const int *samples;
  const double *alpha;
  size_t count, span, spans;
  double *out;
} response_pass;

static mk_status respond_to_columns(void *data, size_t item, int thread) {
  const response_pass *pass = data;
  size_t n = pass->set->n, k = item / pass->spans, from = item % pass->spans * pass->span;
  const mk_member *member = &pass->set->member[pass->set->family[pass->set->matrices].member[k]];
  (void)thread;
  add_response(pass->set, member, pass->samples, pass->alpha, pass->count, from,
               n - from < pass->span ? n - from : pass->span, pass->out + k * n);
  return MK_OK;
}

void mk_matrices_respond(const mk_kernel_set *set, const int *samples, const double *alpha,
                         size_t count, mk_team *team, double *out) {
  const mk_family *family = &set->family[set->matrices];
  size_t span = set->n, threads = (size_t)mk_team_size(team);
  if (family->count < threads) span = (set->n + threads - 1) / threads;
  span = span > MK_MATRIX_SPAN ? MK_MATRIX_SPAN : span < LEAST_SPAN ? LEAST_SPAN : span;
  size_t spans = (set->n + span - 1) / span;
  response_pass pass = {set, samples, alpha, count, span, spans, out};
  mk_deal_out(family->count * spans, team, respond_to_columns, &pass);
}
