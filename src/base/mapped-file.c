#define _POSIX_C_SOURCE 200112L /* for fseeko() */
/* Mapped files, for matrix/kernel-file.c and rglue/column-file.c: by CreateFileMapping() on
 * Windows, by mmap() elsewhere. */
#include "mapped-file.h"

#include <stdint.h>
#include <stdio.h>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* Windows keeps the file open for the view, so both handles are closed here. */
static mk_status map_handle(mk_mapped_file *file, HANDLE handle, int private) {
  LARGE_INTEGER size;
  if (!GetFileSizeEx(handle, &size) || (unsigned long long)size.QuadPart > SIZE_MAX)
    return MK_NO_FILE;
  if (size.QuadPart == 0) return MK_OK;
  HANDLE mapping =
      CreateFileMappingA(handle, NULL, private ? PAGE_WRITECOPY : PAGE_READONLY, 0, 0, NULL);
  if (mapping == NULL) return MK_NO_FILE;
  file->at = MapViewOfFile(mapping, private ? FILE_MAP_COPY : FILE_MAP_READ, 0, 0, 0);
  file->bytes = (size_t)size.QuadPart;
  CloseHandle(mapping);
  return file->at != NULL ? MK_OK : MK_NO_FILE;
}

static mk_status map_path(mk_mapped_file *file, const char *path, int private) {
  *file = (mk_mapped_file){NULL, 0};
  HANDLE handle = CreateFileA(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
  if (handle == INVALID_HANDLE_VALUE) return MK_NO_FILE;
  mk_status status = map_handle(file, handle, private);
  CloseHandle(handle);
  return status;
}

void mk_unmap_file(mk_mapped_file *file) {
  if (file->at != NULL) UnmapViewOfFile(file->at);
  *file = (mk_mapped_file){NULL, 0};
}

static int seek(FILE *file, uint64_t to) {
  return _fseeki64(file, (long long)to, SEEK_SET);
}

#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Private pages are copied only when written to, so no memory is set aside for them. */
#ifdef MAP_NORESERVE
#define PRIVATE (MAP_PRIVATE | MAP_NORESERVE)
#else
#define PRIVATE MAP_PRIVATE
#endif

/* The mapping keeps the file open, so the caller closes the descriptor. */
static mk_status map_descriptor(mk_mapped_file *file, int descriptor, int private) {
  struct stat facts;
  if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode) ||
      (uintmax_t)facts.st_size > SIZE_MAX)
    return MK_NO_FILE;
  if (facts.st_size == 0) return MK_OK;
  void *at = mmap(NULL, (size_t)facts.st_size, private ? PROT_READ | PROT_WRITE : PROT_READ,
                  private ? PRIVATE : MAP_SHARED, descriptor, 0);
  if (at == MAP_FAILED) return MK_NO_FILE;
  file->at = at;
  file->bytes = (size_t)facts.st_size;
  return MK_OK;
}

static mk_status map_path(mk_mapped_file *file, const char *path, int private) {
  *file = (mk_mapped_file){NULL, 0};
  int descriptor = open(path, O_RDONLY);
  if (descriptor < 0) return MK_NO_FILE;
  mk_status status = map_descriptor(file, descriptor, private);
  close(descriptor);
  return status;
}

void mk_unmap_file(mk_mapped_file *file) {
  if (file->at != NULL) munmap((void *)file->at, file->bytes);
  *file = (mk_mapped_file){NULL, 0};
}

static int seek(FILE *file, uint64_t to) {
  return fseeko(file, (off_t)to, SEEK_SET);
}
#endif

mk_status mk_map_file(mk_mapped_file *file, const char *path) {
  return map_path(file, path, 0);
}

mk_status mk_map_private(mk_mapped_file *file, const char *path) {
  return map_path(file, path, 1);
}

mk_status mk_write_rows(const char *path, const double *block, size_t rows, size_t cols,
                        size_t first, size_t height) {
  FILE *file = fopen(path, "r+b");
  if (file == NULL) file = fopen(path, "w+b");
  if (file == NULL) return MK_NO_FILE;
  int whole = 1;
  for (size_t j = 0; j < cols && whole; j++)
    whole = seek(file, ((uint64_t)j * height + first) * sizeof *block) == 0 &&
            fwrite(block + j * rows, sizeof *block, rows, file) == rows;
  return fclose(file) == 0 && whole ? MK_OK : MK_NO_FILE;
}
