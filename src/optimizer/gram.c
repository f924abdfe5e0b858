#include "gram.h"

#include "base/memory.h"
#include "base/threads.h"
#include "cache/cache.h"

#include <string.h>

/* How bases of storable families are kept: rows over all samples, rows over
 * the candidates, or not at all. */
typedef enum keep { KEEP_NONE, KEEP_CANDIDATES, KEEP_ALL } keep;

struct mk_gram {
  const mk_kernel_set *set;
  const mk_control *control;
  mk_mixture *mixture;
  mk_scratch **scratch;    /* one per thread */
  mk_sums **sums;          /* one per thread */
  int threads;
  int serial;              /* a function kernel is not stored: one thread only */
  int *sample;             /* candidate position -> sample */
  char *chosen;            /* sample -> is a candidate */
  size_t count, families;
  keep kept;
  size_t row_length;       /* doubles in a stored base row */
  double ***base;          /* [family][position]: stored base row, or NULL */
  size_t *held;            /* [family]: rows in base[family] */
  mk_cache *cache;
  double *diagonal;        /* padded */
  int *list;               /* n: scratch positions */
  size_t bytes, most_bytes;
};

static int storable(const mk_gram *gram, size_t f) {
  return mk_family_has_base(gram->set, f) && mk_family_worth_storing(gram->set, f);
}

mk_status mk_gram_new(mk_gram **out, const mk_kernel_set *set, const mk_control *control) {
  mk_gram *gram = MK_NEW0(mk_gram, 1);
  *out = gram;
  if (gram == NULL)
    return MK_NO_MEMORY;
  size_t n = mk_set_samples(set), threads = (size_t)control->threads;
  gram->set = set;
  gram->control = control;
  gram->threads = control->threads;
  gram->families = mk_set_families(set);
  gram->mixture = mk_mixture_new(set);
  gram->scratch = MK_NEW0(mk_scratch *, threads);
  gram->sums = MK_NEW0(mk_sums *, threads);
  gram->sample = MK_NEW(int, n);
  gram->chosen = MK_NEW0(char, n);
  gram->list = MK_NEW(int, n);
  gram->base = MK_NEW0(double **, gram->families);
  gram->held = MK_NEW0(size_t, gram->families);
  if (gram->mixture == NULL || gram->scratch == NULL || gram->sums == NULL ||
      gram->sample == NULL || gram->chosen == NULL || gram->list == NULL || gram->base == NULL ||
      gram->held == NULL)
    return MK_NO_MEMORY;
  for (size_t t = 0; t < threads; t++) {
    gram->scratch[t] = mk_scratch_new(set);
    gram->sums[t] = mk_sums_new(set);
    if (gram->scratch[t] == NULL || gram->sums[t] == NULL)
      return MK_NO_MEMORY;
  }
  return MK_OK;
}

static void drop_bases(mk_gram *gram) {
  for (size_t f = 0; gram->base != NULL && gram->held != NULL && f < gram->families; f++) {
    for (size_t i = 0; gram->base[f] != NULL && i < gram->held[f]; i++)
      mk_free(gram->base[f][i]);
    mk_free(gram->base[f]);
    gram->base[f] = NULL;
    gram->held[f] = 0;
  }
}

void mk_gram_free(mk_gram *gram) {
  if (gram == NULL)
    return;
  drop_bases(gram);
  mk_mixture_free(gram->mixture);
  for (int t = 0; t < gram->threads; t++) {
    if (gram->scratch != NULL)
      mk_scratch_free(gram->scratch[t]);
    if (gram->sums != NULL)
      mk_sums_free(gram->sums[t]);
  }
  mk_free(gram->scratch);
  mk_free(gram->sums);
  mk_free(gram->sample);
  mk_free(gram->chosen);
  mk_free(gram->list);
  mk_free(gram->base);
  mk_free(gram->held);
  mk_free(gram->diagonal);
  mk_cache_free(gram->cache);
  mk_free(gram);
}

size_t mk_gram_bytes(const mk_gram *gram) { return gram->most_bytes; }
size_t mk_gram_count(const mk_gram *gram) { return gram->count; }
const int *mk_gram_samples(const mk_gram *gram) { return gram->sample; }
const double *mk_gram_diagonal(const mk_gram *gram) { return gram->diagonal; }

/* ---- base values of a block ---- */

/* Base values of family f between candidate positions `rows` and part of a
 * list of columns, one pointer per row in `out`. `positions` names the columns
 * by candidate position (NULL: the columns are samples from..from+count). */
typedef struct block {
  const int *rows;          /* positions */
  size_t row_count;
  const int *positions;     /* of the columns, or NULL when they are all samples ... */
  size_t from, count;       /* ... from..from + count */
  mk_columns columns;       /* the samples of the columns */
} block;

static void gather(const double *row, const int *at, size_t count, double *out) {
  for (size_t c = 0; c < count; c++)
    out[c] = row[at[c]];
}

/* Row r of the block: a pointer into the store, or values copied to `out`. */
static const double *stored_row(const mk_gram *gram, size_t f, const block *b, size_t r,
                                const int *samples, double *out) {
  const double *row = gram->base[f][b->rows[r]];
  if (b->positions == NULL)
    return row + b->from; /* KEEP_ALL */
  gather(row, gram->kept == KEEP_ALL ? samples : b->positions, b->count, out);
  return out;
}

static int is_stored(const mk_gram *gram, size_t f, const block *b) {
  return gram->base[f] != NULL && (gram->kept == KEEP_ALL || b->positions != NULL);
}

/* Calls `visit` for every family and row of a block with its base values. */
typedef void (*visitor)(void *data, size_t f, size_t r, const block *b, const double *base,
                        int thread);

static mk_status visit_block(mk_gram *gram, const block *b, int thread, visitor visit, void *data) {
  mk_scratch *scratch = gram->scratch[thread];
  double *buffer = mk_scratch_block(scratch);
  int rows[MK_BLOCK_ROWS], samples[MK_BLOCK_COLS];
  for (size_t r = 0; r < b->row_count; r++)
    rows[r] = gram->sample[b->rows[r]];
  for (size_t c = 0; c < b->count; c++)
    samples[c] = (int)mk_column(&b->columns, c);
  for (size_t f = 0; f < gram->families; f++) {
    int stored = is_stored(gram, f, b);
    if (!stored && mk_family_has_base(gram->set, f))
      MK_TRY(mk_base_block(gram->set, f, rows, b->row_count, &b->columns, buffer, MK_BLOCK_COLS, scratch));
    for (size_t r = 0; r < b->row_count; r++) {
      const double *base = NULL;
      if (stored)
        base = stored_row(gram, f, b, r, samples, mk_scratch_row(scratch, 0));
      else if (mk_family_has_base(gram->set, f))
        base = buffer + r * MK_BLOCK_COLS;
      visit(data, f, r, b, base, thread);
    }
  }
  return MK_OK;
}

static size_t chunk_size(const mk_gram *gram, size_t count) {
  size_t chunk = (count + (size_t)gram->threads - 1) / (size_t)gram->threads;
  chunk = mk_padded(chunk < 64 ? 64 : chunk);
  return chunk < MK_BLOCK_COLS ? chunk : MK_BLOCK_COLS;
}

/* All blocks between `rows` (positions) and the columns. Columns are dealt out
 * to threads in chunks of fixed size and owner, so that results do not depend
 * on timing. `symmetric`: rows and columns are one list and only blocks on and
 * above the diagonal are visited. */
typedef struct sweep {
  const int *rows;
  size_t row_count;
  const int *positions;     /* as in block */
  const int *samples;       /* samples of the columns; NULL: 0, 1, ... */
  size_t count;
  int symmetric;
  visitor visit;
  void (*finish)(void *data, const block *b, int thread); /* after all families; may be NULL */
} sweep;

#define SMALL_BLOCK 65536 /* values; below, starting threads costs more than it saves */

static mk_status run_sweep(mk_gram *gram, const sweep *s, void *data) {
  int threads = gram->serial ? 1 : gram->threads;
  size_t chunk = chunk_size(gram, s->count);
  mk_status status = MK_OK;
  for (size_t r = 0; r < s->row_count; r += MK_BLOCK_ROWS) {
    size_t height = s->row_count - r < MK_BLOCK_ROWS ? s->row_count - r : MK_BLOCK_ROWS;
    size_t first = s->symmetric ? r : 0;
    long chunks = (long)((s->count - first + chunk - 1) / chunk);
    if (height > 1)
      MK_TRY(mk_check(gram->control));
#ifdef _OPENMP
    int parallel = threads > 1 && chunks > 1 && height * s->count > SMALL_BLOCK;
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (parallel)
#endif
    for (long k = 0; k < chunks; k++) {
      int thread = mk_thread_number();
      size_t from = first + (size_t)k * chunk;
      size_t count = s->count - from < chunk ? s->count - from : chunk;
      block b = {.rows = s->rows + r, .row_count = height, .from = from, .count = count};
      b.positions = s->positions != NULL ? s->positions + from : NULL;
      b.columns = s->samples != NULL ? mk_list(s->samples + from, count) : mk_run(from, count);
      mk_status done = visit_block(gram, &b, thread, s->visit, data);
      if (done == MK_OK && s->finish != NULL)
        s->finish(data, &b, thread);
      if (done != MK_OK) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
        status = done;
      }
    }
    if (status != MK_OK)
      return status;
  }
  return MK_OK;
}

/* ---- growing ---- */

static keep choose_keep(const mk_gram *gram, size_t count, size_t *length) {
  double stored = 0.0, budget = (double)gram->control->cache;
  for (size_t f = 0; f < gram->families; f++)
    stored += storable(gram, f);
  double n = (double)mk_set_samples(gram->set), a = (double)count, row = sizeof(double);
  *length = 0;
  if (stored == 0.0)
    return KEEP_NONE;
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
static mk_status relayout(mk_gram *gram, size_t f, size_t old_count, keep old_kept, size_t length) {
  double **old = gram->base[f], **rows = MK_NEW0(double *, gram->count);
  if (rows == NULL)
    return MK_NO_MEMORY;
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
      gather(old[i], gram->sample, gram->count, rows[i]);
    else if (i < old_count)
      memcpy(rows[i], old[i], old_count * sizeof(double));
    if (i < old_count) {
      mk_free(old[i]);
      old[i] = NULL;
    }
  }
  for (size_t i = 0; old != NULL && i < old_count; i++)
    mk_free(old[i]);
  mk_free(old);
  return status;
}

/* New columns of old rows are old columns of new rows. */
static void mirror(mk_gram *gram, size_t f, size_t old_count) {
  for (size_t i = 0; i < old_count; i++)
    for (size_t j = old_count; j < gram->count; j++)
      gram->base[f][i][j] = gram->base[f][j][i];
}

/* Fills base rows old_count.. of all stored families. */
static mk_status fill_bases(mk_gram *gram, size_t old_count) {
  double ***stored = gram->base;
  size_t n = mk_set_samples(gram->set);
  mk_status status = MK_OK;
  for (size_t i = old_count; i < gram->count; i++)
    gram->list[i - old_count] = (int)i;
  mk_columns columns = gram->kept == KEEP_ALL ? mk_run(0, n) : mk_list(gram->sample, gram->count);
  size_t chunk = chunk_size(gram, columns.count);
  for (size_t f = 0; f < gram->families && status == MK_OK; f++) {
    if (stored[f] == NULL)
      continue;
    int threads = mk_family_serial(gram->set, f) ? 1 : gram->threads;
    for (size_t r = old_count; r < gram->count && status == MK_OK; r += MK_BLOCK_ROWS) {
      size_t height = gram->count - r < MK_BLOCK_ROWS ? gram->count - r : MK_BLOCK_ROWS;
      long chunks = (long)((columns.count + chunk - 1) / chunk);
      MK_TRY(mk_check(gram->control));
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
#endif
      for (long k = 0; k < chunks; k++) {
        int thread = mk_thread_number();
        double *buffer = mk_scratch_block(gram->scratch[thread]);
        size_t from = (size_t)k * chunk;
        mk_columns part = mk_part(&columns, from, columns.count - from < chunk ? columns.count - from : chunk);
        mk_status done = mk_base_block(gram->set, f, gram->sample + r, height, &part, buffer,
                                       MK_BLOCK_COLS, gram->scratch[thread]);
        for (size_t i = 0; i < height && done == MK_OK; i++)
          memcpy(stored[f][r + i] + from, buffer + i * MK_BLOCK_COLS, part.count * sizeof(double));
        if (done != MK_OK) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
          status = done;
        }
      }
    }
    if (status == MK_OK && gram->kept == KEEP_CANDIDATES)
      mirror(gram, f, old_count);
  }
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
  if (gram->cache == NULL || gram->diagonal == NULL)
    return MK_NO_MEMORY;
  gram->bytes = held + mk_cache_bytes(gram->cache) + size * sizeof(double);
  if (gram->bytes > gram->most_bytes)
    gram->most_bytes = gram->bytes;
  return MK_OK;
}

mk_status mk_gram_extend(mk_gram *gram, const int *samples, size_t count) {
  size_t old_count = gram->count, length;
  keep old_kept = gram->kept;
  keep kept = choose_keep(gram, old_count + count, &length);
  if (kept == KEEP_NONE)
    drop_bases(gram);
  for (size_t k = 0; k < count; k++) {
    gram->sample[old_count + k] = samples[k];
    gram->chosen[samples[k]] = 1;
  }
  gram->serial = 0;
  for (size_t f = 0; f < gram->families; f++) {
    if (kept == KEEP_NONE || !storable(gram, f)) {
      gram->serial |= mk_family_serial(gram->set, f);
      continue;
    }
    gram->count = old_count + count;
    gram->kept = kept;
    mk_status status = relayout(gram, f, old_count, old_kept, length);
    if (status != MK_OK)
      return status;
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

/* ---- mixture rows ---- */

typedef struct mixing {
  mk_gram *gram;
  double **target; /* one row per row of the sweep, by number in the block */
} mixing;

static void mix_row(void *data, size_t f, size_t r, const block *b, const double *base, int thread) {
  mixing *mix = data;
  double *out = mix->target[r] + b->from;
  if (f == 0)
    memset(out, 0, b->count * sizeof *out);
  mk_mixture_add(mix->gram->mixture, f, mix->gram->sample[b->rows[r]], &b->columns, base, out,
                 mix->gram->scratch[thread]);
}

static void mix_finish(void *data, const block *b, int thread) {
  mixing *mix = data;
  (void)thread;
  for (size_t r = 0; r < b->row_count; r++)
    mk_mixture_centre(mix->gram->mixture, mix->gram->sample[b->rows[r]], &b->columns,
                      mix->target[r] + b->from);
}

/* At most MK_BLOCK_ROWS rows into `target`. */
static mk_status fill_rows(mk_gram *gram, const int *rows, size_t row_count, double **target) {
  mixing mix = {gram, target};
  sweep s = {.rows = rows, .row_count = row_count, .count = gram->count, .visit = mix_row,
             .finish = mix_finish};
  s.positions = gram->list;
  s.samples = gram->sample;
  for (size_t c = 0; c < gram->count; c++)
    gram->list[c] = (int)c;
  size_t size = mk_padded(gram->count);
  for (size_t r = 0; r < row_count; r++)
    for (size_t c = gram->count; c < size; c++)
      target[r][c] = 0.0;
  return run_sweep(gram, &s, &mix);
}

const double *mk_gram_row(void *data, size_t i, mk_status *status) {
  mk_gram *gram = data;
  int fresh, position = (int)i;
  double *row = mk_cache_row(gram->cache, i, &fresh);
  if (fresh)
    return row;
  *status = fill_rows(gram, &position, 1, &row);
  return *status == MK_OK ? row : NULL;
}

/* ---- responses ---- */

static int is_support(const mk_alphas *alphas, size_t i) {
  for (size_t t = 0; t < alphas->tasks; t++)
    if (alphas->alpha[t][i] != 0.0)
      return 1;
  return 0;
}

static void add_row(const mk_alphas *alphas, size_t i, const double *row, size_t count, double **out) {
  const mk_simd *simd = mk_simd_best();
  for (size_t t = 0; t < alphas->tasks; t++) {
    double weight = alphas->alpha[t][i];
    if (weight == 0.0)
      continue;
    simd->axpy(count, weight, row, out[t]);
  }
}

/* Support rows go through the cache: SMO asks for them next. */
mk_status mk_gram_response(mk_gram *gram, const mk_alphas *alphas, double **out) {
  size_t most = mk_cache_capacity(gram->cache), i = 0, a = gram->count;
  most = most < MK_BLOCK_ROWS ? most : MK_BLOCK_ROWS;
  for (size_t t = 0; t < alphas->tasks; t++)
    memset(out[t], 0, a * sizeof(double));
  while (i < a) {
    int batch[MK_BLOCK_ROWS], stale[MK_BLOCK_ROWS], fresh;
    double *row[MK_BLOCK_ROWS], *target[MK_BLOCK_ROWS];
    size_t rows = 0, fill = 0;
    for (; i < a && rows < most; i++) {
      if (!is_support(alphas, i))
        continue;
      row[rows] = mk_cache_row(gram->cache, i, &fresh);
      batch[rows] = (int)i;
      if (!fresh) {
        stale[fill] = (int)i;
        target[fill++] = row[rows];
      }
      rows++;
    }
    if (fill > 0)
      MK_TRY(fill_rows(gram, stale, fill, target));
    for (size_t r = 0; r < rows; r++)
      add_row(alphas, (size_t)batch[r], row[r], a, out);
  }
  return MK_OK;
}

typedef struct responding {
  mixing mix;         /* target: one block per thread, set by the visitor */
  const mk_alphas *alphas;
  double **out;
  double *rows;       /* threads x MK_BLOCK_ROWS x MK_BLOCK_COLS */
} responding;

static double *response_row(responding *to, int thread, size_t r) {
  return to->rows + ((size_t)thread * MK_BLOCK_ROWS + r) * MK_BLOCK_COLS;
}

static void respond_row(void *data, size_t f, size_t r, const block *b, const double *base,
                        int thread) {
  responding *to = data;
  double *out = response_row(to, thread, r);
  if (f == 0)
    memset(out, 0, b->count * sizeof *out);
  mk_mixture_add(to->mix.gram->mixture, f, to->mix.gram->sample[b->rows[r]], &b->columns, base, out,
                 to->mix.gram->scratch[thread]);
}

static void respond_finish(void *data, const block *b, int thread) {
  responding *to = data;
  const mk_simd *simd = mk_simd_best();
  for (size_t r = 0; r < b->row_count; r++) {
    double *row = response_row(to, thread, r);
    mk_mixture_centre(to->mix.gram->mixture, to->mix.gram->sample[b->rows[r]], &b->columns, row);
    for (size_t t = 0; t < to->alphas->tasks; t++) {
      double weight = to->alphas->alpha[t][b->rows[r]];
      if (weight != 0.0)
        simd->axpy(b->count, weight, row, to->out[t] + b->from);
    }
  }
}

static size_t list_support(mk_gram *gram, const mk_alphas *alphas, int *list) {
  size_t count = 0;
  for (size_t i = 0; i < gram->count; i++)
    if (is_support(alphas, i))
      list[count++] = (int)i;
  return count;
}

mk_status mk_gram_response_all(mk_gram *gram, const mk_alphas *alphas, double **out) {
  size_t n = mk_set_samples(gram->set);
  responding to = {.mix = {gram, NULL}, .alphas = alphas, .out = out};
  to.rows = MK_NEW(double, (size_t)gram->threads * MK_BLOCK_ROWS * MK_BLOCK_COLS);
  if (to.rows == NULL)
    return MK_NO_MEMORY;
  for (size_t t = 0; t < alphas->tasks; t++)
    memset(out[t], 0, n * sizeof(double));
  sweep s = {.rows = gram->list, .count = n, .visit = respond_row, .finish = respond_finish};
  s.row_count = list_support(gram, alphas, gram->list);
  mk_status status = run_sweep(gram, &s, &to);
  mk_free(to.rows);
  return status;
}

/* ---- quadratic forms ---- */

typedef struct forming {
  mk_gram *gram;
  const mk_alphas *alphas;
  const double *alpha;     /* member responses: weights of the columns, by column */
  int square;              /* 1: weights alpha_i alpha_j, each pair once */
} forming;

static void pair_weights(const forming *form, const block *b, size_t r, double *weight) {
  if (!form->square) {
    memcpy(weight, form->alpha + b->from, b->count * sizeof *weight);
    return;
  }
  memset(weight, 0, b->count * sizeof *weight);
  for (size_t t = 0; t < form->alphas->tasks; t++) {
    const double *alpha = form->alphas->alpha[t];
    double own = alpha[b->rows[r]];
    for (size_t c = 0; own != 0.0 && c < b->count; c++)
      weight[c] += own * alpha[b->positions[c]];
  }
  /* columns behind this block of rows stand for their mirror images too */
  int last = b->rows[b->row_count - 1];
  for (size_t c = 0; c < b->count; c++)
    if (b->positions[c] > last)
      weight[c] *= 2.0;
}

static void form_row(void *data, size_t f, size_t r, const block *b, const double *base, int thread) {
  forming *form = data;
  mk_scratch *scratch = form->gram->scratch[thread];
  double *weight = mk_scratch_row(scratch, 1);
  pair_weights(form, b, r, weight);
  mk_sums_add(form->gram->sums[thread], f, form->gram->sample[b->rows[r]], &b->columns, base, weight,
              scratch);
}

mk_status mk_gram_forms(mk_gram *gram, const mk_alphas *alphas, double *s) {
  forming form = {.gram = gram, .alphas = alphas, .square = 1};
  size_t count = list_support(gram, alphas, gram->list);
  int *samples = MK_NEW(int, count + 1);
  if (samples == NULL)
    return MK_NO_MEMORY;
  for (size_t k = 0; k < count; k++)
    samples[k] = gram->sample[gram->list[k]];
  for (int t = 0; t < gram->threads; t++)
    mk_sums_clear(gram->sums[t]);
  sweep sw = {.rows = gram->list, .row_count = count, .positions = gram->list, .samples = samples,
              .count = count, .symmetric = 1, .visit = form_row};
  mk_status status = run_sweep(gram, &sw, &form);
  for (int t = 1; t < gram->threads; t++)
    mk_sums_merge(gram->sums[0], gram->sums[t]);
  mk_sums_read(gram->sums[0], s);
  mk_free(samples);
  return status;
}

/* One row after another; each row's sums belong to one thread. */
mk_status mk_gram_member_responses(mk_gram *gram, const double *alpha, const int *positions,
                                   size_t count, double *u) {
  mk_alphas alphas = {1, (double **)&alpha};
  size_t kernels = mk_set_kernels(gram->set), support = list_support(gram, &alphas, gram->list);
  int *samples = MK_NEW(int, support + 1);
  double *weight = MK_NEW(double, support + 1);
  mk_status status = samples == NULL || weight == NULL ? MK_NO_MEMORY : mk_check(gram->control);
  for (size_t k = 0; status == MK_OK && k < support; k++) {
    samples[k] = gram->sample[gram->list[k]];
    weight[k] = alpha[gram->list[k]];
  }
  forming form = {.gram = gram, .alpha = weight};
  int threads = gram->serial ? 1 : gram->threads;
  if (status == MK_OK) {
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static, 8) if (threads > 1)
#endif
    for (long i = 0; i < (long)count; i++) {
      int thread = mk_thread_number();
      mk_sums_clear(gram->sums[thread]);
      for (size_t from = 0; from < support; from += MK_BLOCK_COLS) {
        size_t part = support - from < MK_BLOCK_COLS ? support - from : MK_BLOCK_COLS;
        block b = {.rows = positions + i, .row_count = 1, .positions = gram->list + from,
                   .from = from, .count = part, .columns = mk_list(samples + from, part)};
        mk_status done = visit_block(gram, &b, thread, form_row, &form);
        if (done != MK_OK) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
          status = done;
        }
      }
      mk_sums_read(gram->sums[thread], u + (size_t)i * kernels);
    }
  }
  mk_free(samples);
  mk_free(weight);
  return status;
}
