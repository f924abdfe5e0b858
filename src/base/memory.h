/* Checked allocation: sizes are multiplied without overflow, blocks are
 * aligned for vector loads and zeroed on request. */
#ifndef MK_MEMORY_H
#define MK_MEMORY_H

#include <stddef.h>

void *mk_alloc(size_t count, size_t size); /* NULL on overflow or no memory */
void *mk_calloc(size_t count, size_t size);
void mk_free(void *pointer); /* NULL is fine */
/* A block of `count` that begins with the first `used` of the old one (or NULL), which is freed;
 * NULL: no memory, and the old one stays. */
void *mk_grown(void *old, size_t used, size_t count, size_t size);

/* A block kept for the next time: fresh memory is dear. Start from {NULL}. */
typedef struct mk_buffer {
  void *at;
  size_t bytes, touched;
  int slow; /* large pages that took long */
} mk_buffer;

/* At least count x size bytes, whose contents are undefined; NULL: no memory. */
void *mk_buffer_need(mk_buffer *buffer, size_t count, size_t size);
/* So many bytes from its start are to be written: gets them from the system, whose large pages are
 * given up where they turn out to be slow. */
void mk_buffer_touch(mk_buffer *buffer, size_t bytes);
void mk_buffer_free(mk_buffer *buffer);

#define MK_NEW(type, count) ((type *)mk_alloc((count), sizeof(type)))
#define MK_NEW0(type, count) ((type *)mk_calloc((count), sizeof(type)))

#endif
