#include "gram.h"

#include "base/memory.h"
#include "gram-internal.h"

#include <string.h>

static int storable(const mk_gram *gram, size_t f) {
  return mk_family_has_base(gram->set, f) && mk_family_worth_storing(gram->set, f);
}

mk_status mk_gram_new(mk_gram **out, const mk_kernel_set *set, const mk_control *control) {
  mk_gram *gram = MK_NEW0(mk_gram, 1);
  *out = gram;
  if (gram == NULL) return MK_NO_MEMORY;
  size_t n = mk_set_samples(set), threads = (size_t)control->threads;
  gram->set = set;
  gram->control = control;
  gram->threads = control->threads;
  gram->families = mk_set_families(set);
  gram->mixture = mk_mixture_new(set);
  gram->scratch = MK_NEW0(mk_scratch *, threads);
  gram->sums = MK_NEW0(mk_sums *, threads);
  gram->sample = MK_NEW(int, n);
  gram->all = MK_NEW(int, n);
  gram->list = MK_NEW(int, n);
  gram->base = MK_NEW0(double **, gram->families);
  gram->held = MK_NEW0(size_t, gram->families);
  if (gram->mixture == NULL || gram->scratch == NULL || gram->sums == NULL ||
      gram->sample == NULL || gram->all == NULL || gram->list == NULL || gram->base == NULL ||
      gram->held == NULL)
    return MK_NO_MEMORY;
  for (size_t i = 0; i < n; i++) gram->all[i] = (int)i;
  for (size_t t = 0; t < threads; t++) {
    gram->scratch[t] = mk_scratch_new(set);
    gram->sums[t] = mk_sums_new(set);
    if (gram->scratch[t] == NULL || gram->sums[t] == NULL) return MK_NO_MEMORY;
  }
  return MK_OK;
}

static void drop_bases(mk_gram *gram) {
  for (size_t f = 0; gram->base != NULL && gram->held != NULL && f < gram->families; f++) {
    for (size_t i = 0; gram->base[f] != NULL && i < gram->held[f]; i++) mk_free(gram->base[f][i]);
    mk_free(gram->base[f]);
    gram->base[f] = NULL;
    gram->held[f] = 0;
  }
}

void mk_gram_free(mk_gram *gram) {
  if (gram == NULL) return;
  drop_bases(gram);
  mk_mixture_free(gram->mixture);
  for (int t = 0; t < gram->threads; t++) {
    if (gram->scratch != NULL) mk_scratch_free(gram->scratch[t]);
    if (gram->sums != NULL) mk_sums_free(gram->sums[t]);
  }
  mk_free(gram->scratch);
  mk_free(gram->sums);
  mk_free(gram->sample);
  mk_free(gram->all);
  mk_free(gram->list);
  mk_free(gram->base);
  mk_free(gram->held);
  mk_free(gram->diagonal);
  mk_cache_free(gram->cache);
  mk_free(gram);
}

size_t mk_gram_bytes(const mk_gram *gram) {
  return gram->most_bytes;
}
size_t mk_gram_count(const mk_gram *gram) {
  return gram->count;
}
const int *mk_gram_samples(const mk_gram *gram) {
  return gram->sample;
}
const double *mk_gram_diagonal(const mk_gram *gram) {
  return gram->diagonal;
}

/* ---- growing ---- */

static mk_keep choose_keep(const mk_gram *gram, size_t count, size_t *length) {
  double stored = 0.0, budget = (double)gram->control->cache;
  for (size_t f = 0; f < gram->families; f++) stored += storable(gram, f);
  double n = (double)mk_set_samples(gram->set), a = (double)count, row = sizeof(double);
  *length = 0;
  if (stored == 0.0) return KEEP_NONE;
  if (gram->kept != KEEP_CANDIDATES && a * row * (a + stored * n) <= budget) {
    *length = mk_set_samples(gram->set);
    return KEEP_ALL;
  }
  if (a * row * a * (1.0 + stored) <= budget) {
    *length = count;
    return KEEP_CANDIDATES;
  }
  return KEEP_NONE;
}

/* Moves old rows into rows of the new length; new samples stand behind the old. */
static mk_status relayout(mk_gram *gram, size_t f, size_t old_count, mk_keep old_kept,
                          size_t length) {
  double **old = gram->base[f], **rows = MK_NEW0(double *, gram->count);
  if (rows == NULL) return MK_NO_MEMORY;
  gram->base[f] = rows; /* old rows are handed over one by one */
  gram->held[f] = gram->count;
  mk_status status = MK_OK;
  for (size_t i = 0; i < gram->count && status == MK_OK; i++) {
    if (i < old_count && old_kept == gram->kept && gram->kept == KEEP_ALL) {
      rows[i] = old[i];
      old[i] = NULL;
      continue;
    }
    rows[i] = MK_NEW(double, length);
    if (rows[i] == NULL)
      status = MK_NO_MEMORY;
    else if (i < old_count && old_kept == KEEP_ALL)
      mk_gather(old[i], gram->sample, gram->count, rows[i]);
    else if (i < old_count)
      memcpy(rows[i], old[i], old_count * sizeof(double));
    if (i < old_count) {
      mk_free(old[i]);
      old[i] = NULL;
    }
  }
  for (size_t i = 0; old != NULL && i < old_count; i++) mk_free(old[i]);
  mk_free(old);
  return status;
}

/* New columns of old rows are old columns of new rows. */
static void mirror(mk_gram *gram, size_t f, size_t old_count) {
  for (size_t i = 0; i < old_count; i++)
    for (size_t j = old_count; j < gram->count; j++) gram->base[f][i][j] = gram->base[f][j][i];
}

static void store_base(void *data, size_t f, size_t r, const mk_gram_block *b, const double *base,
                       int thread) {
  mk_gram *gram = data;
  (void)thread;
  memcpy(gram->base[f][b->rows[r]] + b->from, base, b->count * sizeof *base);
}

/* Fills the base rows of candidates old_count.. in all stored families. */
static mk_status fill_bases(mk_gram *gram, size_t old_count) {
  mk_sweep s = {.rows = gram->all + old_count,
                .row_count = gram->count - old_count,
                .count = mk_set_samples(gram->set),
                .filling = 1,
                .visit = store_base};
  int serial = gram->serial;
  if (gram->kept == KEEP_NONE) return MK_OK;
  if (gram->kept == KEEP_CANDIDATES) {
    s.positions = gram->all;
    s.samples = gram->sample;
    s.count = gram->count;
  }
  for (size_t f = 0; f < gram->families; f++) gram->serial |= mk_family_serial(gram->set, f);
  mk_status status = mk_gram_sweep(gram, &s, gram);
  gram->serial = serial;
  for (size_t f = 0; f < gram->families && status == MK_OK; f++)
    if (gram->base[f] != NULL && gram->kept == KEEP_CANDIDATES) mirror(gram, f, old_count);
  return status;
}

static mk_status renew_cache(mk_gram *gram) {
  size_t size = mk_padded(gram->count), budget = gram->control->cache;
  size_t held = 0;
  for (size_t f = 0; f < gram->families; f++)
    held += gram->base[f] != NULL ? gram->count * gram->row_length * sizeof(double) : 0;
  mk_cache_free(gram->cache);
  mk_free(gram->diagonal);
  gram->cache = mk_cache_new(gram->count, size, budget > held ? budget - held : 0);
  gram->diagonal = MK_NEW0(double, size);
  if (gram->cache == NULL || gram->diagonal == NULL) return MK_NO_MEMORY;
  gram->bytes = held + mk_cache_bytes(gram->cache) + size * sizeof(double);
  if (gram->bytes > gram->most_bytes) gram->most_bytes = gram->bytes;
  return MK_OK;
}

mk_status mk_gram_extend(mk_gram *gram, const int *samples, size_t count) {
  size_t old_count = gram->count, length;
  mk_keep old_kept = gram->kept;
  mk_keep kept = choose_keep(gram, old_count + count, &length);
  if (kept == KEEP_NONE) drop_bases(gram);
  memcpy(gram->sample + old_count, samples, count * sizeof *samples);
  gram->serial = 0;
  for (size_t f = 0; f < gram->families; f++) {
    if (kept == KEEP_NONE || !storable(gram, f)) {
      gram->serial |= mk_family_serial(gram->set, f);
      continue;
    }
    gram->count = old_count + count;
    gram->kept = kept;
    mk_status status = relayout(gram, f, old_count, old_kept, length);
    if (status != MK_OK) return status;
  }
  gram->count = old_count + count;
  gram->kept = kept;
  gram->row_length = length;
  if (kept != KEEP_ALL)
    for (size_t f = 0; f < gram->families; f++)
      gram->serial |= mk_family_serial(gram->set, f); /* checks over all samples recompute */
  MK_TRY(fill_bases(gram, old_count));
  return renew_cache(gram);
}

mk_status mk_gram_mix(mk_gram *gram, const double *theta) {
  mk_mixture_compile(gram->mixture, theta);
  mk_cache_invalidate(gram->cache);
  return mk_mixture_diagonal(gram->mixture, gram->sample, gram->count, gram->diagonal,
                             gram->scratch[0]);
}
