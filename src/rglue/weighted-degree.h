/* Sequences from R, as text kernels read them. */
#ifndef MK_RGLUE_WEIGHTED_DEGREE_H
#define MK_RGLUE_WEIGHTED_DEGREE_H

#include "rglue/glue.h"
#include "string/sequences.h"

/* Parses list(code, start, letters). The owner keeps the letters; starts are in memory that R frees
 * after the call. */
mk_sequences mk_arg_sequences(SEXP owner, SEXP x);

#endif
