/* A cache of kernel rows with a byte budget. The least recently used row is replaced, and all rows
 * become invalid when the mixture changes. */
#ifndef MK_CACHE_H
#define MK_CACHE_H

#include "base/memory.h"
#include "base/row.h"

#include <stddef.h>

typedef struct mk_cache mk_cache;

/* Makes a cache for rows 0 .. rows - 1 of `length` floats or doubles. It keeps as many as fit into
 * `bytes`, at least four. They are stored in `memory`, which outlives the cache and is reused by
 * the next one; it may grow to `later` bytes, reserved now because touching fresh memory is
 * expensive. */
mk_cache *mk_cache_new(size_t rows, size_t length, int single, size_t bytes, size_t later,
                       mk_buffer *memory);
void mk_cache_free(mk_cache *cache);
size_t mk_cache_capacity(const mk_cache *cache); /* number of rows that fit */
size_t mk_cache_bytes(const mk_cache *cache);
void mk_cache_invalidate(mk_cache *cache);
/* Returns the memory of a row. *fresh is 1 if it holds the row, 0 if the caller must fill it. */
mk_row mk_cache_row(mk_cache *cache, size_t row, int *fresh);

#endif
