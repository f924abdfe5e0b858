#include "gram.h"

#include "gram-provider.h"

#include "base/mechanisms.h"
#include "base/pool.h"
#include "cache/cache.h"
#include "kernel/features.h"
#include "kernel/functions.h"
#include "low-rank/low-rank.h"

#include <float.h>
#include <string.h>

#define SVM_VECTORS 26 /* vectors of n doubles, in the SVMs and around them */

/* The table of providers. Bases come first, since their sums cover all kernels, with zeros for
 * those of other providers. */
static const mk_provider *const providers[] = {
    &mk_base_provider,
    &mk_matrix_provider,
    &mk_column_provider,
    &mk_local_provider,
};
#define PROVIDERS (sizeof providers / sizeof *providers)

struct mk_gram {
  mk_gram_context at;
  mk_kernel_set *columns; /* low-rank kernels as columns; NULL: kernels are read as they are */
  mk_pool memory;         /* owns what lasts as long as the gram */
  void *own[PROVIDERS];   /* the providers' own data; NULL: the set has no kernel of the sort */
  const mk_thin *thin;
  mk_cache *cache;
  double *diagonal; /* padded */
  int *list;        /* n: scratch positions */
};

/* Loops over the providers that have a function and kernels. */
#define FOR_EACH_PROVIDER(gram, k, what)                                                           \
  for (size_t k = 0; k < PROVIDERS; k++)                                                           \
    if ((gram)->own[k] != NULL && providers[k]->what != NULL)

/* ---- memory ---- */

static mk_status open_providers(mk_gram *gram) {
  mk_gram_context *at = &gram->at;
  at->mixture = mk_mixture_new(at->set, at->single);
  if (at->mixture == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < PROVIDERS; k++) MK_TRY(providers[k]->open(at, &gram->own[k]));
  gram->thin = NULL;
  FOR_EACH_PROVIDER(gram, k, thin) gram->thin = providers[k]->thin(gram->own[k]);
  return MK_OK;
}

static void close_providers(mk_gram *gram) {
  FOR_EACH_PROVIDER(gram, k, close) providers[k]->close(gram->own[k]);
  memset(gram->own, 0, sizeof gram->own);
  mk_mixture_free(gram->at.mixture);
  gram->at.mixture = NULL;
}

static mk_status reopen_providers(mk_gram *gram, int single) {
  close_providers(gram);
  gram->at.single = single;
  return open_providers(gram);
}

static int only_doubles(const mk_gram *gram) {
  int floats = 0;
  for (size_t k = 0; k < PROVIDERS; k++) floats |= gram->own[k] != NULL && !providers[k]->doubles;
  return !floats;
}

mk_status mk_gram_new(mk_gram **out, const mk_kernel_set *set, int single, int offset,
                      const mk_control *control) {
  mk_gram *gram = *out = MK_NEW0(mk_gram, 1);
  if (gram == NULL) return MK_NO_MEMORY;
  mk_gram_context *at = &gram->at;
  size_t n = mk_set_samples(set), threads = (size_t)mk_team_size(control->team);
  *at = (mk_gram_context){.set = set,
                          .control = control,
                          .threads = (int)threads,
                          .n = n,
                          .single = single,
                          .offset = offset};
  at->scratch = MK_TAKE0(&gram->memory, mk_scratch *, threads);
  at->sample = MK_TAKE(&gram->memory, int, n);
  at->place = MK_TAKE(&gram->memory, int, n);
  gram->list = MK_TAKE(&gram->memory, int, n);
  if (MK_WITH_LOW_RANK)
    MK_TRY(mk_set_as_columns(&gram->columns, set, mk_row_budget(control) / 2, control->team));
  if (gram->columns != NULL) at->set = gram->columns;
  if (gram->memory.failed) return MK_NO_MEMORY;
  for (size_t i = 0; i < n; i++) at->sample[i] = at->place[i] = (int)i;
  for (size_t t = 0; t < threads; t++)
    if ((at->scratch[t] = mk_scratch_new(at->set)) == NULL) return MK_NO_MEMORY;
  MK_TRY(open_providers(gram));
  if (!single || !only_doubles(gram)) return MK_OK;
  return reopen_providers(gram, 0);
}

mk_status mk_gram_read_rows(mk_gram *gram) {
  gram->at.rows_only = 1;
  return reopen_providers(gram, gram->at.single);
}

void mk_gram_free(mk_gram *gram) {
  if (gram == NULL) return;
  mk_gram_context *at = &gram->at;
  close_providers(gram);
  for (int t = 0; t < at->threads && at->scratch != NULL; t++) mk_scratch_free(at->scratch[t]);
  mk_buffer_free(&at->row_memory);
  mk_cache_free(gram->cache);
  mk_free(gram->diagonal);
  mk_set_free(gram->columns);
  mk_pool_free(&gram->memory);
  mk_free(gram);
}

static size_t provider_bytes(const mk_gram *gram) {
  size_t bytes = 0;
  FOR_EACH_PROVIDER(gram, k, bytes) bytes += providers[k]->bytes(gram->own[k]);
  return bytes;
}

/* Returns the memory of vectors over all samples, and of the scratch of so many threads. */
static size_t working_bytes(const mk_gram *gram, size_t threads) {
  const mk_gram_context *at = &gram->at;
  return SVM_VECTORS * at->n * sizeof(double) + threads * mk_scratch_bytes(at->scratch[0]);
}

static size_t held_bytes(const mk_gram *gram) {
  size_t bytes = provider_bytes(gram) + mk_mixture_bytes(gram->at.mixture);
  if (gram->cache != NULL) bytes += mk_cache_bytes(gram->cache);
  if (gram->columns != NULL) bytes += mk_set_bytes(gram->columns);
  return bytes + working_bytes(gram, (size_t)gram->at.threads);
}

size_t mk_gram_bytes(const mk_gram *gram) {
  size_t bytes = held_bytes(gram);
  return bytes > gram->at.most_bytes ? bytes : gram->at.most_bytes;
}

int mk_gram_is_columns(const mk_gram *gram) {
  return mk_set_is_columns(gram->at.set);
}
int mk_gram_wants_all(const mk_gram *gram) {
  return gram->thin != NULL || mk_set_is_wide(gram->at.set);
}
size_t mk_gram_count(const mk_gram *gram) {
  return gram->at.count;
}
const int *mk_gram_samples(const mk_gram *gram) {
  return gram->at.sample;
}
const double *mk_gram_diagonal(const mk_gram *gram) {
  return gram->diagonal;
}
const mk_thin *mk_gram_thin(const mk_gram *gram) {
  return gram->thin;
}
int mk_gram_is_single(const mk_gram *gram) {
  return gram->at.single;
}
double mk_gram_unit(const mk_gram *gram) {
  /* rounding errors of distances take some bits */
  return gram->at.single ? FLT_EPSILON : 64.0 * DBL_EPSILON;
}

int mk_gram_is_approximate(const mk_gram *gram) {
  int any = 0;
  FOR_EACH_PROVIDER(gram, k, is_approximate) any |= providers[k]->is_approximate(gram->own[k]);
  return any;
}

/* ---- the working set ---- */

/* Returns the memory for data of the providers and for cached rows, which does not depend on the
 * number of threads. */
static size_t budget(const mk_gram *gram) {
  size_t all = mk_row_budget(gram->at.control);
  size_t used = working_bytes(gram, 1) + mk_set_value_bytes(gram->at.set);
  return all > used ? all - used : 0;
}

static mk_status renew_cache(mk_gram *gram) {
  mk_gram_context *at = &gram->at;
  size_t size = mk_padded(at->count), all = budget(gram), held = provider_bytes(gram);
  size_t room = all > held ? all - held : 0;
  if (gram->thin != NULL) room = MK_BLOCK_ROWS * size * sizeof(double);
  mk_free(gram->diagonal);
  size_t later = at->n * mk_padded(at->n) * mk_row_size(at->single);
  gram->cache = mk_cache_new(at->count, size, at->single, room, later, &at->row_memory);
  gram->diagonal = MK_NEW0(double, size);
  if (gram->cache == NULL || gram->diagonal == NULL) return MK_NO_MEMORY;
  gram->at.most_bytes = mk_gram_bytes(gram);
  return MK_OK;
}

static mk_status grow_providers(mk_gram *gram) {
  mk_cache_free(gram->cache); /* cached rows are too short for more samples */
  gram->cache = NULL;
  FOR_EACH_PROVIDER(gram, k, grow)
  MK_TRY(providers[k]->grow(gram->own[k], budget(gram)));
  return renew_cache(gram);
}

/* Swaps the sample with the first one outside the working set. */
static void take_in_sample(mk_gram_context *at, int sample) {
  size_t to = at->count++;
  int from = at->place[sample], other = at->sample[to];
  at->sample[to] = sample;
  at->place[sample] = (int)to;
  at->sample[from] = other;
  at->place[other] = from;
}

mk_status mk_gram_extend(mk_gram *gram, const int *samples, size_t count) {
  for (size_t k = 0; k < count; k++) take_in_sample(&gram->at, samples[k]);
  return grow_providers(gram);
}

mk_status mk_gram_sharpen(mk_gram *gram) {
  gram->at.exact = !gram->at.single;
  if (gram->at.exact) return MK_OK;
  MK_TRY(reopen_providers(gram, 0));
  return grow_providers(gram);
}

static void renew_rows(mk_gram *gram) {
  const mk_gram_context *at = &gram->at;
  mk_cache_invalidate(gram->cache);
  mk_mixture_diagonal(at->mixture, at->sample, at->count, gram->diagonal);
}

mk_status mk_gram_mix(mk_gram *gram, const double *theta) {
  mk_gram_context *at = &gram->at;
  FOR_EACH_PROVIDER(gram, k, before_mix) providers[k]->before_mix(gram->own[k]);
  int renewed = mk_mixture_compile(at->mixture, theta);
  FOR_EACH_PROVIDER(gram, k, mix) MK_TRY(providers[k]->mix(gram->own[k], theta, renewed));
  if (renewed) renew_rows(gram);
  return MK_OK;
}

/* ---- rows ---- */

static mk_status fill_rows(mk_gram *gram, const int *rows, size_t count, const mk_row *target) {
  for (size_t r = 0; r < count; r++) mk_row_clear(target[r], mk_padded(gram->at.count));
  FOR_EACH_PROVIDER(gram, k, rows)
  MK_TRY(providers[k]->rows(gram->own[k], rows, count, target));
  return MK_OK;
}

/* Returns 1 if no row has to be dropped for another. */
static int has_room(const mk_gram *gram) {
  return mk_cache_capacity(gram->cache) >= gram->at.count;
}

static int blocks_are_cheaper(const mk_gram *gram) {
  int any = 0;
  FOR_EACH_PROVIDER(gram, k, prefers_blocks) any |= providers[k]->prefers_blocks(gram->own[k]);
  return any;
}

/* Returns the number of rows to compute together: rows after row i join if that saves work and no
 * row is dropped for them. */
static size_t batch_size(const mk_gram *gram) {
  size_t most = mk_smaller(MK_BLOCK_ROWS, gram->at.count);
  if (gram->thin != NULL) return mk_smaller(most, mk_cache_capacity(gram->cache) - 2);
  return MK_WITH_ROW_BLOCKS && has_room(gram) && blocks_are_cheaper(gram) ? most : 1;
}

mk_row mk_gram_row(void *data, size_t i, mk_status *status) {
  mk_gram *gram = data;
  int fresh, position[MK_BLOCK_ROWS];
  mk_row target[MK_BLOCK_ROWS], row = mk_cache_row(gram->cache, i, &fresh);
  if (fresh) return row;
  size_t count = 0, most = batch_size(gram);
  target[count] = row;
  position[count++] = (int)i;
  for (size_t k = 1; k < most; k++) {
    size_t next = (i + k) % gram->at.count;
    mk_row other = mk_cache_row(gram->cache, next, &fresh);
    if (fresh) continue;
    target[count] = other;
    position[count++] = (int)next;
  }
  *status = fill_rows(gram, position, count, target);
  if (*status != MK_OK) row.at = NULL;
  return row;
}

/* Brings rows into the cache, as many as it has room for; missing rows are computed together. */
static mk_status fetch_rows(mk_gram *gram, const int *positions, size_t count) {
  size_t room = mk_cache_capacity(gram->cache) / 2, from = 0;
  if (count > room && !has_room(gram)) count = room;
  while (from < count) {
    int stale[MK_ROWS_MADE], fresh;
    mk_row target[MK_ROWS_MADE];
    size_t fill = 0;
    for (; from < count && fill < MK_ROWS_MADE; from++) {
      mk_row row = mk_cache_row(gram->cache, (size_t)positions[from], &fresh);
      if (fresh) continue;
      stale[fill] = positions[from];
      target[fill++] = row;
    }
    if (fill > 0) MK_TRY(fill_rows(gram, stale, fill, target));
  }
  return MK_OK;
}

mk_status mk_gram_rows(mk_gram *gram, const int *positions, size_t *count, mk_row *rows) {
  mk_status status = MK_OK;
  size_t room = mk_cache_capacity(gram->cache) / 2;
  *count = mk_smaller(*count, room > 0 ? room : 1);
  MK_TRY(fetch_rows(gram, positions, *count));
  for (size_t k = 0; k < *count; k++) {
    rows[k] = mk_gram_row(gram, (size_t)positions[k], &status);
    if (rows[k].at == NULL) return status;
  }
  return MK_OK;
}

/* Adds a provider's values from its whole rows, one after another. */
static mk_status add_square_by_rows(mk_gram *gram, size_t k, const int *positions, size_t count,
                                    const mk_row *row) {
  size_t size = mk_padded(gram->at.count);
  mk_row whole = {mk_alloc(size, mk_row_size(gram->at.single)), gram->at.single};
  mk_status status = whole.at == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t r = 0; r < count && status == MK_OK; r++) {
    mk_row_clear(whole, size);
    status = providers[k]->rows(gram->own[k], positions + r, 1, &whole);
    for (size_t c = 0; c < count; c++)
      mk_row_set(row[r], c, mk_row_at(row[r], c) + mk_row_at(whole, (size_t)positions[c]));
  }
  mk_free(whole.at);
  return status;
}

mk_status mk_gram_square(mk_gram *gram, const int *positions, size_t count, const mk_row *row) {
  for (size_t r = 0; r < count; r++) mk_row_clear(row[r], mk_padded(count));
  FOR_EACH_PROVIDER(gram, k, rows)
  MK_TRY(providers[k]->square != NULL ? providers[k]->square(gram->own[k], positions, count, row)
                                      : add_square_by_rows(gram, k, positions, count, row));
  return MK_OK;
}

/* ---- responses ---- */

/* Adds the rows of support vectors through the cache, since the SVM solver asks for them next. */
static mk_status add_rows(mk_gram *gram, const mk_alphas *alphas, double **out) {
  size_t a = gram->at.count, support = mk_list_support(&gram->at, alphas, gram->list), rows;
  mk_row row[MK_BLOCK_ROWS];
  for (size_t k = 0; k < support; k += rows) {
    rows = mk_smaller(MK_BLOCK_ROWS, support - k);
    MK_TRY(mk_gram_rows(gram, gram->list + k, &rows, row));
    for (size_t r = 0; r < rows; r++)
      for (size_t t = 0; t < alphas->tasks; t++) {
        double weight = alphas->alpha[t][gram->list[k + r]];
        if (weight != 0.0) mk_simd_best()->rows[row[r].single].axpy(a, weight, row[r].at, out[t]);
      }
  }
  return MK_OK;
}

mk_status mk_gram_response(mk_gram *gram, const mk_alphas *alphas, double **out) {
  int by_rows = 0; /* 1 if some kernels' responses come from their rows only */
  FOR_EACH_PROVIDER(gram, k, rows) by_rows |= providers[k]->response == NULL;
  for (size_t t = 0; t < alphas->tasks; t++) memset(out[t], 0, gram->at.count * sizeof(double));
  if (by_rows) MK_TRY(add_rows(gram, alphas, out));
  FOR_EACH_PROVIDER(gram, k, response)
  MK_TRY(providers[k]->response(gram->own[k], alphas, by_rows, out));
  /* true responses have updated approximate rows */
  if (MK_WITH_LEARNING && mk_gram_is_approximate(gram)) renew_rows(gram);
  return MK_OK;
}

static mk_status respond_from(mk_gram *gram, const mk_alphas *alphas, size_t from, double **out) {
  for (size_t t = 0; t < alphas->tasks; t++) memset(out[t], 0, gram->at.n * sizeof(double));
  FOR_EACH_PROVIDER(gram, k, response_from)
  MK_TRY(providers[k]->response_from(gram->own[k], alphas, from, out));
  return MK_OK;
}

mk_status mk_gram_response_outside(mk_gram *gram, const mk_alphas *alphas, double **out) {
  return respond_from(gram, alphas, gram->at.count, out);
}

mk_status mk_gram_response_everywhere(mk_gram *gram, const mk_alphas *alphas, double **out) {
  return respond_from(gram, alphas, 0, out);
}

/* ---- all kernels at once ---- */

mk_status mk_gram_forms(mk_gram *gram, const mk_alphas *alphas, double *s) {
  memset(s, 0, mk_set_kernels(gram->at.set) * sizeof *s);
  FOR_EACH_PROVIDER(gram, k, forms)
  if (providers[k]->shares_forms || mk_takes_block(gram->at.control, 0))
    MK_TRY(providers[k]->forms(gram->own[k], alphas, s));
  return MK_OK;
}

mk_status mk_gram_member_responses(mk_gram *gram, const double *alpha, const int *positions,
                                   size_t count, double *u) {
  mk_member_ask ask = {alpha, positions, count, mk_set_kernels(gram->at.set), u};
  MK_TRY(mk_check(gram->at.control));
  FOR_EACH_PROVIDER(gram, k, members) MK_TRY(providers[k]->members(gram->own[k], &ask));
  return MK_OK;
}
