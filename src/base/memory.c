#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64

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
