/* Kernels and fits of other packages in C: what inst/include/manykernels.h promises them. */
#ifndef MK_NATIVE_H
#define MK_NATIVE_H

#include "rglue/glue.h"

/* What such packages are given: registered by init.c. */
struct manykernels_kernel;
int mk_native_abi(void);
SEXP mk_native_pointer(const struct manykernels_kernel *kernel, SEXP kept);
struct manykernels_problem;
struct manykernels_solution;
void mk_native_fit(const struct manykernels_problem *ask, struct manykernels_solution *out);
void mk_native_predict(const struct manykernels_problem *ask,
                       const struct manykernels_solution *from, size_t count, double *out);

int mk_is_native(SEXP pointer); /* dead or alive */
/* Makes `spec`, whose columns of the view are chosen, a kernel of this pointer. The samples' values
 * are copied into the pool, row by row, which has to live as long. */
void mk_use_native(mk_kernel_spec *spec, SEXP pointer, const mk_view *view, mk_pool *pool);

#endif
