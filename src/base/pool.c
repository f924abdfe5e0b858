#include "pool.h"

#include "memory.h"

#include <string.h>

/* Pool entries are stored apart from their blocks, so that writing before or behind a block is
 * detectable. */
typedef struct entry {
  struct entry *older;
  void *block;
} entry;

void *mk_pool_alloc(mk_pool *pool, size_t count, size_t size) {
  entry *own = MK_NEW(entry, 1);
  void *block = own != NULL ? mk_alloc(count, size) : NULL;
  if (block == NULL) {
    mk_free(own);
    pool->failed = 1;
    return NULL;
  }
  *own = (entry){pool->newest, block};
  pool->newest = own;
  pool->bytes += count * size;
  return block;
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
    entry *own = pool->newest;
    pool->newest = own->older;
    mk_free(own->block);
    mk_free(own);
  }
  *pool = (mk_pool){NULL, 0, 0};
}
