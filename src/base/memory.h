/* Checked allocation: sizes are multiplied without overflow, blocks are
 * aligned for vector loads and zeroed on request. */
#ifndef MK_MEMORY_H
#define MK_MEMORY_H

#include <stddef.h>

void *mk_alloc(size_t count, size_t size); /* returns NULL on overflow or if there is no memory */
void *mk_calloc(size_t count, size_t size);
void mk_free(void *pointer); /* accepts NULL */
/* Returns a block of `count` elements that begins with the first `used` of the old one (or NULL),
 * which is freed. NULL: no memory; the old block stays. */
void *mk_grown(void *old, size_t used, size_t count, size_t size);

/* A block that is kept for reuse, since fresh memory is expensive. A buffer begins as {NULL}. */
typedef struct mk_buffer {
  void *at;
  size_t bytes, touched;
} mk_buffer;

/* Returns at least count x size bytes with undefined contents; NULL: no memory. */
void *mk_buffer_need(mk_buffer *buffer, size_t count, size_t size);
/* Gets so many bytes from the system before they are written. */
void mk_buffer_touch(mk_buffer *buffer, size_t bytes);
void mk_buffer_free(mk_buffer *buffer);

#define MK_NEW(type, count) ((type *)mk_alloc((count), sizeof(type)))
#define MK_NEW0(type, count) ((type *)mk_calloc((count), sizeof(type)))

#endif
