#include "cache/cache.h"
#include "check.h"

#define LENGTH 16

/* Asks for a row and, where it is stale, writes its own number into it. */
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
  mk_buffer memory = {NULL, 0};
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
  mk_buffer memory = {NULL, 0};
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
  mk_buffer memory = {NULL, 0};
  mk_cache *cache = mk_cache_new(8, LENGTH, 0, 1 << 16, 0, &memory);
  for (size_t row = 0; row < 8; row++) ask(cache, row, (double)row);
  mk_cache_invalidate(cache);
  for (size_t row = 0; row < 8; row++) CHECK(!ask(cache, row, 10.0 + (double)row));
  for (size_t row = 0; row < 8; row++) CHECK(ask(cache, row, 10.0 + (double)row));
  mk_cache_free(cache);
  mk_cache_free(NULL);
  mk_buffer_free(&memory);
}

int main(void) {
  RUN(test_the_budget_is_kept);
  RUN(test_the_row_longest_unused_makes_room);
  RUN(test_rows_go_stale_together);
  return REPORT();
}
