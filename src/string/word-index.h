/* Words by their codes in a hash table, in the order in which they were added first, with the
 * number of times. */
#ifndef MK_WORD_INDEX_H
#define MK_WORD_INDEX_H

#include "base/control.h"
#include "base/pool.h"

#include <stddef.h>
#include <stdint.h>

typedef struct mk_word_index {
  size_t count;   /* number of different words */
  uint64_t *code; /* count */
  int *times;     /* count */
  size_t *slot;   /* count: slot of each word in the table */
  size_t *table;  /* by slot: number of the word, from 1 on; 0: empty */
  size_t room;    /* largest number of different words */
  int bits;       /* the table has 2^bits slots */
  mk_pool memory; /* owns the vectors and the table */
} mk_word_index;

#define MK_NO_WORD ((size_t)-1)

/* Empties the index and makes room for so many different words. An index begins as zeros. */
mk_status mk_word_index_open(mk_word_index *index, size_t most);
void mk_word_index_free(mk_word_index *index);
void mk_word_index_add(mk_word_index *index, uint64_t code);
/* Replaces the contents by the words with these codes. */
mk_status mk_word_index_count(mk_word_index *index, const uint64_t *code, size_t count,
                              const mk_control *control);
size_t mk_word_index_find(const mk_word_index *index,
                          uint64_t code); /* returns its number, or MK_NO_WORD */

#endif
