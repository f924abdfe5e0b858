#include "string/kmer-index.h"

#include "base/memory.h"

#include <string.h>

#define FIRST_SLOTS ((size_t)1024)
#define MOST_NUMBERS ((size_t)INT32_MAX)

static size_t slot_of(const mk_kmer_index *index, uint64_t key) {
  const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15); /* 2^64 over the golden ratio */
  uint64_t mixed = key * golden;
  return (size_t)(mixed ^ mixed >> 32) & (index->slots - 1);
}

/* The slot that has the key, or the free one where it belongs. */
static size_t find_slot(const mk_kmer_index *index, uint64_t key) {
  size_t slot = slot_of(index, key);
  while (index->number[slot] != 0 && index->key[index->number[slot] - 1] != key)
    slot = (slot + 1) & (index->slots - 1);
  return slot;
}

/* Twice the slots; 0: no memory, and the index is as it was. */
static int grow(mk_kmer_index *index) {
  size_t slots = index->slots > 0 ? 2 * index->slots : FIRST_SLOTS;
  uint64_t *key = MK_NEW(uint64_t, slots / 2);
  uint32_t *number = MK_NEW0(uint32_t, slots);
  if (key == NULL || number == NULL) {
    mk_free(key);
    mk_free(number);
    return 0;
  }
  if (index->count > 0) memcpy(key, index->key, index->count * sizeof *key);
  mk_free(index->key);
  mk_free(index->number);
  index->key = key;
  index->number = number;
  index->slots = slots;
  for (size_t k = 0; k < index->count; k++) number[find_slot(index, key[k])] = (uint32_t)k + 1;
  return 1;
}

size_t mk_kmer_index_add(mk_kmer_index *index, uint64_t key) {
  if (index->slots > 0) {
    size_t number = index->number[find_slot(index, key)];
    if (number != 0) return number - 1;
  }
  if (index->count == MOST_NUMBERS) return MK_NO_NUMBER;
  if (index->count == index->slots / 2 && !grow(index)) return MK_NO_NUMBER;
  index->key[index->count] = key;
  index->number[find_slot(index, key)] = (uint32_t)++index->count;
  return index->count - 1;
}

void mk_kmer_index_clear(mk_kmer_index *index) {
  mk_free(index->key);
  mk_free(index->number);
  *index = (mk_kmer_index){0};
}
