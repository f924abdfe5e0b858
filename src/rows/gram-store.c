/* Stored base rows over the working set: each value is computed once, and its mirror image is
 * copied. Called by gram-bases.c. MATHEMATICS.md, section 4.1. */
#include "gram-store.h"

#include "base/mechanisms.h"
#include "rows/gram-bases.h"

#include <math.h>
#include <string.h>

static int is_storable(const mk_base_rows *b, size_t f) {
  return MK_WITH_STORED_BASES && mk_family_has_base(b->at->set, f) &&
         mk_family_worth_storing(b->at->set, f);
}

static size_t family_bytes(const mk_base_rows *b) {
  return b->stored * b->stored * mk_row_size(b->at->single);
}

size_t mk_store_bytes(const mk_base_rows *b) {
  size_t families = 0;
  for (size_t f = 0; f < b->families; f++) families += b->store[f].at != NULL;
  return families * family_bytes(b);
}

void mk_store_free(mk_base_rows *b) {
  for (size_t f = 0; b->store != NULL && f < b->families; f++) mk_buffer_free(&b->store[f]);
  b->stored = 0;
}

static mk_row row_of(const mk_base_rows *b, void *values, size_t i, size_t length) {
  return mk_row_from((mk_row){values, b->at->single}, i * length);
}

mk_row mk_stored_row(const mk_base_rows *b, size_t f, size_t i) {
  return row_of(b, b->store[f].at, i, b->stored);
}

/* ---- filling ---- */

/* A task of filling. Rows from `first` on are new. Their values at old samples are computed; the
 * square of new samples is computed below its diagonal; new values of old rows are copied. */
typedef struct filling {
  const mk_base_rows *b;
  size_t family, first, count;
  void *values; /* count x count */
} filling;

typedef struct strip {
  size_t from, to; /* samples */
  size_t computed; /* first row to compute; earlier rows are mirror images */
} strip;

static size_t strips(size_t samples) {
  return (samples + MK_BLOCK_COLS - 1) / MK_BLOCK_COLS;
}

static strip strip_at(const filling *fill, size_t k) {
  size_t old = strips(fill->first), is_old = k < old;
  size_t from = is_old ? k * MK_BLOCK_COLS : fill->first + (k - old) * MK_BLOCK_COLS;
  size_t to = mk_smaller(from + MK_BLOCK_COLS, is_old ? fill->first : fill->count);
  return (strip){from, to, is_old ? fill->first : from};
}

static mk_status compute_strip(void *data, size_t k, int thread) {
  const filling *fill = data;
  const mk_gram_context *at = fill->b->at;
  strip s = strip_at(fill, k);
  mk_samples others = mk_list(at->sample + s.from, s.to - s.from);
  mk_row out = row_of(fill->b, fill->values, s.computed, fill->count);
  return mk_base_block(fill->b->bases, fill->family, at->sample + s.computed,
                       fill->count - s.computed, &others, mk_row_from(out, s.from), fill->count,
                       at->scratch[thread]);
}

static mk_status copy_strip(void *data, size_t k, int thread) {
  const filling *fill = data;
  strip s = strip_at(fill, k);
  size_t n = fill->count;
  float *narrow = fill->values;
  double *wide = fill->values;
  (void)thread;
  for (size_t r0 = 0; s.from >= fill->first && r0 < s.computed; r0 += MK_BLOCK_ROWS)
    for (size_t c0 = s.from; c0 < s.to; c0 += MK_BLOCK_ROWS)
      for (size_t r = r0; r < mk_smaller(r0 + MK_BLOCK_ROWS, s.computed); r++)
        for (size_t c = c0; c < mk_smaller(c0 + MK_BLOCK_ROWS, s.to); c++)
          if (fill->b->at->single)
            narrow[r * n + c] = narrow[c * n + r];
          else
            wide[r * n + c] = wide[c * n + r];
  return MK_OK;
}

/* Makes room for rows of the whole working set and moves the present rows there. New memory is
 * allocated for all rows that may come (`later` bytes) if possible, since fresh memory is
 * expensive. */
static mk_status lengthen_rows(mk_base_rows *b, size_t f, size_t later) {
  const mk_gram_context *at = b->at;
  size_t size = mk_row_size(at->single), old = b->stored, count = at->count;
  mk_buffer *store = &b->store[f], former = *store;
  if (count * count * size > store->bytes) {
    *store = (mk_buffer){.at = NULL};
    if (mk_buffer_need(store, later / size, size) == NULL)
      mk_buffer_need(store, count * count, size);
  }
  if (store->at != NULL) mk_buffer_touch(store, count * count * size);
  for (size_t i = old; store->at != NULL && i-- > 0;)
    memmove(row_of(b, store->at, i, count).at, row_of(b, former.at, i, old).at, old * size);
  if (store->at != former.at) mk_buffer_free(&former);
  return store->at != NULL ? MK_OK : MK_NO_MEMORY;
}

/* Moves the existing rows to longer ones and computes the new ones. */
static mk_status extend_rows(mk_base_rows *b, size_t f, size_t later) {
  mk_gram_context *at = b->at;
  size_t old = b->stored;
  MK_TRY(lengthen_rows(b, f, later));
  filling fill = {b, f, old, at->count, b->store[f].at};
  mk_team *team = mk_family_serial(at->set, f) ? NULL : at->control->team;
  size_t tasks = strips(old) + strips(at->count - old);
  MK_TRY(mk_for_each(tasks, team, at->control, compute_strip, &fill));
  return mk_for_each(tasks, at->control->team, at->control, copy_strip, &fill);
}

/* Returns 1 if longer rows fit where the present ones are. */
static int grows_in_place(const mk_base_rows *b) {
  size_t need = b->at->count * b->at->count * mk_row_size(b->at->single);
  for (size_t f = 0; f < b->families; f++)
    if (b->store[f].at != NULL && b->store[f].bytes < need) return 0;
  return 1;
}

/* Stores bases rather than many rows of the mixture, which follow from bases at little cost. */
mk_status mk_store_grow(mk_base_rows *b, size_t budget) {
  mk_gram_context *at = b->at;
  size_t families = 0, held = grows_in_place(b) ? 0 : mk_store_bytes(b);
  for (size_t f = 0; f < b->families; f++) families += is_storable(b, f) != 0;
  double row = (double)at->count * (double)mk_row_size(at->single);
  double need = row * (double)at->count * (double)families;
  double all = (double)mk_row_size(at->single) * (double)at->n * (double)at->n;
  int fits = families > 0 && need + row * MK_ROWS_MADE <= (double)budget;
  if (!fits || (double)held + need > (double)budget) mk_store_free(b);
  if (!fits) return MK_OK;
  held = grows_in_place(b) ? 0 : mk_store_bytes(b);
  if (held + (size_t)need + at->row_memory.bytes > budget) mk_buffer_free(&at->row_memory);
  if (held > 0 && held + (size_t)need > at->most_bytes) at->most_bytes = held + (size_t)need;
  size_t later = (size_t)fmin(all, (double)budget / (double)families);
  for (size_t f = 0; f < b->families; f++)
    if (is_storable(b, f)) MK_TRY(extend_rows(b, f, later));
  b->stored = at->count;
  return MK_OK;
}
