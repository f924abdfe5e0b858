/* A dictionary of any number of kernels that is never held in memory as a whole: kernels are
 * numbered and asked for by number. The optimiser over it (sequential.h) needs their strengths s_m
 * = alpha'K_m alpha for given alphas, a range of numbers at a time, and kernel sets of a few of
 * them. */
#ifndef MK_STREAM_H
#define MK_STREAM_H

#include "base/control.h"
#include "kernel/set.h"

/* A request for strengths. */
typedef struct mk_scan {
  const double *alpha; /* n x tasks by columns; the tasks' strengths add up */
  size_t tasks;
  const size_t *which; /* numbers of the kernels; NULL: from, from + 1, ... */
  size_t from, count;
  /* 1 for the certificate's strengths, in double precision and independent of the optimisers; they
   * are below the true ones by their rounding errors at most */
  int exact;
  double *strength; /* count: out */
} mk_scan;

typedef struct mk_stream {
  void *self;
  size_t size, samples; /* numbers of kernels and of samples */
  /* Computes strengths, within the limits of control and on its team. */
  mk_status (*strengths)(void *self, const mk_scan *scan, const mk_control *control);
  /* Makes a normalised set of some kernels, in the given (rising) order. The data it reads live as
   * long as the stream. */
  mk_status (*select)(void *self, const size_t *which, size_t count, const mk_control *control,
                      mk_kernel_set **set);
  void (*release)(void *self, mk_kernel_set *set);
  /* Returns 1 for kernels known to be constant over the samples: their strengths are 0, and no set
   * should contain them. NULL: there are none. */
  int (*is_constant)(void *self, size_t kernel);
} mk_stream;

static inline size_t mk_scan_kernel(const mk_scan *scan, size_t k) {
  return scan->which != NULL ? scan->which[k] : scan->from + k;
}

/* Scans any number of kernels, with checks of the limits. Strengths must be finite. */
mk_status mk_stream_scan(const mk_stream *stream, const mk_scan *scan, const mk_control *control);

/* The samples with a nonzero alpha in any task. */
typedef struct mk_support {
  size_t count;
  int *sample;
  double *alpha; /* count x tasks */
} mk_support;

/* Lists the support vectors. The list must be cleared even after a failure. */
mk_status mk_support_new(mk_support *support, const double *alpha, size_t n, size_t tasks);
void mk_support_clear(mk_support *support);

#endif
