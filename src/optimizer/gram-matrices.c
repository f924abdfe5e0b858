/* Precomputed kernels in the Gram rows. Rows are mixed over all samples, which
 * is quicker than to gather the candidates' from every matrix. The responses
 * K_m alpha of all kernels cost one pass over the columns of the support
 * vectors and then give everything else: quadratic forms, the responses of any
 * mixture over all samples, and what theta's Newton step asks for. They are
 * kept until alpha changes, and then renewed from the changes alone where
 * these are fewer than the support vectors. */
#include "base/memory.h"
#include "gram-internal.h"
#include "kernel/matrices.h"

#include <string.h>

#define SPAN 1024       /* samples of a row at a time */
#define MOST_CHANGES 20 /* renewals between two full passes: rounding must not add up */

/* The responses to one alpha. */
typedef struct responses {
  const double *owner; /* where the alpha lives: one task's */
  double *alpha;       /* n: as it was, by sample */
  double *values;      /* kernels of the family x n */
  size_t changes;
} responses;

struct mk_gram_matrices {
  size_t family, kernels, n;
  double *theta;  /* of all kernels, as last mixed */
  int *position;  /* n: of a sample among the candidates, or -1 */
  size_t located; /* candidates that have it */
  responses *kept;
  size_t count;
  int *list; /* n: samples and weights of a pass */
  double *weight, *whole;
};

mk_status mk_gram_matrices_new(mk_gram *gram) {
  size_t kernels = mk_matrices_count(gram->set), n = mk_set_samples(gram->set);
  if (kernels == 0) return MK_OK;
  mk_gram_matrices *own = gram->matrices = MK_NEW0(mk_gram_matrices, 1);
  if (own == NULL) return MK_NO_MEMORY;
  own->family = mk_matrices_family(gram->set);
  own->kernels = kernels;
  own->n = n;
  own->theta = MK_NEW0(double, mk_set_kernels(gram->set));
  own->position = MK_NEW(int, n);
  own->list = MK_NEW(int, n);
  own->weight = MK_NEW(double, n);
  own->whole = MK_NEW(double, n);
  if (own->theta == NULL || own->position == NULL || own->list == NULL || own->weight == NULL ||
      own->whole == NULL)
    return MK_NO_MEMORY;
  for (size_t i = 0; i < n; i++) own->position[i] = -1;
  return MK_OK;
}

void mk_gram_matrices_free(mk_gram_matrices *own) {
  if (own == NULL) return;
  for (size_t k = 0; k < own->count; k++) {
    mk_free(own->kept[k].alpha);
    mk_free(own->kept[k].values);
  }
  mk_free(own->kept);
  mk_free(own->theta);
  mk_free(own->position);
  mk_free(own->list);
  mk_free(own->weight);
  mk_free(own->whole);
  mk_free(own);
}

size_t mk_gram_matrices_bytes(const mk_gram_matrices *own) {
  if (own == NULL) return 0;
  return sizeof(double) * own->n * (3 + own->count * (own->kernels + 1));
}

void mk_gram_matrices_mix(mk_gram *gram, const double *theta) {
  if (gram->matrices == NULL) return;
  memcpy(gram->matrices->theta, theta, mk_set_kernels(gram->set) * sizeof *theta);
}

/* ---- rows ---- */

/* A cache line holds eight samples: fewer candidates are gathered one by one. */
int mk_gram_matrices_whole(const mk_gram *gram, size_t f) {
  const mk_gram_matrices *own = gram->matrices;
  return own != NULL && f == own->family && gram->count * 8 >= own->n;
}

/* One row over a span of samples, those of the candidates added to their places. */
typedef struct mixing {
  mk_gram *gram;
  const int *rows;
  const mk_row *target;
  size_t spans;
} mixing;

static mk_status mix_span(void *data, size_t item, int thread) {
  const mixing *mix = data;
  const mk_gram *gram = mix->gram;
  const mk_gram_matrices *own = gram->matrices;
  int row = gram->sample[mix->rows[item / mix->spans]];
  mk_row target = mix->target[item / mix->spans];
  size_t from = item % mix->spans * SPAN;
  (void)thread;
  size_t count = own->n - from < SPAN ? own->n - from : SPAN;
  double value[SPAN];
  memset(value, 0, count * sizeof *value);
  mk_matrices_mix(gram->set, mk_mixture_weights(gram->mixture), row, from, count, value);
  for (size_t c = 0; c < count; c++) {
    int at = own->position[from + c];
    if (at < 0) continue;
    if (target.single)
      ((float *)target.at)[at] += (float)value[c];
    else
      ((double *)target.at)[at] += value[c];
  }
  return MK_OK;
}

void mk_gram_matrices_rows(mk_gram *gram, const int *rows, size_t row_count, const mk_row *target) {
  mk_gram_matrices *own = gram->matrices;
  if (own == NULL || !mk_gram_matrices_whole(gram, own->family)) return;
  for (; own->located < gram->count; own->located++)
    own->position[gram->sample[own->located]] = (int)own->located;
  size_t spans = (own->n + SPAN - 1) / SPAN;
  /* one row is a few microseconds of work: threads that wait for each other cost more */
  mk_deal_out(row_count * spans, row_count > 1 ? gram->control->team : NULL, mix_span,
              &(mixing){gram, rows, target, spans});
}

/* ---- responses ---- */

static responses *find(mk_gram_matrices *own, const double *alpha) {
  for (size_t k = 0; k < own->count; k++)
    if (own->kept[k].owner == alpha) return &own->kept[k];
  responses *more = MK_NEW0(responses, own->count + 1);
  if (more == NULL) return NULL;
  if (own->count > 0) memcpy(more, own->kept, own->count * sizeof *more);
  mk_free(own->kept);
  own->kept = more;
  more += own->count++;
  more->owner = alpha;
  more->alpha = MK_NEW0(double, own->n);
  more->values = MK_NEW0(double, own->kernels * own->n);
  return more->alpha != NULL && more->values != NULL ? more : NULL;
}

/* What alpha adds to the one kept; starts again from zero where that is cheaper. */
static size_t list_changes(mk_gram *gram, const double *alpha, responses *kept) {
  mk_gram_matrices *own = gram->matrices;
  size_t changed = 0, support = 0;
  for (size_t i = 0; i < gram->count; i++) {
    double change = alpha[i] - kept->alpha[gram->sample[i]];
    support += alpha[i] != 0.0;
    if (change == 0.0) continue;
    own->list[changed] = gram->sample[i];
    own->weight[changed++] = change;
  }
  if (changed == 0 || (changed < support && kept->changes++ < MOST_CHANGES)) return changed;
  kept->changes = changed = 0;
  memset(kept->values, 0, own->kernels * own->n * sizeof(double));
  for (size_t i = 0; i < gram->count; i++) {
    if (alpha[i] == 0.0) continue;
    own->list[changed] = gram->sample[i];
    own->weight[changed++] = alpha[i];
  }
  return changed;
}

static mk_status renew(mk_gram *gram, const double *alpha, const responses **out) {
  mk_gram_matrices *own = gram->matrices;
  MK_TRY(mk_check(gram->control));
  responses *kept = find(own, alpha);
  if (kept == NULL) return MK_NO_MEMORY;
  size_t count = list_changes(gram, alpha, kept);
  if (count > 0)
    mk_matrices_respond(gram->set, own->list, own->weight, count, gram->control->team,
                        kept->values);
  for (size_t i = 0; i < gram->count; i++) kept->alpha[gram->sample[i]] = alpha[i];
  *out = kept;
  return MK_OK;
}

mk_status mk_gram_matrices_forms(mk_gram *gram, const mk_alphas *alphas, double *s) {
  mk_gram_matrices *own = gram->matrices;
  const mk_simd *simd = mk_simd_best();
  const responses *kept;
  for (size_t t = 0; own != NULL && t < alphas->tasks; t++) {
    MK_TRY(renew(gram, alphas->alpha[t], &kept));
    for (size_t k = 0; k < own->kernels; k++)
      s[mk_matrices_member(gram->set, k)] +=
          simd->dot(own->n, kept->alpha, kept->values + k * own->n);
  }
  return MK_OK;
}

mk_status mk_gram_matrices_member_responses(mk_gram *gram, const double *alpha,
                                            const int *positions, size_t count, int generators,
                                            double *u) {
  mk_gram_matrices *own = gram->matrices;
  size_t width = generators ? mk_gram_generators(gram) : mk_set_kernels(gram->set);
  const responses *kept;
  if (own == NULL) return MK_OK;
  MK_TRY(renew(gram, alpha, &kept));
  size_t first = mk_sums_first_slot(gram->sums[0], own->family);
  for (size_t k = 0; k < own->kernels; k++) {
    size_t column = generators ? first + k : mk_matrices_member(gram->set, k);
    const double *values = kept->values + k * own->n;
    for (size_t i = 0; i < count; i++) u[i * width + column] = values[gram->sample[positions[i]]];
  }
  return MK_OK;
}

int mk_gram_matrices_only(const mk_gram *gram) {
  return gram->matrices != NULL && gram->families == 1;
}

mk_status mk_gram_matrices_response(mk_gram *gram, const mk_alphas *alphas, int all, double **out) {
  mk_gram_matrices *own = gram->matrices;
  const mk_simd *simd = mk_simd_best();
  const responses *kept;
  for (size_t t = 0; t < alphas->tasks; t++) {
    double *whole = all ? out[t] : own->whole;
    MK_TRY(renew(gram, alphas->alpha[t], &kept));
    memset(whole, 0, own->n * sizeof *whole);
    for (size_t k = 0; k < own->kernels; k++)
      simd->axpy(own->n, own->theta[mk_matrices_member(gram->set, k)], kept->values + k * own->n,
                 whole);
    for (size_t i = 0; !all && i < gram->count; i++) out[t][i] = whole[gram->sample[i]];
  }
  return MK_OK;
}
