/* The table of all kinds of kernels. */
#ifndef MK_KINDS_H
#define MK_KINDS_H

#include "kernel/kind.h"

/* Returns NULL if there is no such kind. */
const mk_kind *mk_kind_of(mk_kernel_type type);
int mk_kind_count(void); /* types are 1 to this number */

#endif
