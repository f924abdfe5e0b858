/* Kernel files: see kernel-file.h. Called by rglue/files.c. */
#include "matrix/kernel-file.h"

#include "base/memory.h"
#include "base/threads.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VERSION 1
#define BYTE_ORDER_MARK 0x01020304u
#define ALIGNMENT 4096 /* alignment of the values in the file: whole pages */
#define VERIFIED_ROWS 64

enum { SYMMETRIC = 1, ROW_NAMES = 2, COL_NAMES = 4 };

typedef struct file_head {
  char magic[8];
  uint32_t byte_order, version, value_bytes, flags;
  uint64_t rows, cols, name_bytes, offset, checksum;
  uint64_t own_checksum; /* checksum of all header fields before it and of the names */
} file_head;

static const char magic[8] = "MKERNEL";

/* ---- checksums ---- */

#define MULTIPLIER 0x9e3779b97f4a7c15u /* 2^64 divided by the golden ratio */

static uint64_t stir(uint64_t sum, uint64_t word) {
  sum = (sum ^ word) * MULTIPLIER;
  return sum ^ (sum >> 29);
}

/* Computes four sums side by side, since each waits for its last product. */
static uint64_t checksum(uint64_t seed, const void *data, size_t bytes) {
  const unsigned char *at = data;
  uint64_t sum[4] = {seed, seed + 1, seed + 2, seed + 3}, word[4] = {0};
  for (; bytes >= sizeof word; at += sizeof word, bytes -= sizeof word) {
    memcpy(word, at, sizeof word);
    for (int k = 0; k < 4; k++) sum[k] = stir(sum[k], word[k]);
  }
  memset(word, 0, sizeof word);
  memcpy(word, at, bytes);
  for (int k = 0; k < 4; k++) sum[k] = stir(sum[k], word[k]);
  return stir(stir(stir(sum[0], sum[1]), sum[2]), sum[3] ^ bytes);
}

/* Returns the checksum of a row. Those of all rows are added, so that threads can share the
 * rows. */
static uint64_t row_checksum(size_t row, const void *values, size_t bytes) {
  return checksum(stir(MULTIPLIER, row), values, bytes);
}

static uint64_t head_checksum(const file_head *head, const char *names) {
  uint64_t own = checksum(0, head, offsetof(file_head, own_checksum));
  return checksum(own, names, (size_t)head->name_bytes);
}

/* ---- reading ---- */

static size_t count_names(const mk_file_header *header) {
  return (header->row_names ? header->rows : 0) + (header->col_names ? header->cols : 0);
}

/* Returns 1 if there are as many zeros as names, with the last one at the end. */
static int are_names(const mk_file_header *header, const char *names) {
  size_t found = 0;
  for (size_t k = 0; k < header->name_bytes; k++) found += names[k] == '\0';
  int ends = header->name_bytes == 0 || names[header->name_bytes - 1] == '\0';
  return ends && found == count_names(header);
}

/* Returns a * b, or SIZE_MAX if that is too large. */
static uint64_t times(uint64_t a, uint64_t b) {
  return a != 0 && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

static int has_length(const file_head *head, uint64_t bytes) {
  return times(times(head->rows, head->cols), head->value_bytes) == bytes - head->offset;
}

static mk_file_fault find_fault(const file_head *head, const mk_mapped_file *map) {
  if (head->byte_order != BYTE_ORDER_MARK) return MK_FILE_BYTE_ORDER;
  if (head->version > VERSION) return MK_FILE_VERSION;
  if (head->value_bytes != sizeof(float) && head->value_bytes != sizeof(double))
    return MK_FILE_DAMAGED;
  if (head->offset % ALIGNMENT != 0 || head->offset < sizeof *head ||
      head->name_bytes > head->offset - sizeof *head)
    return MK_FILE_DAMAGED;
  if (head->offset > map->bytes) return MK_FILE_TRUNCATED;
  if (head_checksum(head, (const char *)map->at + sizeof *head) != head->own_checksum)
    return MK_FILE_DAMAGED;
  return has_length(head, map->bytes) ? MK_FILE_FINE : MK_FILE_TRUNCATED;
}

static mk_file_fault parse_file(mk_kernel_file *file) {
  file_head head;
  size_t known = mk_smaller(file->map.bytes, sizeof head);
  if (known < sizeof magic || memcmp(file->map.at, magic, sizeof magic) != 0)
    return MK_FILE_FOREIGN;
  if (known < sizeof head) return MK_FILE_TRUNCATED;
  memcpy(&head, file->map.at, sizeof head);
  mk_file_fault fault = find_fault(&head, &file->map);
  if (fault != MK_FILE_FINE) return fault;
  file->header = (mk_file_header){.rows = (size_t)head.rows,
                                  .cols = (size_t)head.cols,
                                  .single = head.value_bytes == sizeof(float),
                                  .symmetric = (head.flags & SYMMETRIC) != 0,
                                  .name_bytes = (size_t)head.name_bytes,
                                  .row_names = (head.flags & ROW_NAMES) != 0,
                                  .col_names = (head.flags & COL_NAMES) != 0,
                                  .checksum = head.checksum};
  file->names = (const char *)file->map.at + sizeof head;
  file->values = (mk_row){(void *)(file->map.at + head.offset), file->header.single};
  return are_names(&file->header, file->names) ? MK_FILE_FINE : MK_FILE_DAMAGED;
}

mk_file_fault mk_kernel_file_open(mk_kernel_file *file, const char *path) {
  *file = (mk_kernel_file){.names = NULL};
  if (mk_map_file(&file->map, path) != MK_OK) return MK_FILE_MISSING;
  mk_file_fault fault = parse_file(file);
  if (fault != MK_FILE_FINE) mk_kernel_file_close(file);
  return fault;
}

void mk_kernel_file_close(mk_kernel_file *file) {
  mk_unmap_file(&file->map);
  *file = (mk_kernel_file){.names = NULL};
}

typedef struct verification {
  const mk_kernel_file *file;
  uint64_t *sum; /* by block of rows */
} verification;

static mk_status sum_rows(void *data, size_t block, int thread) {
  const verification *v = data;
  const mk_file_header *header = &v->file->header;
  size_t end = mk_smaller((block + 1) * VERIFIED_ROWS, header->rows);
  (void)thread;
  for (size_t row = block * VERIFIED_ROWS; row < end; row++)
    v->sum[block] += row_checksum(row, mk_row_from(v->file->values, row * header->cols).at,
                                  header->cols * mk_row_size(header->single));
  return MK_OK;
}

mk_status mk_kernel_file_verify(const mk_kernel_file *file, const mk_control *control, int *same) {
  size_t blocks = (file->header.rows + VERIFIED_ROWS - 1) / VERIFIED_ROWS;
  verification v = {file, MK_NEW0(uint64_t, blocks + 1)};
  if (v.sum == NULL) return MK_NO_MEMORY;
  mk_status status = mk_for_each(blocks, control->team, control, sum_rows, &v);
  uint64_t sum = 0;
  for (size_t k = 0; k < blocks; k++) sum += v.sum[k];
  *same = sum == file->header.checksum;
  mk_free(v.sum);
  return status;
}

/* ---- writing ---- */

struct mk_file_writer {
  FILE *file;
  mk_file_header header;
  char *names;
  size_t row; /* the next row to write */
  uint64_t sum;
  float *narrow; /* one row; NULL: doubles */
};

static size_t values_offset(const mk_file_writer *w) {
  size_t used = sizeof(file_head) + w->header.name_bytes;
  return (used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static mk_status write_bytes(mk_file_writer *w, const void *data, size_t bytes) {
  return bytes == 0 || fwrite(data, 1, bytes, w->file) == bytes ? MK_OK : MK_NO_FILE;
}

static mk_status open_writer(mk_file_writer *w, const char *path, const char *names) {
  static const char zeros[ALIGNMENT];
  w->names = MK_NEW(char, w->header.name_bytes + 1);
  if (w->header.single) w->narrow = MK_NEW(float, w->header.cols + 1);
  if (w->names == NULL || (w->header.single && w->narrow == NULL)) return MK_NO_MEMORY;
  if (w->header.name_bytes > 0) memcpy(w->names, names, w->header.name_bytes);
  if ((w->file = fopen(path, "wb")) == NULL) return MK_NO_FILE;
  for (size_t at = 0; at < values_offset(w); at += ALIGNMENT)
    MK_TRY(write_bytes(w, zeros, ALIGNMENT));
  return MK_OK;
}

mk_status mk_file_writer_new(mk_file_writer **writer, const char *path,
                             const mk_file_header *header, const char *names) {
  mk_file_writer *w = *writer = MK_NEW0(mk_file_writer, 1);
  if (w == NULL) return MK_NO_MEMORY;
  w->header = *header;
  return open_writer(w, path, names);
}

size_t mk_file_writer_cols(const mk_file_writer *w) {
  return w->header.cols;
}

mk_status mk_file_writer_add(mk_file_writer *w, const double *values, size_t rows) {
  size_t cols = w->header.cols, bytes = cols * mk_row_size(w->header.single);
  if (w->file == NULL || rows > w->header.rows - w->row) return MK_BAD_ARGUMENT;
  for (size_t r = 0; r < rows; r++, values += cols) {
    const void *row = values;
    for (size_t c = 0; c < cols; c++) {
      if (w->narrow != NULL) w->narrow[c] = (float)values[c];
      if (!isfinite(w->narrow != NULL ? w->narrow[c] : values[c])) return MK_NOT_FINITE;
    }
    if (w->narrow != NULL) row = w->narrow;
    w->sum += row_checksum(w->row++, row, bytes);
    MK_TRY(write_bytes(w, row, bytes));
  }
  return MK_OK;
}

static file_head head_of(const mk_file_writer *w) {
  const mk_file_header *h = &w->header;
  file_head head = {.byte_order = BYTE_ORDER_MARK,
                    .version = VERSION,
                    .value_bytes = (uint32_t)mk_row_size(h->single),
                    .flags = (h->symmetric ? SYMMETRIC : 0u) | (h->row_names ? ROW_NAMES : 0u) |
                             (h->col_names ? COL_NAMES : 0u),
                    .rows = h->rows,
                    .cols = h->cols,
                    .name_bytes = h->name_bytes,
                    .offset = values_offset(w),
                    .checksum = w->sum};
  memcpy(head.magic, magic, sizeof magic);
  head.own_checksum = head_checksum(&head, w->names);
  return head;
}

mk_status mk_file_writer_finish(mk_file_writer *w) {
  if (w->file == NULL || w->row != w->header.rows) return MK_BAD_ARGUMENT;
  file_head head = head_of(w);
  rewind(w->file);
  MK_TRY(write_bytes(w, &head, sizeof head));
  MK_TRY(write_bytes(w, w->names, w->header.name_bytes));
  int closed = fclose(w->file) == 0;
  w->file = NULL;
  return closed ? MK_OK : MK_NO_FILE;
}

void mk_file_writer_free(mk_file_writer *w) {
  if (w == NULL) return;
  if (w->file != NULL) fclose(w->file);
  mk_free(w->names);
  mk_free(w->narrow);
  mk_free(w);
}
