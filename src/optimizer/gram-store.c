/* Stored base rows: each value is made once, its mirror image is copied. */
#include "base/memory.h"
#include "gram-internal.h"

#include <string.h>

void mk_store_clear(mk_store *store) {
  for (size_t k = 0; k < store->slabs; k++) mk_free(store->slab[k]);
  mk_free(store->slab);
  mk_free(store->row);
  memset(store, 0, sizeof *store);
}

/* Memory for the rows first..count of a store, in one piece. */
static mk_status add_slab(mk_store *store, size_t first, size_t count, size_t length, int single) {
  size_t size = mk_row_size(single);
  void **slab = MK_NEW(void *, store->slabs + 1), **row = MK_NEW(void *, count);
  char *values =
      length > (size_t)-1 / (count + 1) ? NULL : mk_alloc((count - first) * length, size);
  if (slab == NULL || row == NULL || values == NULL) {
    mk_free(slab);
    mk_free(row);
    mk_free(values);
    return MK_NO_MEMORY;
  }
  if (store->slabs > 0) memcpy(slab, store->slab, store->slabs * sizeof *slab);
  if (first > 0) memcpy(row, store->row, first * sizeof *row);
  for (size_t i = first; i < count; i++) row[i] = values + (i - first) * length * size;
  mk_free(store->slab);
  mk_free(store->row);
  store->slab = slab;
  store->row = row;
  store->slab[store->slabs++] = values;
  store->bytes += (count - first) * length * size;
  store->length = length;
  return MK_OK;
}

/* Rows over the candidates outgrow their room: old ones move to a new store. */
static mk_status relayout(mk_gram *gram, mk_store *store, size_t old_count) {
  mk_store old = *store;
  memset(store, 0, sizeof *store);
  mk_status status = add_slab(store, 0, gram->count, gram->row_length, gram->single);
  for (size_t i = 0; i < old_count && status == MK_OK; i++)
    memcpy(store->row[i], old.row[i], old_count * mk_row_size(gram->single));
  mk_gram_account(gram, old.bytes);
  mk_store_clear(&old);
  return status;
}

/* ---- filling ---- */

/* Rows first..count are new. Columns come in three parts: the old candidates, the new ones, and
 * the other samples where rows go over all. */
typedef struct filling {
  mk_gram *gram;
  size_t family, first;
  int mirrored; /* 1: new rows find the old candidates' columns in their rows, 0: the converse */
} filling;

typedef struct strip {
  size_t from, to; /* columns */
  size_t computed; /* rows from here to count are computed ... */
  size_t copied;   /* ... those from here to `to_copied` are mirror images */
  size_t to_copied;
} strip;

static size_t strips(size_t columns) {
  return (columns + MK_BLOCK_COLS - 1) / MK_BLOCK_COLS;
}

static strip columns_from(size_t k, size_t from, size_t to) {
  from += k * MK_BLOCK_COLS;
  return (strip){.from = from, .to = to - from < MK_BLOCK_COLS ? to : from + MK_BLOCK_COLS};
}

static strip strip_at(const filling *fill, size_t k) {
  size_t first = fill->first, count = fill->gram->count, old = strips(first);
  strip s;
  if (k < old) {
    s = columns_from(k, 0, first);
    s.computed = fill->mirrored ? count : first;
    s.copied = first;
    s.to_copied = fill->mirrored ? count : first;
  } else if (k - old < strips(count - first)) {
    s = columns_from(k - old, first, count);
    s.computed = s.from;
    s.copied = fill->mirrored ? first : 0;
    s.to_copied = s.from;
  } else {
    s = columns_from(k - old - strips(count - first), count, fill->gram->row_values);
    s.computed = first;
    s.copied = s.to_copied = 0;
  }
  return s;
}

static mk_status compute_strip(void *data, size_t k, int thread) {
  const filling *fill = data;
  mk_gram *gram = fill->gram;
  strip s = strip_at(fill, k);
  if (s.computed == gram->count) return MK_OK;
  mk_columns columns = mk_list(gram->sample + s.from, s.to - s.from);
  mk_row out = {gram->base[fill->family].row[s.computed], gram->single};
  return mk_base_block(gram->bases, fill->family, gram->sample + s.computed,
                       gram->count - s.computed, &columns, mk_row_from(out, s.from),
                       gram->row_length, gram->scratch[thread]);
}

#define EDGE 32 /* of the squares that are copied at a time */

static mk_status copy_strip(void *data, size_t k, int thread) {
  const filling *fill = data;
  strip s = strip_at(fill, k);
  void **row = fill->gram->base[fill->family].row;
  (void)thread;
  for (size_t r0 = s.copied; r0 < s.to_copied; r0 += EDGE)
    for (size_t c0 = s.from; c0 < s.to; c0 += EDGE)
      for (size_t r = r0; r < mk_smaller(r0 + EDGE, s.to_copied); r++)
        if (fill->gram->single)
          for (size_t c = c0; c < mk_smaller(c0 + EDGE, s.to); c++)
            ((float *)row[r])[c] = ((const float *)row[c])[r];
        else
          for (size_t c = c0; c < mk_smaller(c0 + EDGE, s.to); c++)
            ((double *)row[r])[c] = ((const double *)row[c])[r];
  return MK_OK;
}

mk_status mk_gram_fill_store(mk_gram *gram, size_t f, size_t first, mk_keep old_kept) {
  mk_store *store = &gram->base[f];
  int all = gram->kept == KEEP_ALL;
  mk_team *team = mk_family_serial(gram->set, f) ? NULL : gram->control->team;
  int fits = old_kept == gram->kept && store->length == gram->row_length;
  if (all && !fits) first = 0;
  if (all || fits)
    MK_TRY(add_slab(store, first, gram->count, gram->row_length, gram->single));
  else
    MK_TRY(relayout(gram, store, first));
  filling fill = {gram, f, first, all};
  size_t candidates = strips(first) + strips(gram->count - first);
  size_t others = strips(gram->row_values - gram->count);
  MK_TRY(mk_for_each(candidates + others, team, gram->control, compute_strip, &fill));
  return mk_for_each(candidates, gram->control->team, gram->control, copy_strip, &fill);
}
