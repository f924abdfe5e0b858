/* A hash table with linear probing, at most half full. Called by words.c and word-scores.c. */
#include "word-index.h"

#include <string.h>

#define WORDS_BETWEEN_CHECKS ((size_t)1 << 18)
/* 2^64 divided by the golden ratio; products with it separate neighbours */
#define GOLDEN 0x9e3779b97f4a7c15u

void mk_word_index_free(mk_word_index *index) {
  mk_pool_free(&index->memory);
  memset(index, 0, sizeof *index);
}

mk_status mk_word_index_open(mk_word_index *index, size_t most) {
  for (size_t k = 0; k < index->count; k++) index->table[index->slot[k]] = 0;
  index->count = 0;
  if (most <= index->room && index->room > 0) return MK_OK;
  int bits = 6;
  while (((size_t)1 << bits) < 2 * most) bits++;
  mk_word_index_free(index);
  index->bits = bits;
  index->room = (size_t)1 << (bits - 1);
  index->code = MK_TAKE(&index->memory, uint64_t, index->room);
  index->times = MK_TAKE(&index->memory, int, index->room);
  index->slot = MK_TAKE(&index->memory, size_t, index->room);
  index->table = MK_TAKE0(&index->memory, size_t, 2 * index->room);
  if (!index->memory.failed) return MK_OK;
  mk_word_index_free(index);
  return MK_NO_MEMORY;
}

/* Returns the slot that holds the word, or the empty slot where it belongs. */
static size_t slot_of(const mk_word_index *index, uint64_t code) {
  size_t slot = (size_t)(code * GOLDEN >> (64 - index->bits)), last = 2 * index->room - 1;
  while (index->table[slot] > 0 && index->code[index->table[slot] - 1] != code)
    slot = (slot + 1) & last;
  return slot;
}

void mk_word_index_add(mk_word_index *index, uint64_t code) {
  size_t slot = slot_of(index, code);
  if (index->table[slot] == 0) {
    index->code[index->count] = code;
    index->times[index->count] = 0;
    index->slot[index->count] = slot;
    index->table[slot] = ++index->count;
  }
  index->times[index->table[slot] - 1]++;
}

mk_status mk_word_index_count(mk_word_index *index, const uint64_t *code, size_t count,
                              const mk_control *control) {
  MK_TRY(mk_word_index_open(index, count));
  for (size_t k = 0; k < count; k++) {
    if ((k + 1) % WORDS_BETWEEN_CHECKS == 0) MK_TRY(mk_check(control));
    mk_word_index_add(index, code[k]);
  }
  return MK_OK;
}

size_t mk_word_index_find(const mk_word_index *index, uint64_t code) {
  size_t held = index->table[slot_of(index, code)];
  return held > 0 ? held - 1 : MK_NO_WORD;
}
