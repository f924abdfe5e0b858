#include "simd.h"

#ifdef MK_SIMD_DISPATCH
#pragma GCC target("avx2,fma")
#define MK_SIMD_TABLE mk_simd_avx2
#define MK_SIMD_NAME "avx2"
#define MK_SIMD_WIDTH 4
#include "simd-body.h"
#else
typedef int mk_simd_avx2_unused; /* ISO C forbids an empty file */
#endif
