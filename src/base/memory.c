#define _DEFAULT_SOURCE /* madvise, posix_memalign */
#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

#define ALIGNMENT 64
#define LARGE ((size_t)1 << 22) /* bytes above which large pages save the system work */
#define LARGE_PAGE ((size_t)1 << 21)

#ifdef MK_EXACT_BLOCKS
/* Allocates blocks that end exactly at their size, so that memory checkers of test builds see any
 * access beyond it. */
static void *aligned(size_t count, size_t size, int zeroed) {
  void *block;
  if (size != 0 && count > (SIZE_MAX - LARGE_PAGE) / size) return NULL;
  size_t bytes = count * size;
  if (posix_memalign(&block, bytes < LARGE ? ALIGNMENT : LARGE_PAGE, bytes) != 0) return NULL;
  if (zeroed) memset(block, 0, bytes);
  return block;
}

static void give_back(void *block) {
  free(block);
}
#else
/* Asks for large pages, since the system fills in fresh memory page by page at its first use. */
static void ask_for_pages(char *block, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const uintptr_t page = 4096;
  uintptr_t from = ((uintptr_t)block + page - 1) / page * page, to = (uintptr_t)block + bytes;
  if (bytes >= LARGE) (void)madvise((void *)from, (to - from) / page * page, MADV_HUGEPAGE);
#else
  (void)block;
  (void)bytes;
#endif
}

/* Allocates by malloc or calloc and stores the original pointer below the aligned block, which
 * works on every C library, unlike aligned_alloc. Large zeroed blocks take memory only where they
 * are written, since the system's pages are zero. */
static void *aligned(size_t count, size_t size, int zeroed) {
  if (size != 0 && count > (SIZE_MAX - LARGE_PAGE - sizeof(void *)) / size) return NULL;
  size_t bytes = count * size, alignment = bytes < LARGE ? ALIGNMENT : LARGE_PAGE;
  size_t room = bytes + alignment + sizeof(void *);
  char *raw = zeroed ? calloc(room, 1) : malloc(room);
  if (raw == NULL) return NULL;
  uintptr_t start = (uintptr_t)(raw + sizeof(void *));
  uintptr_t shift = (alignment - start % alignment) % alignment;
  char *block = raw + sizeof(void *) + shift;
  memcpy(block - sizeof(void *), &raw, sizeof(void *));
  ask_for_pages(block, bytes);
  return block;
}

static void give_back(void *block) {
  void *raw;
  memcpy(&raw, (char *)block - sizeof(void *), sizeof(void *));
  free(raw);
}
#endif

void *mk_alloc(size_t count, size_t size) {
  return aligned(count, size, 0);
}

void *mk_calloc(size_t count, size_t size) {
  return aligned(count, size, 1);
}

void mk_free(void *pointer) {
  if (pointer != NULL) give_back(pointer);
}

void *mk_grown(void *old, size_t used, size_t count, size_t size) {
  void *block = mk_alloc(count, size);
  if (block == NULL) return NULL;
  if (used > 0) memcpy(block, old, used * size);
  mk_free(old);
  return block;
}

void *mk_buffer_need(mk_buffer *buffer, size_t count, size_t size) {
  if (buffer->at != NULL && (size == 0 || count <= buffer->bytes / size)) return buffer->at;
  mk_buffer_free(buffer);
  buffer->at = mk_alloc(count, size);
  if (buffer->at != NULL) buffer->bytes = count * size;
  return buffer->at;
}

/* A single thread touches the pages, since two that need the same page would both make one. */
void mk_buffer_touch(mk_buffer *buffer, size_t bytes) {
  for (; buffer->touched < bytes && buffer->touched < buffer->bytes; buffer->touched += LARGE_PAGE)
    *((volatile char *)buffer->at + buffer->touched) = 0;
}

void mk_buffer_free(mk_buffer *buffer) {
  mk_free(buffer->at);
  *buffer = (mk_buffer){.at = NULL};
}
