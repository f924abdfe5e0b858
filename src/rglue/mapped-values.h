/* Vectors of R whose values are in a mapped file. */
#ifndef MK_RGLUE_MAPPED_VALUES_H
#define MK_RGLUE_MAPPED_VALUES_H

#include "rglue/glue.h"

/* Vectors in mapped files, whose addresses are stable; made of a pointer that owns an
 * mk_mapped_file. */
int mk_in_file(SEXP x);
SEXP mk_in_file_new(SEXP pointer);
void mk_column_class(DllInfo *info); /* called when the package is loaded */

#endif
