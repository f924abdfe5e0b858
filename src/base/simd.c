#include "simd.h"

const mk_simd *mk_simd_best(void) {
#ifdef MK_SIMD_DISPATCH
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    return &mk_simd_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &mk_simd_avx2;
#endif
  return &mk_simd_baseline;
}
