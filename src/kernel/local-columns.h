/* Componentwise locally linear kernels as columns. */
#ifndef MK_LOCAL_COLUMNS_H
#define MK_LOCAL_COLUMNS_H

#include "kernel/structure.h"

/* Makes componentwise kernels linear kernels on views of their own. It must be called before
 * families are formed. */
mk_status mk_local_columns(mk_kernel_set *set, size_t given_views);

#endif
