/* Kernel rows in the order of their last use, in memory that the caller lends. Called by the row
 * providers of rows/. */
#include "cache.h"

#define NONE ((size_t)-1)
#define FEWEST_ROWS 4 /* a decomposition step holds two rows while it asks for a third */

/* A slot of the cache. Slots form a ring in order of last use; slot number `slots` is its end. */
typedef struct slot {
  size_t row, newer, older;
  unsigned long stamp; /* generation in which the slot was filled */
} slot;

struct mk_cache {
  size_t length, slots, used;
  int single;   /* 1 for floats, 0 for doubles */
  char *values; /* slots x length values; the caller's memory */
  mk_buffer *memory;
  size_t *slot_of; /* by row: its slot, or NONE */
  slot *slot;      /* slots + 1 */
  unsigned long generation;
};

/* Reserves memory for all rows that may be asked for later, since rows become longer and more
 * numerous. Untouched memory costs nothing, whereas touching other memory anew is expensive. */
static char *reserve(mk_buffer *memory, size_t values, int single, size_t bytes) {
  size_t size = mk_row_size(single), all = bytes / size;
  if (memory->at != NULL && values * size <= memory->bytes) return memory->at;
  char *at = all > values ? mk_buffer_need(memory, all, size) : NULL;
  return at != NULL ? at : mk_buffer_need(memory, values, size);
}

mk_cache *mk_cache_new(size_t rows, size_t length, int single, size_t bytes, size_t later,
                       mk_buffer *memory) {
  mk_cache *cache = MK_NEW0(mk_cache, 1);
  if (cache == NULL) return NULL;
  size_t fit = bytes / (length * mk_row_size(single) + 1);
  size_t slots = mk_smaller(fit < FEWEST_ROWS ? FEWEST_ROWS : fit, rows);
  *cache = (mk_cache){.length = length, .slots = slots, .single = single, .memory = memory};
  cache->generation = 1;
  if (length <= (size_t)-1 / 16 / slots)
    cache->values = reserve(memory, slots * length, single, mk_smaller(bytes, later));
  cache->slot_of = MK_NEW(size_t, rows);
  cache->slot = MK_NEW0(slot, slots + 1);
  if (cache->values == NULL || cache->slot_of == NULL || cache->slot == NULL) {
    mk_cache_free(cache);
    return NULL;
  }
  for (size_t i = 0; i < rows; i++) cache->slot_of[i] = NONE;
  cache->slot[slots].newer = cache->slot[slots].older = slots;
  return cache;
}

void mk_cache_free(mk_cache *cache) {
  if (cache == NULL) return;
  mk_free(cache->slot_of);
  mk_free(cache->slot);
  mk_free(cache);
}

static size_t row_bytes(const mk_cache *cache) {
  return cache->length * mk_row_size(cache->single);
}

size_t mk_cache_capacity(const mk_cache *cache) {
  return cache->slots;
}

size_t mk_cache_bytes(const mk_cache *cache) {
  return cache->slots * row_bytes(cache);
}

void mk_cache_invalidate(mk_cache *cache) {
  cache->generation++;
}

static void detach_slot(mk_cache *cache, size_t at) {
  const slot *own = &cache->slot[at];
  cache->slot[own->newer].older = own->older;
  cache->slot[own->older].newer = own->newer;
}

static void attach_newest(mk_cache *cache, size_t at) {
  slot *end = &cache->slot[cache->slots], *own = &cache->slot[at];
  own->newer = cache->slots;
  own->older = end->older;
  cache->slot[end->older].newer = at;
  end->older = at;
}

/* Returns a slot for a row that has none: a new one, or the slot of the least recently used row. */
static size_t give_slot(mk_cache *cache, size_t row) {
  size_t at = cache->used;
  if (at < cache->slots) {
    cache->used++;
    mk_buffer_touch(cache->memory, cache->used * row_bytes(cache));
  } else {
    at = cache->slot[cache->slots].newer;
    detach_slot(cache, at);
    cache->slot_of[cache->slot[at].row] = NONE;
  }
  cache->slot_of[row] = at;
  cache->slot[at].row = row;
  return at;
}

static int holds_row(const mk_cache *cache, size_t row) {
  size_t at = cache->slot_of[row];
  return at != NONE && cache->slot[at].stamp == cache->generation;
}

mk_row mk_cache_row(mk_cache *cache, size_t row, int *fresh) {
  size_t at = cache->slot_of[row];
  *fresh = holds_row(cache, row);
  if (at == NONE)
    at = give_slot(cache, row);
  else
    detach_slot(cache, at);
  attach_newest(cache, at);
  cache->slot[at].stamp = cache->generation;
  return (mk_row){cache->values + at * row_bytes(cache), cache->single};
}
