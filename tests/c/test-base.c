/* Memory, pools, thread counts, limits, status texts, and passes over columns. */
#include "base/columns.h"
#include "base/control.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/status.h"
#include "base/threads.h"
#include "check.h"
#include "team.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static void test_memory_is_aligned_and_zeroed(void) {
  for (size_t n = 1; n < 200; n += 13) {
    double *x = MK_NEW0(double, n);
    CHECK(x != NULL && (uintptr_t)x % 64 == 0);
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += fabs(x[i]);
    CHECK(sum == 0.0);
    mk_free(x);
  }
  char *large = mk_alloc((size_t)5 << 20, 1); /* begins with a large page, ends within */
  CHECK(large != NULL && (uintptr_t)large % ((size_t)1 << 21) == 0);
  if (large != NULL) large[((size_t)5 << 20) - 1] = 1;
  mk_free(large);
  mk_free(NULL);
}

static void test_blocks_grow_with_what_they_hold(void) {
  int *first = mk_grown(NULL, 0, 2, sizeof *first);
  first[0] = 3;
  first[1] = 4;
  CHECK(mk_grown(first, 2, SIZE_MAX / 2, sizeof *first) == NULL && first[1] == 4);
  int *second = mk_grown(first, 2, 1000, sizeof *second);
  CHECK(second[0] == 3 && second[1] == 4);
  mk_free(second);
}

static void test_sizes_that_overflow_are_refused(void) {
  CHECK(mk_alloc(SIZE_MAX, 2) == NULL);
  CHECK(mk_alloc(SIZE_MAX / 8 + 1, 8) == NULL);
  CHECK(mk_calloc(SIZE_MAX - 10, 1) == NULL);
}

static void test_every_status_has_its_message(void) {
  for (int a = 0; a < MK_STATUS_COUNT; a++) {
    CHECK(strlen(mk_status_message((mk_status)a)) > 0);
    for (int b = 0; b < a; b++)
      CHECK(strcmp(mk_status_message((mk_status)a), mk_status_message((mk_status)b)) != 0);
  }
  CHECK(mk_status_message((mk_status)1000) != NULL);
}

static void test_threads_stay_within_what_there_is(void) {
  int all = mk_threads_available();
  CHECK(all >= 1);
  CHECK(mk_threads(0) == all);
  CHECK(mk_threads(-3) == all);
  CHECK(mk_threads(1) == 1);
  CHECK(mk_threads(100000) == all);
}

static int answer(void *data) {
  return *(int *)data;
}

static void test_control_hears_the_user_and_the_clock(void) {
  int stop = 0;
  mk_control control = {.max_time = INFINITY, .poll = answer, .data = &stop, .start = mk_seconds()};
  CHECK(mk_check(&control) == MK_OK);
  stop = 1;
  CHECK(mk_check(&control) == MK_INTERRUPTED);
  control.poll = NULL;
  CHECK(mk_check(&control) == MK_OK);
  control.start -= 10.0;
  control.max_time = 5.0;
  CHECK(mk_check(&control) == MK_TIME_LIMIT);
}

static void test_the_first_value_that_is_not_finite_is_found(void) {
  size_t count = 2100001; /* more than one thread's turn, and a rest */
  double *x = MK_NEW0(double, count), odd[] = {NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < count; i++) x[i] = i % 2 ? 1e308 : -5e-324;
  for (int threads = 1; threads <= 2; threads++) {
    mk_team *some = threads > 1 ? team : NULL;
    CHECK(mk_first_not_finite(x, 0, some) == 0);
    CHECK(mk_first_not_finite(x, count, some) == count);
    size_t places[] = {count - 1, 655360, 65536, 65535, 9, 0};
    for (int k = 0; k < 6; k++) { /* each before the others */
      x[places[k]] = odd[k % 3];
      CHECK(mk_first_not_finite(x, count, some) == places[k]);
    }
    for (int k = 0; k < 6; k++) x[places[k]] = 1.0;
  }
  mk_free(x);
}

static void test_column_sums_follow_the_definition(void) {
  size_t sizes[][2] = {{1, 1}, {7, 3}, {8, 2}, {61, 1300}};
  for (size_t s = 0; s < 4; s++) {
    size_t rows = sizes[s][0], cols = sizes[s][1];
    double *x = MK_NEW(double, rows *cols), *weight = MK_NEW(double, rows),
           *out = MK_NEW(double, cols), *again = MK_NEW(double, cols);
    for (size_t i = 0; i < rows * cols; i++) x[i] = sin((double)i);
    for (size_t i = 0; i < rows; i++) weight[i] = cos((double)(3 * i));
    mk_column_sums(x, rows, cols, weight, out, NULL);
    mk_column_sums(x, rows, cols, weight, again, team);
    CHECK(memcmp(out, again, cols * sizeof *out) == 0);
    for (size_t j = 0; j < cols; j++) {
      double sum = 0.0;
      for (size_t i = 0; i < rows; i++) sum += x[j * rows + i] * weight[i];
      CHECK_NEAR(out[j], sum, 1e-13);
    }
    mk_free(x);
    mk_free(weight);
    mk_free(out);
    mk_free(again);
  }
}

/* Columns: 2, 4, 9; indicators; a constant; huge ones; and the first one's values among zeros. */
static void test_column_scaling_by_hand(void) {
  double x[] = {2, 4, 9, 1, 0, 1, 7, 7, 7, 1e308, -1e308, 0}, centre[4], scale[4];
  mk_column_scaling(x, NULL, 3, 4, NULL, 0, centre, scale, NULL);
  CHECK_NEAR(centre[0], 5.0, 1e-15);
  CHECK_NEAR(scale[0], sqrt(13.0), 1e-15);
  CHECK(centre[1] == 0.0 && scale[1] == 1.0);
  CHECK(centre[2] == 7.0 && scale[2] == 1.0);
  CHECK_NEAR(scale[3], 1e308, 1e293);
  int rows[] = {0, 2};
  mk_column_scaling(x, NULL, 3, 4, rows, 2, centre, scale, NULL);
  CHECK_NEAR(centre[0], 5.5, 1e-15);
  CHECK_NEAR(scale[0], sqrt(24.5), 1e-15);
  CHECK(centre[1] == 0.0 && scale[1] == 1.0);
  int start[] = {0, 3, 3, 5};
  double stored[] = {2, 4, 9, 3, 3};
  mk_column_scaling(stored, start, 6, 3, NULL, 0, centre, scale, NULL);
  CHECK_NEAR(centre[0], 2.5, 1e-15);
  CHECK_NEAR(scale[0], sqrt((101.0 - 6.0 * 6.25) / 5.0), 1e-15);
  CHECK(centre[1] == 0.0 && scale[1] == 1.0); /* an empty column */
  CHECK_NEAR(scale[2], sqrt((18.0 - 6.0) / 5.0), 1e-15);
}

static void test_standardized_columns_have_unit_variance(void) {
  size_t rows = 200, cols = 700;
  int all[200];
  double *x = MK_NEW(double, rows *cols), *out = MK_NEW(double, rows *cols),
         *again = MK_NEW(double, rows *cols), *centre = MK_NEW(double, 2 * cols),
         *other = MK_NEW(double, 2 * cols);
  for (size_t i = 0; i < rows * cols; i++) x[i] = sin((double)i) * (double)(i / rows + 1) + 50.0;
  mk_column_scaling(x, NULL, rows, cols, NULL, 0, centre, centre + cols, NULL);
  mk_column_scaling(x, NULL, rows, cols, NULL, 0, other, other + cols, team);
  CHECK(memcmp(centre, other, 2 * cols * sizeof *centre) == 0);
  for (size_t i = 0; i < rows; i++) all[i] = (int)i;
  mk_column_scaling(x, NULL, rows, cols, all, rows, other, other + cols, team);
  CHECK(memcmp(centre, other, 2 * cols * sizeof *centre) == 0);
  mk_standardize(x, rows, cols, centre, centre + cols, out, NULL);
  mk_standardize(x, rows, cols, centre, centre + cols, again, team);
  CHECK(memcmp(out, again, rows * cols * sizeof *out) == 0);
  mk_column_scaling(out, NULL, rows, cols, NULL, 0, centre, centre + cols, NULL);
  for (size_t j = 0; j < cols; j += 99) {
    CHECK_NEAR(centre[j], 0.0, 1e-13);
    CHECK_NEAR(centre[cols + j], 1.0, 1e-13);
  }
  mk_free(x);
  mk_free(out);
  mk_free(again);
  mk_free(centre);
  mk_free(other);
}

/* A pool gives aligned blocks that don't overlap, and remembers what it could not give. */
static void test_pools_hold_their_blocks(void) {
  mk_pool pool = {NULL, 0, 0};
  char *byte = MK_TAKE0(&pool, char, 3);
  double *number = MK_TAKE(&pool, double, 100), *none = MK_TAKE0(&pool, double, 0);
  CHECK(mk_pool_status(&pool) == MK_OK && byte != NULL && number != NULL && none != NULL);
  CHECK((uintptr_t)byte % 64 == 0 && (uintptr_t)number % 64 == 0);
  for (int k = 0; k < 100; k++) number[k] = k;
  CHECK(byte[0] == 0 && byte[2] == 0 && pool.bytes == 3 + 100 * sizeof(double));
  CHECK(mk_pool_alloc(&pool, SIZE_MAX, 2) == NULL && mk_pool_status(&pool) == MK_NO_MEMORY);
  mk_pool_free(&pool);
  CHECK(pool.newest == NULL && mk_pool_status(&pool) == MK_OK);
}

int main(void) {
  RUN(test_memory_is_aligned_and_zeroed);
  RUN(test_blocks_grow_with_what_they_hold);
  RUN(test_sizes_that_overflow_are_refused);
  RUN(test_every_status_has_its_message);
  RUN(test_threads_stay_within_what_there_is);
  RUN(test_control_hears_the_user_and_the_clock);
  RUN_TEAM(2, test_the_first_value_that_is_not_finite_is_found);
  RUN_TEAM(2, test_column_sums_follow_the_definition);
  RUN(test_column_scaling_by_hand);
  RUN_TEAM(2, test_standardized_columns_have_unit_variance);
  RUN(test_pools_hold_their_blocks);
  return REPORT();
}
