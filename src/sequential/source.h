/* A stream of kernels out of descriptions: kernel sets are made a block at a time, and all that is
 * kept of a kernel is its scale. */
#ifndef MK_SOURCE_H
#define MK_SOURCE_H

#include "normalize/normalize.h"
#include "sequential/stream.h"

/* Where the descriptions come from. */
typedef struct mk_source {
  void *self;
  size_t size, samples;
  int serial; /* 1: open and what its sets are asked for call back: one thread only */
  /* A set of some kernels, by rising number, not normalised, and how each is to be (scaling and
   * centred of the constants). Of control, the limits and the team count. selected: 1 where the
   * kernels are to be fitted, and likely to be asked for again; 0 where they are scanned. */
  mk_status (*open)(void *self, const size_t *which, size_t count, const mk_control *control,
                    int selected, mk_kernel_set **set, mk_constants *constants);
  void (*close)(void *self, mk_kernel_set *set);
} mk_source;

typedef struct mk_sourced mk_sourced;
/* *stream is over the source, which must outlive it. */
mk_status mk_sourced_new(mk_sourced **sourced, const mk_source *source, mk_stream *stream);
void mk_sourced_free(mk_sourced *sourced);
/* The first kernel found that can't be normalised (with MK_BAD_ARGUMENT); size: none. */
size_t mk_sourced_bad(const mk_sourced *sourced);
/* How many of the kernels looked at so far are constant, and whether kernel m is one of them. */
size_t mk_sourced_constants(const mk_sourced *sourced);
int mk_sourced_is_constant(const mk_sourced *sourced, size_t m);

#endif
