#include "pool.h"

#include "memory.h"

#include <stdint.h>
#include <string.h>

#define HEADER 64 /* bytes before a block, for the address of the one taken before it */

void *mk_pool_alloc(mk_pool *pool, size_t count, size_t size) {
  size_t extra = (HEADER + size - 1) / size;
  char *block = count > SIZE_MAX - extra ? NULL : mk_alloc(count + extra, size);
  if (block == NULL) {
    pool->failed = 1;
    return NULL;
  }
  memcpy(block, &pool->newest, sizeof pool->newest);
  pool->newest = block;
  pool->bytes += count * size;
  return block + HEADER;
}

void *mk_pool_calloc(mk_pool *pool, size_t count, size_t size) {
  void *block = mk_pool_alloc(pool, count, size);
  if (block != NULL) memset(block, 0, count * size);
  return block;
}

mk_status mk_pool_status(const mk_pool *pool) {
  return pool->failed ? MK_NO_MEMORY : MK_OK;
}

void mk_pool_free(mk_pool *pool) {
  while (pool->newest != NULL) {
    void *block = pool->newest;
    memcpy(&pool->newest, block, sizeof pool->newest);
    mk_free(block);
  }
  *pool = (mk_pool){NULL, 0, 0};
}
