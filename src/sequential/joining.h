/* Who joins the active kernels after a scan, and the pool of kernels that are scanned more often
 * than all are. */
#ifndef MK_JOINING_H
#define MK_JOINING_H

#include "sequential/active-set.h"

typedef struct mk_joining {
  const mk_stream *stream;
  size_t insert;        /* most kernels that join at once; 0: chosen */
  double *strength;     /* of the kernels scanned last, by place in the scan */
  double *peak;         /* the same of those that exceed their neighbours; -infinity elsewhere */
  size_t *place;        /* most: kernels that stand out */
  size_t *pool, pooled; /* the pool, by rising number */
  size_t most;          /* kernels that the pool has room for; all: there is none */
} mk_joining;

mk_status mk_joining_new(mk_joining *joining, const mk_stream *stream,
                         const mk_sequential_settings *settings);
void mk_joining_clear(mk_joining *joining);

/* The strongest kernels of a scan, of all or of the pool, that exceed the active ones by `margin`
 * of their strength join: *joined of them. A scan of all chooses the pool anew. */
mk_status mk_join(mk_joining *joining, mk_active_set *active, int whole, double margin,
                  size_t *joined);

/* A number of kernels, in inverse proportion to the samples where these are many: then fits are
 * dear beside scans. */
size_t mk_by_samples(size_t samples, size_t most, size_t least);

#endif
