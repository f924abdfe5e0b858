/* Fits for other packages in C, behind inst/include/manykernels.h; registered by init.c. */
#ifndef MK_NATIVE_FIT_H
#define MK_NATIVE_FIT_H

#include <stddef.h>

struct manykernels_problem;
struct manykernels_solution;
void mk_native_fit(const struct manykernels_problem *ask, struct manykernels_solution *out);
void mk_native_predict(const struct manykernels_problem *ask,
                       const struct manykernels_solution *from, size_t count, double *out);

#endif
