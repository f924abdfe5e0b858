/* Kernel matrices in files. */
#ifndef MK_RGLUE_FILES_H
#define MK_RGLUE_FILES_H

#include "base/row.h"
#include "rglue/glue.h"

/* A pointer to a kernel file, mapped or no longer mapped; its values, n x n. */
int mk_is_file(SEXP pointer);
mk_row mk_arg_file_matrix(SEXP pointer, size_t n);

#endif
