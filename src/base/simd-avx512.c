#include "simd.h"

#ifdef MK_SIMD_DISPATCH
#pragma GCC target("avx512f,avx512dq,avx2,fma")
#include <immintrin.h>
#define MK_SIMD_TRANSPOSE
#define MK_SIMD_TABLE mk_simd_avx512
#define MK_SIMD_NAME "avx512"
#define MK_SIMD_WIDTH 8
#include "simd-body.h"
#else
typedef int mk_simd_avx512_unused; /* ISO C forbids an empty file */
#endif
