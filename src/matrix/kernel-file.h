/* Kernel matrices in files whose values are stored row by row as in memory, so that a mapped file
 * is a precomputed kernel. R/kernel-file.R documents the format for users:
 *   magic (8 bytes), byte order, version, bytes of a value, flags (4 bytes each),
 *   rows, columns, bytes of names, offset of values, checksum of values, of the header (8 each),
 *   names of rows, then of columns, each with a zero at its end, values from the offset on.
 * Numbers are in the byte order of the machine that wrote them, which the byte-order mark shows. */
#ifndef MK_KERNEL_FILE_H
#define MK_KERNEL_FILE_H

#include "base/control.h"
#include "base/mapped-file.h"
#include "base/row.h"

#include <stdint.h>

/* The reasons why a file is refused. */
typedef enum mk_file_fault {
  MK_FILE_FINE = 0,
  MK_FILE_MISSING,    /* the file does not exist or is not readable */
  MK_FILE_FOREIGN,    /* the file is not a kernel file */
  MK_FILE_BYTE_ORDER, /* written on a machine of another byte order */
  MK_FILE_VERSION,    /* written by a later version of the package */
  MK_FILE_TRUNCATED,  /* too short, or with data behind its end */
  MK_FILE_DAMAGED     /* the header's checksum is wrong */
} mk_file_fault;

typedef struct mk_file_header {
  size_t rows, cols;
  int single, symmetric;
  size_t name_bytes;
  int row_names, col_names; /* 1 if there are names */
  uint64_t checksum;        /* checksum of the values */
} mk_file_header;

/* ---- reading ---- */

typedef struct mk_kernel_file {
  mk_mapped_file map;
  mk_file_header header;
  const char *names; /* names of rows, if any, then names of columns */
  mk_row values;
} mk_kernel_file;

/* Opens a file and checks its header only. */
mk_file_fault mk_kernel_file_open(mk_kernel_file *file, const char *path);
void mk_kernel_file_close(mk_kernel_file *file);
/* Reads all values; *same is 1 if their checksum is the header's. */
mk_status mk_kernel_file_verify(const mk_kernel_file *file, const mk_control *control, int *same);

/* ---- writing ---- */

typedef struct mk_file_writer mk_file_writer;

/* Creates a file; `names` has name_bytes bytes. */
mk_status mk_file_writer_new(mk_file_writer **writer, const char *path,
                             const mk_file_header *header, const char *names);
size_t mk_file_writer_cols(const mk_file_writer *writer);
/* Writes the next rows, in order. */
mk_status mk_file_writer_add(mk_file_writer *writer, const double *values, size_t rows);
/* Writes the header last, so that an unfinished file is not valid. */
mk_status mk_file_writer_finish(mk_file_writer *writer);
void mk_file_writer_free(mk_file_writer *writer);

#endif
