/* Provider for precomputed kernels, which are read in place. The responses K_m alpha of all of them
 * cost one pass over the columns of the support vectors and give everything but rows: quadratic
 * forms, responses of any mixture, and what theta's Newton step needs. Called by gram.c.
 * MATHEMATICS.md, section 1. */
#include "gram-provider.h"

#include "base/pool.h"
#include "rows/matrices.h"

#include <string.h>

typedef struct matrices {
  mk_gram_context *at;
  mk_pool memory; /* owns the vectors below */
  size_t kernels, n;
  double *weight; /* M: weights of the mixture */
  /* n: what centring subtracts from rows of the mixture; the constant that centring adds */
  double *shift, centre;
  int *list; /* n: samples and weights of a pass */
  double *weight_of;
  double *alpha, *next; /* n: the last alpha, by sample; the alpha of the present request */
  double *response;     /* kernels x n: responses to the last alpha */
  int responded;        /* 1 if there are any */
  double *whole;        /* n, scratch */
} matrices;

static void close_matrices(void *own) {
  matrices *ms = own;
  mk_pool_free(&ms->memory);
  mk_free(ms);
}

static mk_status open_matrices(mk_gram_context *at, void **own) {
  size_t kernels = mk_matrices_count(at->set), n = at->n;
  if (kernels == 0) return MK_OK;
  matrices *ms = *own = MK_NEW0(matrices, 1);
  if (ms == NULL) return MK_NO_MEMORY;
  *ms = (matrices){.at = at, .kernels = kernels, .n = n};
  ms->weight = MK_TAKE0(&ms->memory, double, mk_set_kernels(at->set));
  ms->shift = MK_TAKE0(&ms->memory, double, n);
  ms->list = MK_TAKE(&ms->memory, int, n);
  ms->weight_of = MK_TAKE(&ms->memory, double, n);
  ms->alpha = MK_TAKE0(&ms->memory, double, n);
  ms->next = MK_TAKE(&ms->memory, double, n);
  ms->response = MK_TAKE(&ms->memory, double, kernels *n);
  ms->whole = MK_TAKE(&ms->memory, double, n);
  return mk_pool_status(&ms->memory);
}

static size_t matrices_bytes(const void *own) {
  const matrices *ms = own;
  return sizeof(double) * ms->n * (6 + ms->kernels);
}

static mk_status mix_matrices(void *own, const double *theta, int renewed) {
  matrices *ms = own;
  (void)renewed;
  memcpy(ms->weight, theta, mk_set_kernels(ms->at->set) * sizeof *theta);
  ms->centre = mk_matrices_centre(ms->at->set, mk_mixture_weights(ms->at->mixture), ms->shift);
  return MK_OK;
}

/* ---- rows ---- */

/* A single row costs a few microseconds, less than threads that wait for each other; blocks of rows
 * are dealt out. */
static int matrices_prefer_blocks(const void *own) {
  return mk_team_size(((const matrices *)own)->at->control->team) > 1;
}

typedef struct mixing {
  const matrices *ms;
  const int *rows;
  const mk_row *target;
  size_t spans;
} mixing;

/* Computes one row over a span of samples and copies the values of the working set, which is
 * quicker than gathering them from every matrix. */
static mk_status mix_span(void *data, size_t item, int thread) {
  const mixing *mix = data;
  const matrices *ms = mix->ms;
  int row = ms->at->sample[mix->rows[item / mix->spans]];
  mk_row target = mix->target[item / mix->spans];
  size_t from = item % mix->spans * MK_MATRIX_SPAN,
         count = mk_smaller(ms->n - from, MK_MATRIX_SPAN);
  double value[MK_MATRIX_SPAN], centre = ms->centre - ms->shift[row];
  (void)thread;
  for (size_t c = 0; c < count; c++) value[c] = centre - ms->shift[from + c];
  mk_matrices_mix(ms->at->set, mk_mixture_weights(ms->at->mixture), row, from, count, value);
  for (size_t c = 0; c < count; c++) {
    size_t place = (size_t)ms->at->place[from + c];
    if (place >= ms->at->count) continue;
    if (target.single)
      ((float *)target.at)[place] += (float)value[c];
    else
      ((double *)target.at)[place] += value[c];
  }
  return MK_OK;
}

static mk_status add_matrix_rows(void *own, const int *rows, size_t count, const mk_row *target) {
  const matrices *ms = own;
  size_t spans = (ms->n + MK_MATRIX_SPAN - 1) / MK_MATRIX_SPAN;
  mixing mix = {ms, rows, target, spans};
  return mk_deal_out(count * spans, count > 1 ? ms->at->control->team : NULL, mix_span, &mix);
}

/* ---- responses ---- */

/* Computes the responses of all kernels to alpha at all samples in ms->response. Forms, Newton
 * steps and a new mixture ask for the same alpha one after the other. */
static mk_status respond_to(matrices *ms, const double *alpha) {
  const mk_gram_context *at = ms->at;
  size_t count = 0;
  memset(ms->next, 0, ms->n * sizeof(double));
  for (size_t i = 0; i < at->count; i++) {
    if (alpha[i] == 0.0) continue;
    ms->next[at->sample[i]] = alpha[i];
    ms->list[count] = at->sample[i];
    ms->weight_of[count++] = alpha[i];
  }
  if (ms->responded && memcmp(ms->next, ms->alpha, ms->n * sizeof(double)) == 0) return MK_OK;
  MK_TRY(mk_check(at->control));
  memcpy(ms->alpha, ms->next, ms->n * sizeof(double));
  memset(ms->response, 0, ms->kernels * ms->n * sizeof(double));
  mk_matrices_respond(at->set, ms->list, ms->weight_of, count, at->control->team, ms->response);
  ms->responded = 1;
  return MK_OK;
}

static mk_status form_matrices(void *own, const mk_alphas *alphas, double *s) {
  matrices *ms = own;
  const mk_simd *simd = mk_simd_best();
  for (size_t t = 0; t < alphas->tasks; t++) {
    MK_TRY(respond_to(ms, alphas->alpha[t]));
    for (size_t k = 0; k < ms->kernels; k++)
      s[mk_matrices_member(ms->at->set, k)] +=
          simd->dot(ms->n, ms->alpha, ms->response + k * ms->n);
  }
  return MK_OK;
}

static mk_status respond_members(void *own, const mk_member_ask *ask) {
  matrices *ms = own;
  MK_TRY(respond_to(ms, ask->alpha));
  for (size_t k = 0; k < ms->kernels; k++) {
    const double *values = ms->response + k * ms->n;
    size_t m = mk_matrices_member(ms->at->set, k);
    for (size_t i = 0; i < ask->count; i++)
      ask->u[i * ask->kernels + m] = values[ms->at->sample[ask->positions[i]]];
  }
  return MK_OK;
}

/* Adds the mixture's response at all samples to out. */
static mk_status add_mixture(matrices *ms, const double *alpha, double *out) {
  MK_TRY(respond_to(ms, alpha));
  for (size_t k = 0; k < ms->kernels; k++)
    mk_simd_best()->axpy(ms->n, ms->weight[mk_matrices_member(ms->at->set, k)],
                         ms->response + k * ms->n, out);
  return MK_OK;
}

static mk_status respond_from(void *own, const mk_alphas *alphas, size_t from, double **out) {
  (void)from;
  for (size_t t = 0; t < alphas->tasks; t++) MK_TRY(add_mixture(own, alphas->alpha[t], out[t]));
  return MK_OK;
}

static mk_status respond_by_matrices(void *own, const mk_alphas *alphas, int lacking,
                                     double **out) {
  matrices *ms = own;
  for (size_t t = 0; t < alphas->tasks && !lacking; t++) {
    memset(ms->whole, 0, ms->n * sizeof *ms->whole);
    MK_TRY(add_mixture(ms, alphas->alpha[t], ms->whole));
    for (size_t i = 0; i < ms->at->count; i++) out[t][i] += ms->whole[ms->at->sample[i]];
  }
  return MK_OK;
}

const mk_provider mk_matrix_provider = {
    .open = open_matrices,
    .close = close_matrices,
    .bytes = matrices_bytes,
    .prefers_blocks = matrices_prefer_blocks,
    .mix = mix_matrices,
    .rows = add_matrix_rows,
    .response = respond_by_matrices,
    .response_from = respond_from,
    .forms = form_matrices,
    .members = respond_members,
};
