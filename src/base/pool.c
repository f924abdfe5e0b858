#include "pool.h"

#include "memory.h"

/* Pool entries are stored apart from their blocks, so that writing beside a block is detectable. */
typedef struct entry {
  struct entry *older;
  void *block;
} entry;

/* Keeps a block of `bytes`, NULL where there was no memory for it. */
static void *keep_block(mk_pool *pool, void *block, size_t bytes) {
  entry *own = block != NULL ? MK_NEW(entry, 1) : NULL;
  if (own == NULL) {
    mk_free(block);
    pool->failed = 1;
    return NULL;
  }
  *own = (entry){pool->newest, block};
  pool->newest = own;
  pool->bytes += bytes;
  return block;
}

void *mk_pool_alloc(mk_pool *pool, size_t count, size_t size) {
  return keep_block(pool, mk_alloc(count, size), count * size);
}

void *mk_pool_calloc(mk_pool *pool, size_t count, size_t size) {
  return keep_block(pool, mk_calloc(count, size), count * size);
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
