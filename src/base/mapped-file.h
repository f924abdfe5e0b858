/* Files that are read as memory: the system brings in what is asked for, and drops it where memory
 * is short. Such a file must not shrink as long as it is mapped. */
#ifndef MK_MAPPED_FILE_H
#define MK_MAPPED_FILE_H

#include "base/status.h"

#include <stddef.h>

typedef struct mk_mapped_file {
  const unsigned char *at; /* NULL: not mapped, or an empty file */
  size_t bytes;
} mk_mapped_file;

/* MK_NO_FILE: there is no such file, or it can't be read. */
mk_status mk_map_file(mk_mapped_file *file, const char *path);
void mk_unmap_file(mk_mapped_file *file); /* one that is not mapped, too */

#endif
