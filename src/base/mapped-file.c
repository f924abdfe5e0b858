/* Mapped files, for matrix/kernel-file.c: by CreateFileMapping() on Windows, by mmap() elsewhere.
 */
#include "mapped-file.h"

#include <stdint.h>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* Windows keeps the file open for the view, so both handles are closed here. */
static mk_status map_handle(mk_mapped_file *file, HANDLE handle) {
  LARGE_INTEGER size;
  if (!GetFileSizeEx(handle, &size) || (unsigned long long)size.QuadPart > SIZE_MAX)
    return MK_NO_FILE;
  if (size.QuadPart == 0) return MK_OK;
  HANDLE mapping = CreateFileMappingA(handle, NULL, PAGE_READONLY, 0, 0, NULL);
  if (mapping == NULL) return MK_NO_FILE;
  file->at = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0);
  file->bytes = (size_t)size.QuadPart;
  CloseHandle(mapping);
  return file->at != NULL ? MK_OK : MK_NO_FILE;
}

mk_status mk_map_file(mk_mapped_file *file, const char *path) {
  *file = (mk_mapped_file){NULL, 0};
  HANDLE handle = CreateFileA(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
  if (handle == INVALID_HANDLE_VALUE) return MK_NO_FILE;
  mk_status status = map_handle(file, handle);
  CloseHandle(handle);
  return status;
}

void mk_unmap_file(mk_mapped_file *file) {
  if (file->at != NULL) UnmapViewOfFile(file->at);
  *file = (mk_mapped_file){NULL, 0};
}

#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The mapping keeps the file open, so the caller closes the descriptor. */
static mk_status map_descriptor(mk_mapped_file *file, int descriptor) {
  struct stat facts;
  if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode) ||
      (uintmax_t)facts.st_size > SIZE_MAX)
    return MK_NO_FILE;
  if (facts.st_size == 0) return MK_OK;
  void *at = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (at == MAP_FAILED) return MK_NO_FILE;
  file->at = at;
  file->bytes = (size_t)facts.st_size;
  return MK_OK;
}

mk_status mk_map_file(mk_mapped_file *file, const char *path) {
  *file = (mk_mapped_file){NULL, 0};
  int descriptor = open(path, O_RDONLY);
  if (descriptor < 0) return MK_NO_FILE;
  mk_status status = map_descriptor(file, descriptor);
  close(descriptor);
  return status;
}

void mk_unmap_file(mk_mapped_file *file) {
  if (file->at != NULL) munmap((void *)file->at, file->bytes);
  *file = (mk_mapped_file){NULL, 0};
}
#endif
