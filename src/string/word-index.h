/* Words by their codes, in a hash table: which are there, in the order in which they came, and how
 * often each was added. */
#ifndef MK_WORD_INDEX_H
#define MK_WORD_INDEX_H

#include "base/control.h"

#include <stddef.h>
#include <stdint.h>

typedef struct mk_word_index {
  size_t count;   /* different words */
  uint64_t *code; /* count */
  int *times;     /* count */
  size_t *slot;   /* count: where the table holds each */
  size_t *table;  /* numbers of words from 1 on; 0: empty */
  size_t room;    /* most different words */
  int bits;       /* the table has 2^bits slots */
} mk_word_index;

#define MK_NO_WORD ((size_t)-1)

/* Empty afterwards, with room for so many different words. An index begins as zeros. */
mk_status mk_word_index_open(mk_word_index *index, size_t most);
void mk_word_index_free(mk_word_index *index);
void mk_word_index_add(mk_word_index *index, uint64_t code);
/* Only these words are there afterwards. */
mk_status mk_word_index_count(mk_word_index *index, const uint64_t *code, size_t count,
                              const mk_control *control);
size_t mk_word_index_find(const mk_word_index *index,
                          uint64_t code); /* its number, or MK_NO_WORD */

#endif
