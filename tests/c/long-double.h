/* Functions of a long double. Where it is a double by gcc's -mlong-double-64, the C library still has those
 * of a longer one, so the functions of doubles take their place. */
#ifndef MK_TESTS_LONG_DOUBLE_H
#define MK_TESTS_LONG_DOUBLE_H

#include <float.h>
#include <math.h>

#if LDBL_MANT_DIG == DBL_MANT_DIG
#define acosl(x) acos(x)
#define expl(x) exp(x)
#define fabsl(x) fabs(x)
#define fmaxl(x, y) fmax(x, y)
#define fminl(x, y) fmin(x, y)
#define sqrtl(x) sqrt(x)
#endif

#endif
