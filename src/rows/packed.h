/* Samples packed by features. */
#ifndef MK_PACKED_H
#define MK_PACKED_H

#include "rows/base-block.h"

/* Samples of families of few features. Blocks with packed columns need not gather features each
 * time. */
typedef struct mk_packed mk_packed;
mk_status mk_packed_new(mk_packed **packed, const mk_bases *bases, const int *samples,
                        size_t count);
void mk_packed_free(mk_packed *packed);
size_t mk_packed_bytes(const mk_packed *packed);
mk_samples mk_packed_samples(const mk_packed *packed, size_t from, size_t count);

#endif
