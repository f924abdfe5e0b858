/* Files mapped into memory: the system loads the parts that are read, and drops them if memory is
 * short. A file must not shrink while it is mapped. */
#ifndef MK_MAPPED_FILE_H
#define MK_MAPPED_FILE_H

#include "base/status.h"

#include <stddef.h>

typedef struct mk_mapped_file {
  const unsigned char *at; /* NULL: not mapped, or an empty file */
  size_t bytes;
} mk_mapped_file;

/* MK_NO_FILE: the file does not exist or is not readable. */
mk_status mk_map_file(mk_mapped_file *file, const char *path);
/* Maps a file so that writing to the memory changes a private copy of the page, never the file. */
mk_status mk_map_private(mk_mapped_file *file, const char *path);
void mk_unmap_file(mk_mapped_file *file); /* accepts a file that is not mapped */

/* Writes rows from `first` on into a file that holds a matrix of `height` rows by columns, and
 * makes the file if there is none. `block` is rows x cols by columns. */
mk_status mk_write_rows(const char *path, const double *block, size_t rows, size_t cols,
                        size_t first, size_t height);

#endif
