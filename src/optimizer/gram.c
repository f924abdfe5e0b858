#include "gram.h"

#include "base/memory.h"
#include "gram-internal.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LEAST_ROWS 512 /* of the mixture, beside stored bases */
#define FEW_ROWS 64    /* where hardly any are asked for */
#define VECTORS 26     /* of n doubles, in the SVM and around it */

static int storable(const mk_gram *gram, size_t f) {
  return mk_family_has_base(gram->set, f) && mk_family_worth_storing(gram->set, f);
}

static size_t stored_families(const mk_gram *gram) {
  size_t count = 0;
  for (size_t f = 0; f < gram->families; f++) count += storable(gram, f) != 0;
  return count;
}

mk_sums *mk_gram_sums(const mk_gram *gram) {
  mk_sums *sums = mk_sums_new(gram->set, gram->single);
  if (sums != NULL) mk_sums_leave_local(sums);
  return sums;
}

/* What depends on the precision. */
static mk_status make_precision(mk_gram *gram, int single) {
  gram->single = single;
  MK_TRY(mk_bases_new(&gram->bases, gram->set, single, gram->control));
  gram->mixture = mk_mixture_new(gram->set, single);
  if (gram->mixture == NULL) return MK_NO_MEMORY;
  for (int t = 0; t < gram->threads; t++) {
    mk_sums_free(gram->sums[t]);
    gram->sums[t] = mk_gram_sums(gram);
    if (gram->sums[t] == NULL) return MK_NO_MEMORY;
  }
  return MK_OK;
}

mk_status mk_gram_new(mk_gram **out, const mk_kernel_set *set, int single,
                      const mk_control *control) {
  mk_gram *gram = MK_NEW0(mk_gram, 1);
  *out = gram;
  if (gram == NULL) return MK_NO_MEMORY;
  size_t n = mk_set_samples(set), threads = (size_t)mk_team_size(control->team);
  gram->set = set;
  gram->control = control;
  gram->threads = (int)threads;
  gram->families = mk_set_families(set);
  gram->scratch = MK_NEW0(mk_scratch *, threads);
  gram->sums = MK_NEW0(mk_sums *, threads);
  gram->sample = MK_NEW(int, n);
  gram->place = MK_NEW(int, n);
  gram->list = MK_NEW(int, n);
  gram->base = MK_NEW0(mk_store, gram->families);
  if (gram->scratch == NULL || gram->sums == NULL || gram->sample == NULL || gram->place == NULL ||
      gram->list == NULL || gram->base == NULL)
    return MK_NO_MEMORY;
  for (size_t i = 0; i < n; i++) gram->sample[i] = gram->place[i] = (int)i;
  for (size_t t = 0; t < threads; t++) {
    gram->scratch[t] = mk_scratch_new(set);
    if (gram->scratch[t] == NULL) return MK_NO_MEMORY;
  }
  MK_TRY(mk_gram_matrices_new(gram));
  gram->is_thin = mk_gram_wants_thin(gram);
  return make_precision(gram, single);
}

static void drop_bases(mk_gram *gram) {
  for (size_t f = 0; gram->base != NULL && f < gram->families; f++) mk_store_clear(&gram->base[f]);
}

void mk_gram_free(mk_gram *gram) {
  if (gram == NULL) return;
  drop_bases(gram);
  mk_gram_matrices_free(gram->matrices);
  mk_mixture_free(gram->mixture);
  mk_bases_free(gram->bases);
  for (int t = 0; t < gram->threads; t++) {
    if (gram->scratch != NULL) mk_scratch_free(gram->scratch[t]);
    if (gram->sums != NULL) mk_sums_free(gram->sums[t]);
  }
  mk_free(gram->scratch);
  mk_free(gram->sums);
  mk_free(gram->sample);
  mk_free(gram->place);
  mk_packed_free(gram->packed);
  mk_free(gram->list);
  mk_free(gram->base);
  mk_free(gram->diagonal);
  mk_gram_free_projection(gram);
  mk_thin_clear(&gram->thin);
  mk_cache_free(gram->cache);
  mk_buffer_free(&gram->rows);
  mk_free(gram);
}

size_t mk_gram_bytes(const mk_gram *gram) {
  return gram->most_bytes + mk_gram_matrices_bytes(gram->matrices) + gram->projection_bytes +
         mk_mixture_bytes(gram->mixture);
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
int mk_gram_is_single(const mk_gram *gram) {
  return gram->single;
}
double mk_gram_unit(const mk_gram *gram) {
  return gram->single ? 1e-7 : 1e-14;
}

/* ---- growing ---- */

static size_t fixed_bytes(const mk_gram *gram) {
  return mk_bases_bytes(gram->bases) + mk_packed_bytes(gram->packed) +
         VECTORS * mk_set_samples(gram->set) * sizeof(double);
}

/* Bytes for stores and cached rows; what bases and vectors take is gone. */
static size_t row_budget(const mk_gram *gram) {
  size_t taken = fixed_bytes(gram);
  size_t budget = mk_row_budget(gram->control);
  return budget > taken ? budget - taken : 0;
}

static size_t stored_bytes(const mk_gram *gram) {
  size_t bytes = 0;
  for (size_t f = 0; f < gram->families; f++) bytes += gram->base[f].bytes;
  return bytes;
}

void mk_gram_account(mk_gram *gram, size_t more) {
  size_t bytes = more + stored_bytes(gram) + fixed_bytes(gram);
  if (gram->is_thin) bytes += mk_thin_bytes(&gram->thin);
  if (gram->cache != NULL) bytes += mk_cache_bytes(gram->cache);
  if (bytes > gram->most_bytes) gram->most_bytes = bytes;
}

#define SLACK 16 /* part of the candidates for which rows over them have room beyond */

static size_t roomy_length(const mk_gram *gram, size_t count) {
  size_t n = mk_set_samples(gram->set), length = count + count / SLACK;
  if (gram->kept == KEEP_CANDIDATES && count <= gram->row_length) return gram->row_length;
  return length < n ? length : n;
}

static mk_keep choose_keep(const mk_gram *gram, size_t count, size_t *length) {
  double stored = (double)stored_families(gram), budget = (double)row_budget(gram);
  double n = (double)mk_set_samples(gram->set), a = (double)count;
  double size = (double)mk_row_size(gram->single);
  size_t roomy = roomy_length(gram, count); /* by the length so far, which is `length` */
  *length = 0;
  if (stored == 0.0) return KEEP_NONE;
  if (gram->kept != KEEP_CANDIDATES && a * size * (a + stored * n) <= budget) {
    *length = mk_set_samples(gram->set);
    return KEEP_ALL;
  }
  /* rows of the mixture follow from stored bases at little cost: few are kept if need be */
  *length = roomy;
  if (a * size * ((double)*length * stored + LEAST_ROWS) <= budget) return KEEP_CANDIDATES;
  *length = count;
  if (a * size * (a * stored + LEAST_ROWS) <= budget) return KEEP_CANDIDATES;
  return KEEP_NONE;
}

static mk_status renew_cache(mk_gram *gram) {
  size_t size = mk_padded(gram->count), budget = row_budget(gram), held = stored_bytes(gram);
  if (gram->is_thin) budget = FEW_ROWS * size * sizeof(double);
  mk_free(gram->diagonal);
  size_t n = mk_set_samples(gram->set), left = budget > held ? budget - held : 0;
  size_t later = n * mk_padded(n) * mk_row_size(gram->single);
  gram->cache = mk_cache_new(gram->count, size, gram->single, left, later, &gram->rows);
  gram->diagonal = MK_NEW0(double, size);
  if (gram->cache == NULL || gram->diagonal == NULL) return MK_NO_MEMORY;
  mk_gram_account(gram, 0);
  return MK_OK;
}

/* Function kernels that have to be called again for every block. */
static int needs_serial(const mk_gram *gram) {
  for (size_t f = 0; f < gram->families; f++)
    if (mk_family_serial(gram->set, f) && (gram->kept != KEEP_ALL || !storable(gram, f))) return 1;
  return 0;
}

/* Rows for the candidates from old_count on, kept as `old_kept` so far. */
static mk_status grow(mk_gram *gram, size_t old_count, mk_keep old_kept) {
  mk_packed_free(gram->packed);
  MK_TRY(mk_packed_new(&gram->packed, gram->bases, gram->sample, mk_set_samples(gram->set)));
  mk_cache_free(gram->cache); /* stale */
  gram->cache = NULL;
  size_t old_length = gram->row_length;
  gram->kept = choose_keep(gram, gram->count, &gram->row_length);
  gram->row_values = gram->kept == KEEP_ALL ? gram->row_length : gram->count;
  size_t rows = old_kept == gram->kept && old_length == gram->row_length ? gram->count - old_count
                                                                         : gram->count;
  size_t stores = rows * gram->row_length * mk_row_size(gram->single) * stored_families(gram);
  if (stored_bytes(gram) + stores + gram->rows.bytes > row_budget(gram))
    mk_buffer_free(&gram->rows);
  int both = gram->kept == KEEP_ALL || stored_bytes(gram) + stores <= row_budget(gram);
  if (gram->kept == KEEP_NONE || !both) {
    drop_bases(gram);
    old_count = 0;
    old_kept = KEEP_NONE;
  }
  gram->serial = needs_serial(gram);
  for (size_t f = 0; f < gram->families && gram->kept != KEEP_NONE; f++)
    if (storable(gram, f)) MK_TRY(mk_gram_fill_store(gram, f, old_count, old_kept));
  MK_TRY(mk_gram_fill_thin(gram));
  return renew_cache(gram);
}

/* The sample changes places with the first that is no candidate; its place so far. */
static int take_in(mk_gram *gram, int sample) {
  size_t to = gram->count++;
  int from = gram->place[sample], other = gram->sample[to];
  gram->sample[to] = sample;
  gram->place[sample] = (int)to;
  gram->sample[from] = other;
  gram->place[other] = from;
  return from;
}

typedef struct exchange {
  mk_gram *gram;
  size_t first, last; /* new candidates, whose columns were at gram->list */
} exchange;

static mk_status exchange_columns(void *data, size_t i, int thread) {
  const exchange *e = data;
  const int *list = e->gram->list;
  (void)thread;
  for (size_t f = 0; f < e->gram->families; f++) {
    if (e->gram->base[f].row == NULL) continue;
    mk_row row = {e->gram->base[f].row[i], e->gram->single};
    for (size_t k = e->first; k < e->last; k++) mk_row_swap(row, k, (size_t)list[k - e->first]);
  }
  return MK_OK;
}

mk_status mk_gram_extend(mk_gram *gram, const int *samples, size_t count) {
  size_t old_count = gram->count;
  for (size_t k = 0; k < count; k++) gram->list[k] = take_in(gram, samples[k]);
  if (gram->kept == KEEP_ALL)
    MK_TRY(mk_deal_out(old_count, gram->control->team, exchange_columns,
                       &(exchange){gram, old_count, gram->count}));
  return grow(gram, old_count, gram->kept);
}

mk_status mk_gram_sharpen(mk_gram *gram) {
  gram->whole = !gram->single;
  if (gram->whole) return MK_OK;
  drop_bases(gram);
  mk_bases_free(gram->bases);
  mk_mixture_free(gram->mixture);
  gram->bases = NULL;
  gram->mixture = NULL;
  MK_TRY(make_precision(gram, 0));
  gram->kept = KEEP_NONE;
  return grow(gram, 0, KEEP_NONE);
}

/* ---- mixtures ---- */

#define STORE_SHARE 0.2  /* of the cache, for values of feature blocks between candidates */
#define MODEL_COLUMNS 8  /* of feature blocks for each candidate ... */
#define CHEAP_VALUES 1e9 /* ... or more, up to this many operations */

/* Columns that rows of feature blocks may take. */
static size_t most_columns(const mk_gram *gram) {
  double count = fmax((double)gram->count, 1.0);
  if (gram->whole || gram->is_thin) return SIZE_MAX;
  return (size_t)fmax(MODEL_COLUMNS * count, CHEAP_VALUES / (count * count));
}

mk_status mk_gram_mix(mk_gram *gram, const double *theta) {
  mk_mixture_limit(gram->mixture, most_columns(gram));
  gram->learns = 1;
  if (!mk_mixture_compile(gram->mixture, theta)) return MK_OK;
  mk_cache_invalidate(gram->cache);
  mk_gram_matrices_mix(gram, theta);
  if (gram->is_thin)
    mk_features_root(gram->set, mk_mixture_slot_weights(gram->mixture), &gram->thin);
  double bytes = (double)gram->count * (double)gram->count * sizeof(double);
  int cheap = !gram->is_thin && bytes <= STORE_SHARE * (double)gram->control->cache;
  if (mk_set_explicit(gram->set) && (cheap || mk_mixture_is_model(gram->mixture)))
    MK_TRY(mk_mixture_store(gram->mixture, gram->sample, gram->count, gram->scratch[0],
                            gram->control));
  return mk_mixture_diagonal(gram->mixture, gram->sample, gram->count, gram->diagonal);
}
