/* Base values in blocks, on all threads. Called by gram-bases.c and gram-pairs.c. MATHEMATICS.md,
 * section 4.1. */
#include "gram-sweep.h"

#include "rows/gram-bases.h"
#include "rows/gram-store.h"
#include "rows/packed.h"

#define STRIP_ROWS ((size_t)16 * MK_BLOCK_ROWS)
/* operations to compute or read a base value, in addition to one per family */
#define VALUE_OPERATIONS 32

/* Returns row r of the block: in the store, or gathered into `buffer`. */
static mk_row stored_row(const mk_base_rows *b, size_t f, const mk_sweep_block *block, size_t r,
                         void *buffer) {
  mk_row row = mk_stored_row(b, f, (size_t)block->rows[r]), out = {buffer, b->at->single};
  if (block->positions == NULL) return mk_row_from(row, block->from);
  mk_row_gather(row, block->positions, block->count, out);
  return out;
}

/* Returns 1 if the samples of a list belong to the working set and are stored. */
static int is_stored(const mk_base_rows *b, size_t f, const mk_sweep_block *block) {
  if (b->store[f].at == NULL) return 0;
  return block->positions != NULL || block->from + block->count <= b->stored;
}

mk_status mk_visit_bases(mk_base_rows *b, mk_sweep_block *block, int thread, mk_base_visitor visit,
                         void *data) {
  const mk_gram_context *at = b->at;
  mk_scratch *scratch = at->scratch[thread];
  mk_row buffer = mk_scratch_block(scratch, at->single);
  int rows[MK_BLOCK_ROWS];
  for (size_t r = 0; r < block->row_count; r++) rows[r] = at->sample[block->rows[r]];
  block->others = mk_packed_samples(block->packed, block->from, block->count);
  for (size_t f = 0; f < b->families; f++) {
    if (!mk_family_has_base(at->set, f)) continue;
    int stored = is_stored(b, f, block);
    if (!stored)
      MK_TRY(mk_base_block(b->bases, f, rows, block->row_count, &block->others, buffer,
                           MK_BLOCK_COLS, scratch));
    for (size_t r = 0; r < block->row_count; r++)
      visit(data, f, r, block,
            stored ? stored_row(b, f, block, r, mk_scratch_row(scratch, 0))
                   : mk_row_from(buffer, r * MK_BLOCK_COLS),
            thread);
  }
  return MK_OK;
}

int mk_calls_functions(const mk_base_rows *b, size_t last) {
  return b->functions && last > b->stored;
}

size_t mk_column_chunk(const mk_gram_context *at, size_t count) {
  size_t chunk = (count + (size_t)at->threads - 1) / (size_t)at->threads;
  chunk = mk_padded(chunk < MK_BLOCK_ROWS ? MK_BLOCK_ROWS : chunk);
  return mk_smaller(chunk, MK_BLOCK_COLS);
}

/* A task of a sweep: one chunk of samples against some rows. */
typedef struct strip {
  mk_base_rows *b;
  const mk_base_sweep *sweep;
  void *data;
  size_t first, last, chunk; /* rows; other samples of a block */
} strip;

static mk_status visit_block(const strip *strip, size_t row, size_t from, size_t to, int thread) {
  const mk_base_sweep *s = strip->sweep;
  mk_sweep_block block = {.rows = s->rows + row,
                          .first = row,
                          .row_count = mk_smaller(MK_BLOCK_ROWS, strip->last - row),
                          .from = from,
                          .count = to - from,
                          .packed = s->packed != NULL ? s->packed : strip->b->packed};
  block.positions = s->positions != NULL ? s->positions + from : NULL;
  MK_TRY(mk_visit_bases(strip->b, &block, thread, s->visit, strip->data));
  if (s->finish != NULL) s->finish(strip->data, &block, thread);
  return MK_OK;
}

static mk_status visit_chunk(void *data, size_t k, int thread) {
  const strip *strip = data;
  const mk_base_sweep *s = strip->sweep;
  size_t from = s->from + k * strip->chunk;
  size_t to = mk_smaller(from + strip->chunk, s->from + s->count);
  for (size_t row = strip->first; row < strip->last; row += MK_BLOCK_ROWS) {
    size_t first = s->symmetric && row > from ? row : from;
    if (s->symmetric && !mk_takes_block(strip->b->at->control, row / MK_BLOCK_ROWS)) continue;
    if (first < to) MK_TRY(visit_block(strip, row, first, to, thread));
  }
  return MK_OK;
}

mk_status mk_sweep_bases(mk_base_rows *b, const mk_base_sweep *s, void *data) {
  strip strip = {.b = b, .sweep = s, .data = data, .chunk = mk_column_chunk(b->at, s->count)};
  size_t chunks = (s->count + strip.chunk - 1) / strip.chunk;
  size_t last = s->positions != NULL ? b->at->count : s->from + s->count;
  for (; strip.first < s->row_count; strip.first = strip.last) {
    size_t height = mk_smaller(STRIP_ROWS, s->row_count - strip.first);
    double operations = (double)(height * s->count) * (double)(VALUE_OPERATIONS + b->families);
    strip.last = strip.first + height;
    mk_team *team = mk_calls_functions(b, last) ? NULL : b->at->control->team;
    if (height > 1) MK_TRY(mk_check(b->at->control));
    MK_TRY(mk_deal_out(chunks, mk_team_worth(team, operations), visit_chunk, &strip));
  }
  return MK_OK;
}
