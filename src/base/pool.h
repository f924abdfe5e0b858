/* Blocks of memory that are freed together: those of an object, or of one call. Callers allocate
 * all blocks and check once for failure. */
#ifndef MK_POOL_H
#define MK_POOL_H

#include "base/status.h"

#include <stddef.h>

/* A pool begins as {NULL}. */
typedef struct mk_pool {
  void *newest;
  size_t bytes;
  int failed; /* 1 if an allocation failed */
} mk_pool;

/* Allocate like mk_alloc and mk_calloc. If they return NULL, `failed` is set. */
void *mk_pool_alloc(mk_pool *pool, size_t count, size_t size);
void *mk_pool_calloc(mk_pool *pool, size_t count, size_t size);
mk_status mk_pool_status(const mk_pool *pool); /* returns MK_NO_MEMORY if the pool has failed */
void mk_pool_free(mk_pool *pool);

#define MK_TAKE(pool, type, count) ((type *)mk_pool_alloc((pool), (count), sizeof(type)))
#define MK_TAKE0(pool, type, count) ((type *)mk_pool_calloc((pool), (count), sizeof(type)))

#endif
