/* The rows that the files of gram-bases.c share: kernels of families with a
 * base (squared distances, values of functions), whose blocks are computed or stored. From the
 * ground up: gram-store.c, gram-values.c, gram-sweep.c, gram-pairs.c, gram-bases.c. */
#ifndef MK_GRAM_BASES_H
#define MK_GRAM_BASES_H

#include "base/pool.h"
#include "rows/gram-provider.h"
#include "rows/packed.h"
#include "rows/sums.h"

typedef struct mk_value_store mk_value_store;

typedef struct mk_base_rows {
  mk_gram_context *at;
  mk_pool memory; /* owns the lists below */
  mk_bases *bases;
  mk_packed *packed; /* all samples, packed by position */
  mk_sums **sums;    /* one per thread */
  size_t families;
  size_t first;           /* first family with a base */
  int functions;          /* 1 if there are function kernels */
  mk_buffer *store;       /* by family: stored rows over the working set; at = NULL: not stored */
  size_t stored;          /* number and length of the stored rows */
  mk_value_store *values; /* stored values of all kernels; NULL: bases are better */
  int *list;              /* n: scratch positions */
} mk_base_rows;

#endif
