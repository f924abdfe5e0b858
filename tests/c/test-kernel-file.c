/* Kernel files: reading returns what was written, and other files are refused. */
#include "check.h"
#include "data.h"
#include "matrix/kernel-file.h"
#include "team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 70
#define COLS 33

static const char *path(void) {
  static char name[1024];
  const char *folder = getenv("TMPDIR");
  snprintf(name, sizeof name, "%s/manykernels-test.kernel", folder != NULL ? folder : "/tmp");
  return name;
}

static double value[ROWS * COLS];

static void write_it(const mk_file_header *header, const char *names) {
  mk_file_writer *writer;
  CHECK(mk_file_writer_new(&writer, path(), header, names) == MK_OK);
  CHECK(mk_file_writer_cols(writer) == header->cols);
  CHECK(mk_file_writer_add(writer, value, 1) == MK_OK);
  CHECK(mk_file_writer_finish(writer) == MK_BAD_ARGUMENT); /* rows are missing */
  CHECK(mk_file_writer_add(writer, value + header->cols, header->rows - 1) == MK_OK);
  CHECK(mk_file_writer_add(writer, value, 1) == MK_BAD_ARGUMENT);
  CHECK(mk_file_writer_finish(writer) == MK_OK);
  mk_file_writer_free(writer);
}

static int is_same(const mk_kernel_file *file) {
  mk_control control = {.max_time = INFINITY, .team = team, .start = mk_seconds()};
  int same = -1;
  CHECK(mk_kernel_file_verify(file, &control, &same) == MK_OK);
  return same;
}

static void test_files_hold_what_was_written(void) {
  data_fill(ROWS * COLS, value);
  for (int single = 0; single < 2; single++) {
    mk_file_header header = {.rows = ROWS, .cols = COLS, .single = single};
    mk_kernel_file file;
    write_it(&header, NULL);
    CHECK(mk_kernel_file_open(&file, path()) == MK_FILE_FINE);
    CHECK(file.header.rows == ROWS && file.header.cols == COLS && file.header.single == single);
    CHECK(!file.header.symmetric && !file.header.row_names && !file.header.col_names);
    int wrong = 0;
    for (size_t k = 0; k < ROWS * COLS; k++)
      wrong += mk_row_at(file.values, k) != (single ? (float)value[k] : value[k]);
    CHECK(wrong == 0 && is_same(&file));
    mk_kernel_file_close(&file);
    mk_kernel_file_close(&file); /* twice is fine */
  }
}

static void test_names(void) {
  static const char names[] = "a\0\0third"; /* the last one's end is the string's */
  mk_file_header header = {
      .rows = 3, .cols = 3, .symmetric = 1, .row_names = 1, .name_bytes = sizeof names};
  mk_kernel_file file;
  write_it(&header, names);
  CHECK(mk_kernel_file_open(&file, path()) == MK_FILE_FINE);
  CHECK(file.header.symmetric && file.header.row_names && !file.header.col_names);
  CHECK(memcmp(file.names, names, sizeof names) == 0);
  mk_kernel_file_close(&file);
}

/* Values begin where the next whole page does, without an empty one before them. */
static void test_values_begin_at_the_next_page(void) {
  static char names[4096];
  const size_t page = 4096, head = 72;
  for (size_t more = 0; more < 2; more++) {
    mk_file_header header = {.rows = 2, .cols = 3, .row_names = 1, .name_bytes = page - head + more};
    mk_kernel_file file;
    memset(names, 'a', sizeof names);
    names[0] = names[header.name_bytes - 1] = '\0';
    write_it(&header, names);
    CHECK(mk_kernel_file_open(&file, path()) == MK_FILE_FINE);
    CHECK(file.map.bytes == (1 + more) * page + 2 * 3 * sizeof(double));
    CHECK(mk_row_at(file.values, 5) == value[5]);
    mk_kernel_file_close(&file);
  }
}

/* ---- other files ---- */

static size_t read_bytes(unsigned char *bytes, size_t most) {
  FILE *file = fopen(path(), "rb");
  size_t count = fread(bytes, 1, most, file);
  fclose(file);
  return count;
}

static void write_bytes(const unsigned char *bytes, size_t count) {
  FILE *file = fopen(path(), "wb");
  CHECK(fwrite(bytes, 1, count, file) == count);
  fclose(file);
}

static mk_file_fault fault_of(const unsigned char *bytes, size_t count) {
  mk_kernel_file file;
  write_bytes(bytes, count);
  mk_file_fault fault = mk_kernel_file_open(&file, path());
  mk_kernel_file_close(&file);
  return fault;
}

static void test_other_files_are_refused(void) {
  static unsigned char bytes[8192], other[8192];
  mk_file_header header = {.rows = 8, .cols = 8, .symmetric = 1};
  mk_kernel_file file;
  write_it(&header, NULL);
  size_t count = read_bytes(bytes, sizeof bytes);
  CHECK(count == 4096 + 8 * 8 * sizeof(double));
  CHECK(fault_of(bytes, count) == MK_FILE_FINE);
  CHECK(fault_of(bytes, count - 1) == MK_FILE_TRUNCATED);
  CHECK(fault_of(bytes, count + 1) == MK_FILE_TRUNCATED);
  for (size_t k = 8; k < 4096; k += 37) CHECK(fault_of(bytes, k) == MK_FILE_TRUNCATED);
  for (size_t k = 0; k < 8; k++) CHECK(fault_of(bytes, k) == MK_FILE_FOREIGN);
  for (size_t k = 0; k < 72; k++) { /* whatever changes in the header is seen */
    memcpy(other, bytes, sizeof other);
    other[k] ^= 0x41;
    CHECK(fault_of(other, count) != MK_FILE_FINE);
  }
  memcpy(other, bytes, sizeof other);
  for (int k = 0; k < 4; k++) other[8 + k] = bytes[11 - k];
  CHECK(fault_of(other, count) == MK_FILE_BYTE_ORDER);
  memset(other, 0, 80); /* a writer that did not finish */
  CHECK(fault_of(other, count) == MK_FILE_FOREIGN);
  for (size_t k = 4096; k < count; k += 5) { /* any change of a value */
    memcpy(other, bytes, sizeof other);
    other[k] ^= (unsigned char)(1u << k % 8);
    write_bytes(other, count);
    CHECK(mk_kernel_file_open(&file, path()) == MK_FILE_FINE && !is_same(&file));
    mk_kernel_file_close(&file);
  }
  remove(path());
  CHECK(mk_kernel_file_open(&file, path()) == MK_FILE_MISSING);
  CHECK(mk_kernel_file_open(&file, "/") == MK_FILE_MISSING);
}

static void test_writers_say_what_goes_wrong(void) {
  mk_file_header header = {.rows = 1, .cols = 2, .single = 1};
  double large[2] = {1.0, 1e300}, odd[2] = {NAN, 1.0};
  mk_file_writer *writer;
  CHECK(mk_file_writer_new(&writer, "/no/such/folder/file", &header, NULL) == MK_NO_FILE);
  mk_file_writer_free(writer);
  CHECK(mk_file_writer_new(&writer, path(), &header, NULL) == MK_OK);
  CHECK(mk_file_writer_add(writer, large, 1) == MK_NOT_FINITE);
  CHECK(mk_file_writer_add(writer, odd, 1) == MK_NOT_FINITE);
  mk_file_writer_free(writer);
  mk_file_writer_free(NULL);
  remove(path());
}

int main(void) {
  RUN_TEAM(2, test_files_hold_what_was_written);
  RUN(test_names);
  RUN(test_values_begin_at_the_next_page);
  RUN_TEAM(2, test_other_files_are_refused);
  RUN(test_writers_say_what_goes_wrong);
  return REPORT();
}
