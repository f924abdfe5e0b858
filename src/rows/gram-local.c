/* Provider for forms and responses of locally linear kernels by their features, a small part of the
 * work that pairs would be. gram-bases.c provides their rows. Called by gram.c. MATHEMATICS.md,
 * section 6.2. */
#include "gram-provider.h"

#include "rows/local-sums.h"

typedef struct locals {
  mk_gram_context *at;
  int *sample; /* n: samples of the support vectors */
} locals;

static void close_locals(void *own) {
  locals *l = own;
  mk_free(l->sample);
  mk_free(l);
}

static mk_status open_locals(mk_gram_context *at, void **own) {
  size_t any = 0;
  for (size_t f = 0; f < mk_set_families(at->set); f++) any += mk_family_locals(at->set, f);
  if (any == 0) return MK_OK;
  locals *l = *own = MK_NEW0(locals, 1);
  if (l == NULL) return MK_NO_MEMORY;
  l->at = at;
  l->sample = MK_NEW(int, at->n);
  return l->sample != NULL ? MK_OK : MK_NO_MEMORY;
}

/* Lists the support vectors as samples, and their alphas (count x tasks by columns). */
static mk_status list_support(const locals *l, const mk_alphas *alphas, mk_local_ask *ask) {
  const mk_gram_context *at = l->at;
  size_t count = mk_list_support(at, alphas, l->sample);
  double *alpha = MK_NEW(double, alphas->tasks *count + 1);
  *ask = (mk_local_ask){at->set, 0, l->sample, count, alphas->tasks, alpha};
  if (alpha == NULL) return MK_NO_MEMORY;
  for (size_t t = 0; t < alphas->tasks; t++)
    for (size_t k = 0; k < count; k++) alpha[t * count + k] = alphas->alpha[t][l->sample[k]];
  for (size_t k = 0; k < count; k++) l->sample[k] = at->sample[l->sample[k]];
  return MK_OK;
}

static mk_status form_locals(void *own, const mk_alphas *alphas, double *s) {
  const locals *l = own;
  const mk_gram_context *at = l->at;
  mk_local_ask ask;
  mk_status status = list_support(l, alphas, &ask);
  for (; status == MK_OK && ask.family < mk_set_families(at->set); ask.family++)
    if (mk_family_locals(at->set, ask.family) > 0)
      status = mk_local_forms(&ask, at->control->team, s);
  mk_free((double *)ask.alpha);
  return status;
}

/* Computes the responses of one family. */
static mk_status respond_in_family(const locals *l, const mk_local_ask *ask, const int *rows,
                                   const mk_member_ask *to) {
  const mk_gram_context *at = l->at;
  size_t f = ask->family, places = mk_family_locals(at->set, f);
  if (places == 0) return MK_OK;
  double *value = MK_NEW(double, places * to->count + 1);
  if (value == NULL) return MK_NO_MEMORY;
  mk_status status = mk_local_responses(ask, rows, to->count, at->control->team, value);
  for (size_t i = 0; status == MK_OK && i < to->count; i++)
    for (size_t p = 0; p < places; p++)
      to->u[i * to->kernels + (size_t)mk_family_local(at->set, f, p)] = value[i * places + p];
  mk_free(value);
  return status;
}

static mk_status respond_locals(void *own, const mk_member_ask *to) {
  const locals *l = own;
  mk_alphas alphas = {1, (double **)&to->alpha};
  mk_local_ask ask;
  int *rows = MK_NEW(int, to->count + 1);
  mk_status status = list_support(l, &alphas, &ask);
  if (rows == NULL) status = MK_NO_MEMORY;
  for (size_t k = 0; status == MK_OK && k < to->count; k++)
    rows[k] = l->at->sample[to->positions[k]];
  for (; status == MK_OK && ask.family < mk_set_families(l->at->set); ask.family++)
    status = respond_in_family(l, &ask, rows, to);
  mk_free((double *)ask.alpha);
  mk_free(rows);
  return status;
}

const mk_provider mk_local_provider = {
    .open = open_locals,
    .close = close_locals,
    .forms = form_locals,
    .members = respond_locals,
};
