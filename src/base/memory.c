#define _DEFAULT_SOURCE /* madvise */
#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

#define ALIGNMENT 64
#define LARGE ((size_t)1 << 22) /* bytes from which on large pages spare the system work */

/* First touch of fresh memory goes page by page: the larger, the quicker. */
static void ask_for_large_pages(char *block, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const uintptr_t page = 4096;
  uintptr_t from = ((uintptr_t)block + page - 1) / page * page, to = (uintptr_t)block + bytes;
  if (bytes >= LARGE) (void)madvise((void *)from, (to - from) / page * page, MADV_HUGEPAGE);
#else
  (void)block;
  (void)bytes;
#endif
}

/* malloc with the original pointer kept just below the aligned block: works
 * on every C library, unlike aligned_alloc. */
void *mk_alloc(size_t count, size_t size) {
  if (size != 0 && count > (SIZE_MAX - ALIGNMENT - sizeof(void *)) / size) return NULL;
  size_t bytes = count * size;
  char *raw = malloc(bytes + ALIGNMENT + sizeof(void *));
  if (raw == NULL) return NULL;
  uintptr_t start = (uintptr_t)(raw + sizeof(void *));
  uintptr_t shift = (ALIGNMENT - start % ALIGNMENT) % ALIGNMENT;
  char *block = raw + sizeof(void *) + shift;
  memcpy(block - sizeof(void *), &raw, sizeof(void *));
  ask_for_large_pages(block, bytes);
  return block;
}

void *mk_calloc(size_t count, size_t size) {
  void *block = mk_alloc(count, size);
  if (block != NULL) memset(block, 0, count * size);
  return block;
}

void mk_free(void *pointer) {
  if (pointer == NULL) return;
  void *raw;
  memcpy(&raw, (char *)pointer - sizeof(void *), sizeof(void *));
  free(raw);
}

void *mk_buffer_need(mk_buffer *buffer, size_t count, size_t size) {
  if (buffer->at != NULL && (size == 0 || count <= buffer->bytes / size)) return buffer->at;
  mk_buffer_free(buffer);
  buffer->at = mk_alloc(count, size);
  if (buffer->at != NULL) buffer->bytes = count * size;
  return buffer->at;
}

void mk_buffer_free(mk_buffer *buffer) {
  mk_free(buffer->at);
  *buffer = (mk_buffer){NULL, 0};
}
