/* Subnormal numbers count as 0 between these two calls, if the processor can do that: operations on
 * them take a hundred times as long as on others. Each thread makes the calls for itself. Called by
 * cholesky.c. */
#ifndef MK_FLUSH_H
#define MK_FLUSH_H

#ifdef __SSE2__
#include <xmmintrin.h>

#define MK_FLUSH_MODES 0x8040u /* bits for results and for operands */

static inline unsigned mk_flush_begin(void) {
  unsigned before = _mm_getcsr();
  _mm_setcsr(before | MK_FLUSH_MODES);
  return before;
}

static inline void mk_flush_end(unsigned before) {
  _mm_setcsr(before);
}
#else
static inline unsigned mk_flush_begin(void) {
  return 0;
}

static inline void mk_flush_end(unsigned before) {
  (void)before;
}
#endif

#endif
