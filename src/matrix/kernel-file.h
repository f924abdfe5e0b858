/* Kernel matrices in files, whose values lie row by row as they do in memory, so that a mapped file
 * is a precomputed kernel. R/kernel-file.R documents the format for users:
 *   magic (8 bytes), byte order, version, bytes of a value, flags (4 bytes each),
 *   rows, columns, bytes of names, offset of values, checksum of values, of the header (8 each),
 *   names of rows, then of columns, each with a zero at its end, values from the offset on.
 * Numbers are written as the machine has them; the mark of the byte order tells. */
#ifndef MK_KERNEL_FILE_H
#define MK_KERNEL_FILE_H

#include "base/control.h"
#include "base/mapped-file.h"
#include "base/row.h"

#include <stdint.h>

/* Why a file is not taken. */
typedef enum mk_file_fault {
  MK_FILE_FINE = 0,
  MK_FILE_MISSING,    /* or not readable */
  MK_FILE_FOREIGN,    /* not a kernel file */
  MK_FILE_BYTE_ORDER, /* of another kind of machine */
  MK_FILE_VERSION,    /* of a later version of the package */
  MK_FILE_TRUNCATED,  /* or with something behind its end */
  MK_FILE_DAMAGED     /* the header is not what was written */
} mk_file_fault;

typedef struct mk_file_header {
  size_t rows, cols;
  int single, symmetric;
  size_t name_bytes;
  int row_names, col_names; /* 1: there are names */
  uint64_t checksum;        /* of the values */
} mk_file_header;

/* ---- reading ---- */

typedef struct mk_kernel_file {
  mk_mapped_file map;
  mk_file_header header;
  const char *names; /* those of rows, if any, then those of columns */
  mk_row values;
} mk_kernel_file;

/* Looks at the header alone. */
mk_file_fault mk_kernel_file_open(mk_kernel_file *file, const char *path);
void mk_kernel_file_close(mk_kernel_file *file);
/* Reads all values: *same = 1 where they are those that were written. */
mk_status mk_kernel_file_verify(const mk_kernel_file *file, const mk_control *control, int *same);

/* ---- writing ---- */

typedef struct mk_file_writer mk_file_writer;

/* names: name_bytes of them. */
mk_status mk_file_writer_new(mk_file_writer **writer, const char *path,
                             const mk_file_header *header, const char *names);
size_t mk_file_writer_cols(const mk_file_writer *writer);
/* The next rows, one after the other. */
mk_status mk_file_writer_add(mk_file_writer *writer, const double *values, size_t rows);
/* The header comes last: a file that was not finished is none. */
mk_status mk_file_writer_finish(mk_file_writer *writer);
void mk_file_writer_free(mk_file_writer *writer);

#endif
