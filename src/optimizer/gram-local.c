/* Locally linear kernels in quadratic forms and responses: by their features, which is a small part
 * of the work that pairs would be. */
#include "gram-internal.h"

#include "base/memory.h"
#include "kernel/local.h"

/* Candidates with an alpha, as samples. */
typedef struct listed {
  int *sample;
  double *alpha; /* count x tasks */
  size_t count;
} listed;

static mk_status list(const mk_gram *gram, const mk_alphas *alphas, listed *out) {
  *out = (listed){MK_NEW(int, gram->count + 1), MK_NEW(double, alphas->tasks * gram->count + 1), 0};
  if (out->sample == NULL || out->alpha == NULL) return MK_NO_MEMORY;
  for (size_t i = 0; i < gram->count; i++) {
    int any = 0;
    for (size_t t = 0; t < alphas->tasks; t++) any |= alphas->alpha[t][i] != 0.0;
    if (any) out->sample[out->count++] = (int)i;
  }
  for (size_t k = 0; k < out->count; k++)
    for (size_t t = 0; t < alphas->tasks; t++)
      out->alpha[t * out->count + k] = alphas->alpha[t][out->sample[k]];
  for (size_t k = 0; k < out->count; k++) out->sample[k] = gram->sample[out->sample[k]];
  return MK_OK;
}

static mk_local_ask ask_of(const mk_gram *gram, const listed *l, size_t f, size_t tasks) {
  return (mk_local_ask){gram->set, f, l->sample, l->count, tasks, l->alpha};
}

mk_status mk_gram_local_forms(mk_gram *gram, const mk_alphas *alphas, double *s) {
  listed l = {NULL, NULL, 0};
  mk_status status = MK_OK;
  for (size_t f = 0; status == MK_OK && f < gram->families; f++) {
    if (mk_family_locals(gram->set, f) == 0) continue;
    if (l.sample == NULL) status = list(gram, alphas, &l);
    mk_local_ask ask = ask_of(gram, &l, f, alphas->tasks);
    if (status == MK_OK) status = mk_local_forms(&ask, gram->control->team, s);
  }
  mk_free(l.sample);
  mk_free(l.alpha);
  return status;
}

/* One family's, into the columns of u that are its kernels' or their generators'. */
static mk_status respond(mk_gram *gram, const mk_local_ask *ask, const int *rows, size_t count,
                         int generators, double *u) {
  size_t places = mk_family_locals(gram->set, ask->family);
  size_t width = generators ? mk_gram_generators(gram) : mk_set_kernels(gram->set);
  size_t *column = MK_NEW(size_t, places);
  double *value = MK_NEW(double, places *count + 1);
  mk_status status = column == NULL || value == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t p = 0; status == MK_OK && p < places; p++) {
    size_t m = mk_family_local(gram->set, ask->family, p);
    column[p] = generators ? mk_sums_slot(gram->sums[0], m) : m;
  }
  if (status == MK_OK) status = mk_local_responses(ask, rows, count, gram->control->team, value);
  for (size_t i = 0; status == MK_OK && i < count; i++)
    for (size_t p = 0; p < places; p++) u[i * width + column[p]] = value[i * places + p];
  mk_free(column);
  mk_free(value);
  return status;
}

mk_status mk_gram_local_member_responses(mk_gram *gram, const double *alpha, const int *positions,
                                         size_t count, int generators, double *u) {
  mk_alphas alphas = {1, (double **)&alpha};
  listed l = {NULL, NULL, 0};
  int *rows = NULL;
  mk_status status = MK_OK;
  for (size_t f = 0; status == MK_OK && f < gram->families; f++) {
    if (mk_family_locals(gram->set, f) == 0) continue;
    if (l.sample == NULL) {
      status = list(gram, &alphas, &l);
      rows = MK_NEW(int, count + 1);
      if (rows == NULL) status = MK_NO_MEMORY;
      for (size_t k = 0; status == MK_OK && k < count; k++) rows[k] = gram->sample[positions[k]];
    }
    mk_local_ask ask = ask_of(gram, &l, f, 1);
    if (status == MK_OK) status = respond(gram, &ask, rows, count, generators, u);
  }
  mk_free(l.sample);
  mk_free(l.alpha);
  mk_free(rows);
  return status;
}
