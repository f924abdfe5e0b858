/* Kernels for other packages in C, behind inst/include/manykernels.h. */
#ifndef MK_NATIVE_H
#define MK_NATIVE_H

#include "base/pool.h"
#include "kernel/set.h"
#include "rglue/glue.h"

/* The functions that such packages get, registered by init.c. */
struct manykernels_kernel;
int mk_native_abi(void);
SEXP mk_native_pointer(const struct manykernels_kernel *kernel, SEXP kept);

int mk_is_native(SEXP pointer); /* accepts a pointer whose kernel is gone */
/* Makes `spec`, whose columns of the view are chosen, a kernel of this pointer. The samples' values
 * are copied into the pool by rows; the pool must outlive the kernel. */
void mk_use_native(mk_kernel_spec *spec, SEXP pointer, const mk_view *view, mk_pool *pool);

#endif
