/* The cache of rows: its budget, which row it replaces, and its memory. */
#include "cache/cache.h"
#include "check.h"

#define LENGTH 16

/* Reads a row and, if it is stale, fills it with its own number. */
static int ask(mk_cache *cache, size_t row, double value) {
  int fresh = -1;
  mk_row x = mk_cache_row(cache, row, &fresh);
  double values[LENGTH];
  for (int k = 0; k < LENGTH; k++) values[k] = value;
  if (!fresh) mk_row_store(x, values, LENGTH);
  int others = 0;
  for (size_t k = 0; k < LENGTH; k++) others += mk_row_at(x, k) != value;
  CHECK(others == 0);
  return fresh;
}

static void test_the_budget_is_kept(void) {
  mk_buffer memory = {.at = NULL};
  mk_cache *cache = mk_cache_new(100, LENGTH, 0, 10 * LENGTH * sizeof(double) + 500, 0, &memory);
  CHECK(mk_cache_capacity(cache) >= 4 && mk_cache_capacity(cache) <= 13);
  CHECK(mk_cache_bytes(cache) <= 10 * LENGTH * sizeof(double) + 500);
  mk_cache_free(cache);
  cache = mk_cache_new(100, LENGTH, 0, 0, 0, &memory);
  CHECK(mk_cache_capacity(cache) == 4); /* the least a solver can work with */
  mk_cache_free(cache);
  cache = mk_cache_new(100, LENGTH, 1, 10 * LENGTH * sizeof(float) + 500, 0, &memory); /* floats */
  CHECK(mk_cache_capacity(cache) >= 10);
  CHECK(mk_cache_bytes(cache) <= 10 * LENGTH * sizeof(float) + 500);
  mk_cache_free(cache);
  cache = mk_cache_new(3, LENGTH, 0, 1 << 20, 0, &memory);
  CHECK(mk_cache_capacity(cache) == 3);
  mk_cache_free(cache);
  mk_buffer_free(&memory);
}

static void test_the_row_longest_unused_makes_room(void) {
  mk_buffer memory = {.at = NULL};
  mk_cache *cache = mk_cache_new(20, LENGTH, 1, 0, 0, &memory); /* four rows */
  for (size_t row = 0; row < 4; row++) CHECK(!ask(cache, row, (double)row));
  CHECK(ask(cache, 0, 0.0));  /* still there, and now the newest */
  CHECK(!ask(cache, 9, 9.0)); /* takes the place of 1 */
  CHECK(ask(cache, 0, 0.0));
  CHECK(ask(cache, 2, 2.0));
  CHECK(ask(cache, 3, 3.0));
  CHECK(ask(cache, 9, 9.0));
  CHECK(!ask(cache, 1, 1.0));
  mk_cache_free(cache);
  mk_buffer_free(&memory);
}

static void test_rows_go_stale_together(void) {
  mk_buffer memory = {.at = NULL};
  mk_cache *cache = mk_cache_new(8, LENGTH, 0, 1 << 16, 0, &memory);
  for (size_t row = 0; row < 8; row++) ask(cache, row, (double)row);
  mk_cache_invalidate(cache);
  for (size_t row = 0; row < 8; row++) CHECK(!ask(cache, row, 10.0 + (double)row));
  for (size_t row = 0; row < 8; row++) CHECK(ask(cache, row, 10.0 + (double)row));
  mk_cache_free(cache);
  mk_cache_free(NULL);
  mk_buffer_free(&memory);
}

/* Memory is touched ahead of the rows that come to lie in it, which must not change them. */
static void check_large_rows(mk_buffer *memory, size_t rows, size_t length) {
  size_t bytes = (size_t)1 << 24;
  mk_cache *cache = mk_cache_new(rows, length, 1, bytes, bytes, memory);
  int fresh, lost = 0;
  CHECK(mk_cache_capacity(cache) == rows);
  for (size_t r = 0; r < rows; r++) {
    mk_row row = mk_cache_row(cache, r, &fresh);
    for (size_t k = 0; k < length; k++) mk_row_set(row, k, (double)(r + 1));
  }
  for (size_t r = 0; r < rows; r++) {
    mk_row row = mk_cache_row(cache, r, &fresh);
    for (size_t k = 0; k < length; k++) lost += mk_row_at(row, k) != (double)(r + 1);
  }
  CHECK(lost == 0);
  mk_cache_free(cache);
}

static void test_rows_in_touched_memory_last(void) {
  mk_buffer memory = {.at = NULL};
  check_large_rows(&memory, 300, 2048);
  void *first = memory.at;
  check_large_rows(&memory, 400, 3000);
  CHECK(memory.at == first); /* there was room for more from the beginning */
  CHECK(memory.touched > 0 && memory.bytes >= 400 * 3000 * sizeof(float));
  mk_buffer_free(&memory);
  mk_buffer_touch(&memory, 100); /* nothing to touch */
  CHECK(memory.at == NULL);
}

int main(void) {
  RUN(test_the_budget_is_kept);
  RUN(test_the_row_longest_unused_makes_room);
  RUN(test_rows_go_stale_together);
  RUN(test_rows_in_touched_memory_last);
  return REPORT();
}
