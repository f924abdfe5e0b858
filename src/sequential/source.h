/* Streams of kernels from descriptions. Kernel sets are made a block at a time, and only the scale
 * of a kernel is stored. */
#ifndef MK_SOURCE_H
#define MK_SOURCE_H

#include "normalize/normalize.h"
#include "sequential/stream.h"

/* A source of descriptions. */
typedef struct mk_source {
  void *self;
  size_t size, samples;
  int serial; /* 1 if `open` and its sets call back, so that only one thread may use them */
  /* Makes a set of some kernels, by rising number, without normalisation, and says how each is to
   * be normalised (scaling and centred of the constants). Only the limits and the team of control
   * are used. `selected` is 1 if the kernels will be fitted, and are likely to be asked for again,
   * 0 if they are scanned. */
  mk_status (*open)(void *self, const size_t *which, size_t count, const mk_control *control,
                    int selected, mk_kernel_set **set, mk_constants *constants);
  void (*close)(void *self, mk_kernel_set *set);
} mk_source;

typedef struct mk_sourced mk_sourced;
/* Makes a stream over the source, which must outlive it. */
mk_status mk_sourced_new(mk_sourced **sourced, const mk_source *source, mk_stream *stream);
void mk_sourced_free(mk_sourced *sourced);
/* Returns the first kernel found that cannot be normalised (with MK_BAD_ARGUMENT); size: none. */
size_t mk_sourced_bad(const mk_sourced *sourced);
/* Return the number of constant kernels seen so far, and whether kernel m is one of them. */
size_t mk_sourced_constants(const mk_sourced *sourced);
int mk_sourced_is_constant(const mk_sourced *sourced, size_t m);

#endif
