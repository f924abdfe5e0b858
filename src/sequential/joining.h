/* The choice of kernels that join the active ones after a scan, and of the pool, whose kernels are
 * scanned more often. */
#ifndef MK_JOINING_H
#define MK_JOINING_H

#include "base/pool.h"
#include "sequential/active-set.h"

typedef struct mk_joining {
  const mk_stream *stream;
  size_t insert;    /* most kernels that join at once; 0: chosen automatically */
  double *strength; /* strengths of the last scan, by place in the scan */
  /* strengths of kernels that exceed their neighbours, -infinity for others */
  double *peak;
  size_t *place;        /* most: places of joining kernels */
  size_t *pool, pooled; /* numbers of the pool's kernels, rising */
  size_t most;          /* size of the pool; the size of the stream if there is no pool */
  mk_pool memory;       /* owns the vectors above */
} mk_joining;

mk_status mk_joining_new(mk_joining *joining, const mk_stream *stream,
                         const mk_sequential_settings *settings);
void mk_joining_clear(mk_joining *joining);

/* Adds the strongest kernels of a scan (of all, or of the pool) that exceed the active ones by the
 * share `margin`; *joined is their number. A scan of all chooses the pool anew. */
mk_status mk_join(mk_joining *joining, mk_active_set *active, int whole, double margin,
                  size_t *joined);

/* Returns a number of kernels between `least` and `most`, in inverse proportion to the samples if
 * these are many, since fits then cost more than scans. */
size_t mk_by_samples(size_t samples, size_t most, size_t least);

#endif
