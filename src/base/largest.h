/* The largest of many numbers. Called by column generation, in optimizer/ and in sequential/. */
#ifndef MK_LARGEST_H
#define MK_LARGEST_H

#include <stddef.h>

/* Writes to `place` the places of the largest values that exceed `above`, at most `most`, by
 * falling value and then by place. Returns their number. */
size_t mk_largest(const double *value, size_t count, double above, size_t most, size_t *place);

#endif
