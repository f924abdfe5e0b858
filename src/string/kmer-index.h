/* Numbers 0, 1, ... for keys, in the order in which they come: a hash table of open addresses. */
#ifndef MK_KMER_INDEX_H
#define MK_KMER_INDEX_H

#include <stddef.h>
#include <stdint.h>

typedef struct mk_kmer_index {
  size_t count, slots; /* slots: a power of 2, at least twice the count */
  uint64_t *key;       /* by number; room for half of the slots */
  uint32_t *number;    /* by slot, plus 1; 0: free */
} mk_kmer_index;

#define MK_NO_NUMBER ((size_t)-1)

/* Start from {0}. A key's number, a new one where it has none; MK_NO_NUMBER: no memory. */
size_t mk_kmer_index_add(mk_kmer_index *index, uint64_t key);
void mk_kmer_index_clear(mk_kmer_index *index);

#endif
