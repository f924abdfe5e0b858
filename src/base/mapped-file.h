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
void mk_unmap_file(mk_mapped_file *file); /* accepts a file that is not mapped */

#endif
