/* Subnormal numbers cost processors a hundred times as much as others. Between these two calls,
 * which each thread makes for itself, they count as 0 if the processor can do that. Called by
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
