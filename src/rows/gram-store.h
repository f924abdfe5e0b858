/* Stored rows of bases over the working set. Called by the files of gram-bases.c. */
#ifndef MK_GRAM_STORE_H
#define MK_GRAM_STORE_H

#include "rows/gram-bases.h"

/* Extends the stored rows after the working set has grown; families that exceed the budget are
 * dropped. */
mk_status mk_store_grow(mk_base_rows *b, size_t budget);
mk_row mk_stored_row(const mk_base_rows *b, size_t f, size_t i); /* row of position i */
size_t mk_store_bytes(const mk_base_rows *b);
void mk_store_free(mk_base_rows *b);

#endif
