/* Blocks of memory that live and die together: an object's, or one call's. Callers take all that
 * they need and look once whether they got it. */
#ifndef MK_POOL_H
#define MK_POOL_H

#include "base/control.h"

#include <stddef.h>

/* Start from {NULL}. */
typedef struct mk_pool {
  void *newest;
  size_t bytes;
  int failed; /* 1: some block was not to be had */
} mk_pool;

/* As mk_alloc and mk_calloc; NULL leaves the pool failed. */
void *mk_pool_alloc(mk_pool *pool, size_t count, size_t size);
void *mk_pool_calloc(mk_pool *pool, size_t count, size_t size);
mk_status mk_pool_status(const mk_pool *pool); /* MK_NO_MEMORY where it failed */
void mk_pool_free(mk_pool *pool);

#define MK_TAKE(pool, type, count) ((type *)mk_pool_alloc((pool), (count), sizeof(type)))
#define MK_TAKE0(pool, type, count) ((type *)mk_pool_calloc((pool), (count), sizeof(type)))

#endif
