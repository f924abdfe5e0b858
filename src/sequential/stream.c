/* Functions for all streams of kernels: long scans, and the support vectors that a scan sums over.
 * Called by sequential.c, certify.c, source.c, anchor-sums.c, active-set.c and rglue/sequential.c.
 * MATHEMATICS.md, section 6.3. */
#include "stream.h"

#include "base/memory.h"
#include "base/simd.h"

#include <math.h>
#include <string.h>

/* kernels scanned between checks of the limits */
#define KERNELS_BETWEEN_CHECKS ((size_t)1 << 16)

mk_status mk_stream_scan(const mk_stream *stream, const mk_scan *scan, const mk_control *control) {
  for (size_t from = 0; from < scan->count; from += KERNELS_BETWEEN_CHECKS) {
    mk_scan part = *scan;
    part.which = scan->which != NULL ? scan->which + from : NULL;
    part.from = scan->from + from;
    part.count = mk_smaller(scan->count - from, KERNELS_BETWEEN_CHECKS);
    part.strength = scan->strength + from;
    MK_TRY(mk_check(control));
    MK_TRY(stream->strengths(stream->self, &part, control));
    for (size_t k = 0; k < part.count; k++)
      if (!isfinite(part.strength[k])) return MK_NOT_FINITE;
  }
  return MK_OK;
}

mk_status mk_support_new(mk_support *support, const double *alpha, size_t n, size_t tasks) {
  *support = (mk_support){.sample = MK_NEW(int, n), .alpha = MK_NEW(double, n *tasks)};
  if (support->sample == NULL || support->alpha == NULL) return MK_NO_MEMORY;
  for (size_t i = 0; i < n; i++) {
    int any = 0;
    for (size_t t = 0; t < tasks; t++) any |= alpha[t * n + i] != 0.0;
    if (any) support->sample[support->count++] = (int)i;
  }
  for (size_t t = 0; t < tasks; t++)
    for (size_t k = 0; k < support->count; k++)
      support->alpha[t * support->count + k] = alpha[t * n + (size_t)support->sample[k]];
  return MK_OK;
}

void mk_support_clear(mk_support *support) {
  mk_free(support->sample);
  mk_free(support->alpha);
  memset(support, 0, sizeof *support);
}
