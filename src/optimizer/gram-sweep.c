/* Base values in blocks, on all threads. */
#include "gram-internal.h"

/* Row r of the block: a pointer into the store, or values copied to `buffer`. */
static mk_row stored_row(const mk_gram *gram, size_t f, const mk_gram_block *b, size_t r,
                         void *buffer) {
  mk_row row = {gram->base[f].row[b->rows[r]], gram->single}, out = {buffer, gram->single};
  if (b->positions == NULL) return mk_row_from(row, b->from);
  mk_row_gather(row, b->positions, b->count, out);
  return out;
}

/* Columns of a list are candidates. */
static int is_stored(const mk_gram *gram, size_t f, const mk_gram_block *b) {
  if (gram->base[f].row == NULL) return 0;
  return b->positions != NULL || b->from + b->count <= gram->row_values;
}

mk_status mk_gram_visit(mk_gram *gram, mk_gram_block *b, int thread, mk_gram_visitor visit,
                        void *data) {
  mk_scratch *scratch = gram->scratch[thread];
  mk_row buffer = mk_scratch_block(scratch, gram->single);
  int rows[MK_BLOCK_ROWS];
  for (size_t r = 0; r < b->row_count; r++) rows[r] = gram->sample[b->rows[r]];
  b->columns = mk_packed_columns(b->packed, b->from, b->count);
  for (size_t f = 0; f < gram->families; f++) {
    int stored = is_stored(gram, f, b);
    if (!stored && mk_family_has_base(gram->set, f))
      MK_TRY(mk_base_block(gram->bases, f, rows, b->row_count, &b->columns, buffer, MK_BLOCK_COLS,
                           scratch));
    int explicit = b->mixing && mk_family_explicit(gram->set, f);
    if (explicit)
      mk_mixture_block(gram->mixture, rows, b->row_count, &b->columns, buffer, MK_BLOCK_COLS,
                       scratch);
    for (size_t r = 0; r < b->row_count; r++) {
      mk_row base = {NULL, gram->single};
      if (stored)
        base = stored_row(gram, f, b, r, mk_scratch_row(scratch, 0));
      else if (mk_family_has_base(gram->set, f) || explicit)
        base = mk_row_from(buffer, r * MK_BLOCK_COLS);
      visit(data, f, r, b, base, thread);
    }
  }
  return MK_OK;
}

size_t mk_sweep_chunk(const mk_gram *gram, size_t count) {
  size_t chunk = (count + (size_t)gram->threads - 1) / (size_t)gram->threads;
  chunk = mk_padded(chunk < 64 ? 64 : chunk);
  return chunk < MK_BLOCK_COLS ? chunk : MK_BLOCK_COLS;
}

#define STRIP_ROWS ((size_t)16 * MK_BLOCK_ROWS)
#define SMALL_BLOCK 65536 /* values; below, sharing them costs more than it saves */

/* Many families add up, though each is a small part. */
static int is_little(const mk_gram *gram, size_t values) {
  return values + values * gram->families / 16 <= SMALL_BLOCK;
}

/* Some rows of a sweep. Each task takes one chunk of columns through all of them. */
typedef struct strip {
  mk_gram *gram;
  const mk_sweep *sweep;
  void *data;
  size_t first, last, chunk; /* rows; columns of a block */
} strip;

static mk_status visit_block(const strip *strip, size_t row, size_t from, size_t to, int thread) {
  const mk_sweep *s = strip->sweep;
  size_t rest = strip->last - row;
  mk_gram_block b = {.rows = s->rows + row,
                     .first = row,
                     .row_count = rest < MK_BLOCK_ROWS ? rest : MK_BLOCK_ROWS,
                     .from = from,
                     .count = to - from,
                     .packed = s->packed != NULL ? s->packed : strip->gram->packed,
                     .mixing = s->mixing};
  b.positions = s->positions != NULL ? s->positions + from : NULL;
  MK_TRY(mk_gram_visit(strip->gram, &b, thread, s->visit, strip->data));
  if (s->finish != NULL) s->finish(strip->data, &b, thread);
  return MK_OK;
}

static mk_status visit_chunk(void *data, size_t k, int thread) {
  const strip *strip = data;
  const mk_sweep *s = strip->sweep;
  size_t from = s->from + k * strip->chunk;
  size_t to = mk_smaller(from + strip->chunk, s->from + s->count);
  for (size_t row = strip->first; row < strip->last; row += MK_BLOCK_ROWS) {
    size_t first = s->symmetric && row > from ? row : from;
    if (first < to) MK_TRY(visit_block(strip, row, first, to, thread));
  }
  return MK_OK;
}

mk_status mk_gram_sweep(mk_gram *gram, const mk_sweep *s, void *data) {
  strip strip = {.gram = gram, .sweep = s, .data = data, .chunk = mk_sweep_chunk(gram, s->count)};
  size_t chunks = (s->count + strip.chunk - 1) / strip.chunk;
  for (; strip.first < s->row_count; strip.first = strip.last) {
    size_t rest = s->row_count - strip.first, height = rest < STRIP_ROWS ? rest : STRIP_ROWS;
    strip.last = strip.first + height;
    int little = is_little(gram, height * s->count);
    if (height > 1) MK_TRY(mk_check(gram->control));
    MK_TRY(mk_deal_out(chunks, little || gram->serial ? NULL : gram->control->team, visit_chunk,
                       &strip));
  }
  return MK_OK;
}
