/* Values that R holds, at stable addresses. */
#ifndef MK_RGLUE_KEEP_H
#define MK_RGLUE_KEEP_H

#include "rglue/glue.h"

/* Returns a vector with the values of x at an address that is stable while its owner lives: x
 * itself, unless it is an ALTREP vector. No other function may return an address that outlives a
 * call. Objects other than vectors of numbers are kept as they are. */
SEXP mk_keep(SEXP owner, SEXP x);
SEXP mk_keeper(void); /* an owner that holds nothing else */
/* Returns values of doubles, integers or logicals, stable until the .Call ends. */
const void *mk_values(SEXP x);

#endif
