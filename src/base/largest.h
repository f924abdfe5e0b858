/* The largest of many numbers. Called by column generation, in optimizer/ and in sequential/. */
#ifndef MK_LARGEST_H
#define MK_LARGEST_H

#include <stddef.h>

/* Places of at most `most` of the values that exceed `above`, the largest; by falling value, equal
 * ones by place. Returns how many. `place` holds `most` of them. */
size_t mk_largest(const double *value, size_t count, double above, size_t most, size_t *place);

#endif
