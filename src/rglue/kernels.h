/* Handles of kernel sets, made from descriptions of R. */
#ifndef MK_RGLUE_KERNELS_H
#define MK_RGLUE_KERNELS_H

#include "base/pool.h"
#include "kernel/set.h"
#include "rglue/glue.h"

/* Parses a double matrix, list(dim, p, i, x), or list(one of these, who has the view). The owner
 * keeps the data that the view reads. */
void mk_arg_view(SEXP owner, SEXP x, mk_view *view);
typedef struct mk_handle {
  mk_kernel_set *set;
  mk_kernel_spec *specs;
  int *features;
  mk_pool pool; /* memory for kernels in C */
} mk_handle;

/* The beginning of the memory behind a function kernel of the core, which R holds by a pointer with
 * the tag mk_function_tag(). */
typedef struct mk_function_handle {
  mk_kernel_spec spec; /* function, data and their flags */
  size_t samples;
} mk_function_handle;
SEXP mk_function_tag(void);
const mk_function_handle *mk_arg_function(SEXP pointer);

int mk_is_set(SEXP pointer); /* accepts a handle whose set is gone */
mk_kernel_set *mk_arg_set(SEXP pointer);
/* A description of kernels from R. The last two fields are parsed from it. */
typedef struct mk_description {
  SEXP views, type, view, features, par, data;
  int samples, view_count;
  mk_view *parsed; /* memory that R frees after the call */
} mk_description;

/* Returns a handle with specs but without a set. */
SEXP mk_describe(mk_description *description);

#endif
