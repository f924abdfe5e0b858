#include "cache.h"

#include <string.h>

#define NONE ((size_t)-1)
#define FEWEST_ROWS 4 /* a decomposition step holds two rows while it asks for a third */

struct mk_cache {
  size_t rows, length, slots, used;
  int single;   /* floats, not doubles */
  char *values; /* slots x length values; in `memory`, which is not its own */
  mk_buffer *memory;
  size_t *slot_of;       /* row -> slot or NONE */
  size_t *row_of;        /* slot -> row */
  size_t *newer, *older; /* slots in order of last use */
  size_t newest, oldest;
  unsigned long *stamp; /* slot -> generation in which it was filled */
  unsigned long generation;
};

/* All that may be asked for later, too, since rows come to be longer and more: memory that nobody
 * has touched yet costs nothing, to touch other memory again is dear. */
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
  cache->single = single;
  cache->rows = rows;
  cache->memory = memory;
  cache->length = length;
  cache->slots = fit < FEWEST_ROWS ? FEWEST_ROWS : fit;
  if (cache->slots > rows) cache->slots = rows;
  cache->values = length > (size_t)-1 / 16 / cache->slots
                      ? NULL
                      : reserve(memory, cache->slots * length, single, mk_smaller(bytes, later));
  cache->slot_of = MK_NEW(size_t, rows);
  cache->row_of = MK_NEW(size_t, cache->slots);
  cache->newer = MK_NEW(size_t, cache->slots);
  cache->older = MK_NEW(size_t, cache->slots);
  cache->stamp = MK_NEW0(unsigned long, cache->slots);
  cache->newest = cache->oldest = NONE;
  cache->generation = 1;
  if (cache->values == NULL || cache->slot_of == NULL || cache->row_of == NULL ||
      cache->newer == NULL || cache->older == NULL || cache->stamp == NULL) {
    mk_cache_free(cache);
    return NULL;
  }
  for (size_t i = 0; i < rows; i++) cache->slot_of[i] = NONE;
  return cache;
}

void mk_cache_free(mk_cache *cache) {
  if (cache == NULL) return;
  mk_free(cache->slot_of);
  mk_free(cache->row_of);
  mk_free(cache->newer);
  mk_free(cache->older);
  mk_free(cache->stamp);
  mk_free(cache);
}

size_t mk_cache_capacity(const mk_cache *cache) {
  return cache->slots;
}

size_t mk_cache_bytes(const mk_cache *cache) {
  return cache->slots * cache->length * mk_row_size(cache->single);
}

void mk_cache_invalidate(mk_cache *cache) {
  cache->generation++;
}

static void detach(mk_cache *cache, size_t slot) {
  size_t newer = cache->newer[slot], older = cache->older[slot];
  if (newer != NONE)
    cache->older[newer] = older;
  else
    cache->newest = older;
  if (older != NONE)
    cache->newer[older] = newer;
  else
    cache->oldest = newer;
}

static void attach_newest(mk_cache *cache, size_t slot) {
  cache->newer[slot] = NONE;
  cache->older[slot] = cache->newest;
  if (cache->newest != NONE) cache->newer[cache->newest] = slot;
  cache->newest = slot;
  if (cache->oldest == NONE) cache->oldest = slot;
}

mk_row mk_cache_row(mk_cache *cache, size_t row, int *fresh) {
  size_t slot = cache->slot_of[row];
  if (slot == NONE) {
    if (cache->used < cache->slots) {
      slot = cache->used++;
      mk_buffer_touch(cache->memory, cache->used * cache->length * mk_row_size(cache->single));
    } else {
      slot = cache->oldest;
      detach(cache, slot);
      cache->slot_of[cache->row_of[slot]] = NONE;
    }
    cache->slot_of[row] = slot;
    cache->row_of[slot] = row;
    cache->stamp[slot] = 0;
  } else {
    detach(cache, slot);
  }
  attach_newest(cache, slot);
  *fresh = cache->stamp[slot] == cache->generation;
  cache->stamp[slot] = cache->generation;
  return (mk_row){cache->values + slot * cache->length * mk_row_size(cache->single), cache->single};
}
