/* Mixture rows, responses and quadratic forms from blocks of base values. */
#include "base/memory.h"
#include "kernel/local.h"
#include "gram-internal.h"

#include <string.h>

/* ---- mixture rows ---- */

#define TOGETHER ((size_t)8 * MK_BLOCK_ROWS) /* rows that are made at a time */

typedef struct mixing {
  mk_gram *gram;
  mk_row *target; /* one for each row of the sweep */
} mixing;

static void mix_row(void *data, size_t f, size_t r, const mk_gram_block *b, mk_row base,
                    int thread) {
  mixing *mix = data;
  mk_row out = mk_row_from(mix->target[b->first + r], b->from);
  if (mk_gram_matrices_whole(mix->gram, f)) {
    if (f == 0) mk_row_clear(out, b->count);
    return;
  }
  mk_mixture_add(mix->gram->mixture, f, mix->gram->sample[b->rows[r]], &b->columns, base, out,
                 mix->gram->scratch[thread]);
}

static void mix_finish(void *data, const mk_gram_block *b, int thread) {
  mixing *mix = data;
  for (size_t r = 0; r < b->row_count; r++)
    mk_mixture_centre(mix->gram->mixture, mix->gram->sample[b->rows[r]], &b->columns,
                      mk_row_from(mix->target[b->first + r], b->from), mix->gram->scratch[thread]);
}

static mk_status fill_rows(mk_gram *gram, const int *rows, size_t row_count, mk_row *target) {
  mixing mix = {gram, target};
  mk_sweep s = {.rows = rows,
                .row_count = row_count,
                .count = gram->count,
                .mixing = 1,
                .visit = mix_row,
                .finish = mix_finish};
  size_t size = mk_padded(gram->count);
  for (size_t r = 0; r < row_count; r++)
    mk_row_clear(mk_row_from(target[r], gram->count), size - gram->count);
  MK_TRY(mk_gram_sweep(gram, &s, &mix));
  mk_gram_matrices_rows(gram, rows, row_count, target);
  return MK_OK;
}

/* 1: no row has to make way for another. */
static int has_room(const mk_gram *gram) {
  return mk_cache_capacity(gram->cache) >= gram->count;
}

/* One row alone reads all features of all columns. */
static int rows_are_dear(const mk_gram *gram) {
  return gram->kept == KEEP_NONE || mk_set_explicit(gram->set);
}

#define FEW 4 /* rows after one that are looked at where most of them are made already */

/* Those after row i are taken along where that spares work and no row makes way for them, but that
 * of thin features, of which hardly any is asked for. */
static size_t batch_size(const mk_gram *gram, size_t i) {
  size_t most = mk_smaller(MK_BLOCK_ROWS, gram->count), stale = 0;
  if (gram->is_thin) return mk_smaller(most, mk_cache_capacity(gram->cache) - 2);
  if (!rows_are_dear(gram) || !has_room(gram)) return 1;
  if (mk_set_explicit(gram->set)) return most;
  for (size_t k = 0; k < most; k++) stale += !mk_cache_holds(gram->cache, (i + k) % gram->count);
  return 4 * stale >= 3 * most ? most : mk_smaller(most, FEW);
}

mk_row mk_gram_row(void *data, size_t i, mk_status *status) {
  mk_gram *gram = data;
  int fresh, position[MK_BLOCK_ROWS];
  mk_row target[MK_BLOCK_ROWS], row = mk_cache_row(gram->cache, i, &fresh);
  if (fresh) return row;
  size_t count = 0, most = batch_size(gram, i);
  target[count] = row;
  position[count++] = (int)i;
  for (size_t k = 1; k < most; k++) {
    size_t next = (i + k) % gram->count;
    mk_row other = mk_cache_row(gram->cache, next, &fresh);
    if (fresh) continue;
    target[count] = other;
    position[count++] = (int)next;
  }
  *status = fill_rows(gram, position, count, target);
  if (*status != MK_OK) row.at = NULL;
  return row;
}

mk_status mk_gram_fetch(void *data, const int *positions, size_t count) {
  mk_gram *gram = data;
  size_t room = mk_cache_capacity(gram->cache) / 2, from = 0;
  if (count > room && !has_room(gram)) count = room;
  while (from < count) {
    int stale[TOGETHER], fresh;
    mk_row target[TOGETHER];
    size_t fill = 0;
    for (; from < count && fill < TOGETHER; from++) {
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
  MK_TRY(mk_gram_fetch(gram, positions, *count));
  for (size_t k = 0; k < *count; k++) {
    rows[k] = mk_gram_row(gram, (size_t)positions[k], &status);
    if (rows[k].at == NULL) return status;
  }
  return MK_OK;
}

mk_status mk_gram_fetch_last(mk_gram *gram, size_t count) {
  if (gram->is_thin || !has_room(gram)) return MK_OK;
  for (size_t k = 0; k < count; k++) gram->list[k] = (int)(gram->count - count + k);
  return mk_gram_fetch(gram, gram->list, count);
}

mk_svm_rows mk_gram_svm_rows(mk_gram *gram) {
  int chunks = rows_are_dear(gram) && !has_room(gram);
  return (mk_svm_rows){.row = mk_gram_row,
                       .fetch = chunks ? mk_gram_fetch : NULL,
                       .data = gram,
                       .single = gram->single,
                       .unit = mk_gram_unit(gram)};
}

/* ---- responses ---- */

static int is_support(const mk_alphas *alphas, size_t i) {
  for (size_t t = 0; t < alphas->tasks; t++)
    if (alphas->alpha[t][i] != 0.0) return 1;
  return 0;
}

static size_t list_support(mk_gram *gram, const mk_alphas *alphas, int *list) {
  size_t count = 0;
  for (size_t i = 0; i < gram->count; i++)
    if (is_support(alphas, i)) list[count++] = (int)i;
  return count;
}

#define LITTLE 65536       /* values that one thread adds up sooner than two */
#define PART MK_BLOCK_ROWS /* rows that are still in the processor's cache when they are added */

/* Rows of candidates that have been made and are to be added up. */
typedef struct adding {
  const mk_alphas *alphas;
  const int *positions;
  size_t rows, count, chunk; /* columns in all and of a task */
  mk_row row[PART];
  double **out;
} adding;

static mk_status add_chunk(void *data, size_t k, int thread) {
  const adding *add = data;
  size_t from = k * add->chunk, count = mk_smaller(add->chunk, add->count - from);
  (void)thread;
  for (size_t r = 0; r < add->rows; r++)
    for (size_t t = 0; t < add->alphas->tasks; t++) {
      double weight = add->alphas->alpha[t][add->positions[r]];
      mk_row row = mk_row_from(add->row[r], from);
      if (weight != 0.0)
        mk_simd_best()->rows[row.single].axpy(count, weight, row.at, add->out[t] + from);
    }
  return MK_OK;
}

/* Support rows go through the cache: SMO asks for them next. */
mk_status mk_gram_response(mk_gram *gram, const mk_alphas *alphas, double **out) {
  if (mk_gram_matrices_only(gram)) return mk_gram_matrices_response(gram, alphas, 0, out);
  if (gram->is_thin) return mk_gram_feature_response(gram, alphas, out);
  size_t a = gram->count, support = list_support(gram, alphas, gram->list);
  adding add = {.alphas = alphas, .count = a, .chunk = mk_sweep_chunk(gram, a), .out = out};
  for (size_t t = 0; t < alphas->tasks; t++) memset(out[t], 0, a * sizeof(double));
  for (size_t k = 0; k < support; k += add.rows) {
    add.positions = gram->list + k;
    add.rows = mk_smaller(PART, support - k);
    MK_TRY(mk_gram_rows(gram, add.positions, &add.rows, add.row));
    int little = add.rows * a * alphas->tasks <= LITTLE;
    MK_TRY(mk_deal_out((a + add.chunk - 1) / add.chunk, little ? NULL : gram->control->team,
                       add_chunk, &add));
  }
  return mk_gram_is_model(gram) ? mk_gram_correct(gram, alphas, out) : MK_OK;
}

typedef struct responding {
  mixing mix; /* target: one block per thread, set by the visitor */
  const mk_alphas *alphas;
  double *sum;  /* tasks x n, by position */
  double *rows; /* threads x MK_BLOCK_ROWS x MK_BLOCK_COLS */
} responding;

static mk_row response_row(responding *to, int thread, size_t r) {
  mk_row rows = {to->rows, to->mix.gram->single};
  return mk_row_from(rows, ((size_t)thread * MK_BLOCK_ROWS + r) * MK_BLOCK_COLS);
}

static void respond_row(void *data, size_t f, size_t r, const mk_gram_block *b, mk_row base,
                        int thread) {
  responding *to = data;
  mk_row out = response_row(to, thread, r);
  mk_mixture_add(to->mix.gram->mixture, f, to->mix.gram->sample[b->rows[r]], &b->columns, base, out,
                 to->mix.gram->scratch[thread]);
}

static void respond_finish(void *data, const mk_gram_block *b, int thread) {
  responding *to = data;
  const mk_gram *gram = to->mix.gram;
  const mk_row_loops *loops = &mk_simd_best()->rows[gram->single];
  size_t n = mk_set_samples(gram->set);
  for (size_t r = 0; r < b->row_count; r++) {
    mk_row row = response_row(to, thread, r);
    mk_mixture_centre(gram->mixture, gram->sample[b->rows[r]], &b->columns, row,
                      gram->scratch[thread]);
    for (size_t t = 0; t < to->alphas->tasks; t++) {
      double weight = to->alphas->alpha[t][b->rows[r]];
      if (weight != 0.0) loops->axpy(b->count, weight, row.at, to->sum + t * n + b->from);
    }
  }
}

mk_status mk_gram_response_others(mk_gram *gram, const mk_alphas *alphas, double **out) {
  if (mk_gram_matrices_only(gram)) return mk_gram_matrices_response(gram, alphas, 1, out);
  size_t n = mk_set_samples(gram->set), a = gram->count;
  responding to = {.mix = {gram, NULL}, .alphas = alphas};
  to.rows = MK_NEW(double, (size_t)gram->threads *MK_BLOCK_ROWS *MK_BLOCK_COLS);
  to.sum = MK_NEW0(double, alphas->tasks *n);
  mk_sweep s = {.rows = gram->list,
                .from = a,
                .count = n - a,
                .visit = respond_row,
                .finish = respond_finish};
  s.row_count = list_support(gram, alphas, gram->list);
  mk_status status =
      to.rows == NULL || to.sum == NULL ? MK_NO_MEMORY : mk_gram_sweep(gram, &s, &to);
  for (size_t t = 0; status == MK_OK && t < alphas->tasks; t++)
    for (size_t k = 0; k < n; k++) out[t][gram->sample[k]] = to.sum[t * n + k];
  mk_free(to.rows);
  mk_free(to.sum);
  return status == MK_OK ? mk_gram_add_features(gram, alphas, out) : status;
}

/* ---- quadratic forms ---- */

/* 1: pairs have nothing to give. */
static int only_directly(const mk_gram *gram) {
  for (size_t f = 0; f < gram->families; f++)
    if (!mk_family_explicit(gram->set, f) && !mk_family_all_local(gram->set, f)) return 0;
  return 1;
}

static mk_status direct_forms(mk_gram *gram, const mk_alphas *alphas, double *s) {
  MK_TRY(mk_gram_linear_forms(gram, alphas, s));
  MK_TRY(mk_gram_local_forms(gram, alphas, s));
  return mk_gram_feature_forms(gram, alphas, s);
}

/* The samples of these candidates. */
static mk_status pack_candidates(const mk_gram *gram, const int *positions, size_t count,
                                 mk_packed **packed) {
  int *sample = MK_NEW(int, count + 1);
  if (sample == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < count; k++) sample[k] = gram->sample[positions[k]];
  mk_status status = mk_packed_new(packed, gram->bases, sample, count);
  mk_free(sample);
  return status;
}

typedef struct forming {
  mk_gram *gram;
  const mk_alphas *alphas;
  mk_packed *packed;    /* the columns ... */
  const double *column; /* ... and their alphas: tasks x count */
  size_t count;
  int square;     /* 1: weights alpha_i alpha_j, each pair once; 0: alpha_j */
  double *weight; /* threads x height x MK_BLOCK_COLS: what all families of a block share */
  size_t height;
  mk_sums **sums; /* threads x group: member responses need one for each row of a block */
  size_t group;
} forming;

static void pair_weights(const forming *form, const mk_gram_block *b, size_t r, double *weight) {
  if (!form->square) {
    memcpy(weight, form->column + b->from, b->count * sizeof *weight);
    return;
  }
  /* columns behind this block of rows stand for their mirror images too */
  int last = b->rows[b->row_count - 1];
  size_t once = 0;
  while (once < b->count && b->positions[once] <= last) once++;
  memset(weight, 0, b->count * sizeof *weight);
  for (size_t t = 0; t < form->alphas->tasks; t++) {
    const double *column = form->column + t * form->count + b->from;
    double own = form->alphas->alpha[t][b->rows[r]];
    if (own == 0.0) continue;
    mk_simd_best()->axpy(once, own, column, weight);
    mk_simd_best()->axpy(b->count - once, 2.0 * own, column + once, weight + once);
  }
}

static void form_row(void *data, size_t f, size_t r, const mk_gram_block *b, mk_row base,
                     int thread) {
  forming *form = data;
  mk_gram *gram = form->gram;
  size_t at = (size_t)thread * form->height + (form->height > 1 ? r : 0);
  double *weight = form->weight + at * MK_BLOCK_COLS;
  if (f == 0) pair_weights(form, b, r, weight);
  if (!mk_family_has_base(gram->set, f)) return; /* see gram-matrices.c */
  mk_sums *sums = form->sums[(size_t)thread * form->group + (form->group > 1 ? r : 0)];
  mk_sums_add(sums, f, gram->sample[b->rows[r]], &b->columns, base, weight, gram->scratch[thread]);
}

/* Room for the weights of a block; of one row after another when there is one family. */
static mk_status forming_new(forming *form, size_t rows) {
  form->sums = form->gram->sums;
  form->group = 1;
  form->height = form->gram->families > 1 ? rows : 1;
  form->weight = MK_NEW(double, (size_t)form->gram->threads * form->height * MK_BLOCK_COLS);
  return form->weight != NULL ? MK_OK : MK_NO_MEMORY;
}

mk_status mk_gram_forms(mk_gram *gram, const mk_alphas *alphas, double *s) {
  if (only_directly(gram)) return direct_forms(gram, alphas, s);
  forming form = {.gram = gram, .alphas = alphas, .square = 1};
  size_t count = list_support(gram, alphas, gram->list);
  double *column = MK_NEW(double, alphas->tasks *count + 1);
  mk_status status = column == NULL ? MK_NO_MEMORY : forming_new(&form, MK_BLOCK_ROWS);
  if (status == MK_OK) status = pack_candidates(gram, gram->list, count, &form.packed);
  form.column = column;
  form.count = count;
  for (size_t t = 0; status == MK_OK && t < alphas->tasks; t++)
    for (size_t k = 0; k < count; k++) column[t * count + k] = alphas->alpha[t][gram->list[k]];
  for (int t = 0; t < gram->threads; t++) mk_sums_clear(gram->sums[t]);
  mk_sweep sw = {.rows = gram->list,
                 .row_count = count,
                 .positions = gram->list,
                 .packed = form.packed,
                 .count = count,
                 .symmetric = 1,
                 .visit = form_row};
  if (status == MK_OK) status = mk_gram_sweep(gram, &sw, &form);
  for (int t = 1; t < gram->threads; t++) mk_sums_merge(gram->sums[0], gram->sums[t]);
  mk_sums_read(gram->sums, 1, s);
  mk_packed_free(form.packed);
  mk_free(column);
  mk_free(form.weight);
  if (status == MK_OK) status = mk_gram_matrices_forms(gram, alphas, s);
  return status == MK_OK ? direct_forms(gram, alphas, s) : status;
}

size_t mk_gram_generators(const mk_gram *gram) {
  return mk_sums_generators(gram->sums[0]);
}

void mk_gram_expand(const mk_gram *gram, const double *generators, double *out) {
  mk_sums_expand(gram->sums[0], generators, out);
}

#define GROUP 16     /* rows that gather their columns together, ... */
#define MOST 1000000 /* ... up to so many kernels, each of which costs memory by row */

static void free_group(forming *form) {
  if (form->sums == form->gram->sums) return;
  for (size_t k = 0; form->sums != NULL && k < (size_t)form->gram->threads * form->group; k++)
    mk_sums_free(form->sums[k]);
  mk_free(form->sums);
}

static mk_status group_rows(forming *form) {
  const mk_gram *gram = form->gram;
  size_t count = (size_t)gram->threads * GROUP;
  if (mk_set_kernels(gram->set) * count > MOST) return MK_OK;
  form->group = GROUP;
  form->sums = MK_NEW0(mk_sums *, count);
  for (size_t k = 0; form->sums != NULL && k < count; k++)
    if ((form->sums[k] = mk_gram_sums(gram)) == NULL) return MK_NO_MEMORY;
  return form->sums != NULL ? MK_OK : MK_NO_MEMORY;
}

/* Responses at some positions, of which `width` numbers are read off each row's sums. */
typedef struct replies {
  forming form;
  const int *positions;
  size_t count, support, width;
  void (*read)(mk_sums *const *, size_t, double *);
  double *u;
} replies;

/* One group of rows against all support vectors. Its sums belong to one thread. */
static mk_status reply(void *data, size_t k, int thread) {
  replies *to = data;
  forming *form = &to->form;
  size_t first = k * form->group, rest = to->count - first;
  mk_sums **sums = form->sums + (size_t)thread * form->group;
  mk_gram_block b = {.packed = form->packed,
                     .rows = to->positions + first,
                     .row_count = rest < form->group ? rest : form->group};
  for (size_t r = 0; r < b.row_count; r++) mk_sums_clear(sums[r]);
  for (b.from = 0; b.from < to->support; b.from += MK_BLOCK_COLS) {
    rest = to->support - b.from;
    b.count = rest < MK_BLOCK_COLS ? rest : MK_BLOCK_COLS;
    b.positions = form->gram->list + b.from;
    MK_TRY(mk_gram_visit(form->gram, &b, thread, form_row, form));
  }
  to->read(sums, b.row_count, to->u + first * to->width);
  return MK_OK;
}

static mk_status respond(mk_gram *gram, const double *alpha, const int *positions, size_t count,
                         void (*read)(mk_sums *const *, size_t, double *), size_t width,
                         double *u) {
  mk_alphas alphas = {1, (double **)&alpha};
  if (only_directly(gram)) return mk_check(gram->control);
  size_t support = list_support(gram, &alphas, gram->list);
  double *weight = MK_NEW(double, support + 1);
  replies to = {.form = {.gram = gram, .column = weight, .sums = gram->sums},
                .positions = positions,
                .count = count,
                .support = support,
                .width = width,
                .read = read,
                .u = u};
  mk_status status = weight == NULL ? MK_NO_MEMORY : mk_check(gram->control);
  for (size_t k = 0; status == MK_OK && k < support; k++) weight[k] = alpha[gram->list[k]];
  if (status == MK_OK) status = pack_candidates(gram, gram->list, support, &to.form.packed);
  if (status == MK_OK) status = forming_new(&to.form, 1);
  if (status == MK_OK) status = group_rows(&to.form);
  if (status == MK_OK)
    status = mk_deal_out((count + to.form.group - 1) / to.form.group,
                         gram->serial ? NULL : gram->control->team, reply, &to);
  free_group(&to.form);
  mk_packed_free(to.form.packed);
  mk_free(weight);
  mk_free(to.form.weight);
  return status;
}

mk_status mk_gram_generator_responses(mk_gram *gram, const double *alpha, const int *positions,
                                      size_t count, double *u) {
  MK_TRY(
      respond(gram, alpha, positions, count, mk_sums_read_generators, mk_gram_generators(gram), u));
  MK_TRY(mk_gram_local_member_responses(gram, alpha, positions, count, 1, u));
  MK_TRY(mk_gram_feature_member_responses(gram, alpha, positions, count, 1, u));
  return mk_gram_matrices_member_responses(gram, alpha, positions, count, 1, u);
}

mk_status mk_gram_member_responses(mk_gram *gram, const double *alpha, const int *positions,
                                   size_t count, double *u) {
  MK_TRY(respond(gram, alpha, positions, count, mk_sums_read, mk_set_kernels(gram->set), u));
  MK_TRY(mk_gram_local_member_responses(gram, alpha, positions, count, 0, u));
  MK_TRY(mk_gram_feature_member_responses(gram, alpha, positions, count, 0, u));
  return mk_gram_matrices_member_responses(gram, alpha, positions, count, 0, u);
}
