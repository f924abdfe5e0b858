#include "simd.h"

#define MK_SIMD_TABLE mk_simd_baseline
#define MK_SIMD_NAME "baseline"
#define MK_SIMD_WIDTH 2
#include "simd-body.h"
