/* A cache of kernel rows with a byte budget: the least recently used row makes
 * room, and all rows go stale together when the mixture changes. */
#ifndef MK_CACHE_H
#define MK_CACHE_H

#include "base/memory.h"
#include "base/row.h"

#include <stddef.h>

typedef struct mk_cache mk_cache;

/* Rows 0..rows-1 of `length` floats or doubles; as many are kept as fit into
 * `bytes`, at least four. They lie in `memory`, which outlives the cache and
 * serves the next one, which may come to ask for `later` bytes: to touch fresh
 * memory is dear. */
mk_cache *mk_cache_new(size_t rows, size_t length, int single, size_t bytes, size_t later,
                       mk_buffer *memory);
void mk_cache_free(mk_cache *cache);
size_t mk_cache_capacity(const mk_cache *cache); /* rows that fit */
size_t mk_cache_bytes(const mk_cache *cache);
void mk_cache_invalidate(mk_cache *cache);
/* Memory of a row; *fresh tells whether it still holds the row, else fill it. */
mk_row mk_cache_row(mk_cache *cache, size_t row, int *fresh);

#endif
