/* A dictionary of kernels, of any size, that is never held whole: kernels are numbered, and asked
 * for by number. An optimiser over it (sequential.h) needs their strengths s_m = alpha'K_m alpha
 * for given alphas, a stretch of numbers at a time, and kernel sets of a few of them. */
#ifndef MK_STREAM_H
#define MK_STREAM_H

#include "base/control.h"
#include "kernel/set.h"

/* Kernels whose strengths are wanted. */
typedef struct mk_scan {
  const double *alpha; /* n x tasks by columns; the tasks' strengths add up */
  size_t tasks;
  const size_t *which; /* their numbers; NULL: from, from + 1, ... */
  size_t from, count;
  int exact;        /* 1: the certificate's, in double precision, by code that shares nothing with
                     * the optimisers', and no smaller than the true ones by more than rounding */
  double *strength; /* count: out */
} mk_scan;

typedef struct mk_stream {
  void *self;
  size_t size, samples; /* kernels; n */
  /* Limits and interrupts are asked of control, whose team may be used. */
  mk_status (*strengths)(void *self, const mk_scan *scan, const mk_control *control);
  /* A set of some kernels, normalised, in the order given (rising); what it reads lives as long as
   * the stream. */
  mk_status (*select)(void *self, const size_t *which, size_t count, const mk_control *control,
                      mk_kernel_set **set);
  void (*release)(void *self, mk_kernel_set *set);
  /* 1 for kernels that are known to be the same for all samples: their strengths are 0, and no set
   * should have them. NULL: there are none. */
  int (*is_constant)(void *self, size_t kernel);
} mk_stream;

static inline size_t mk_scan_kernel(const mk_scan *scan, size_t k) {
  return scan->which != NULL ? scan->which[k] : scan->from + k;
}

/* A scan of any length, with looks at the limits; strengths must be finite. */
mk_status mk_stream_scan(const mk_stream *stream, const mk_scan *scan, const mk_control *control);

/* The samples that any task has an alpha for. */
typedef struct mk_support {
  size_t count;
  int *sample;
  double *alpha; /* count x tasks */
} mk_support;

/* To be cleared in any case. */
mk_status mk_support_new(mk_support *support, const double *alpha, size_t n, size_t tasks);
void mk_support_clear(mk_support *support);

#endif
