/* Entry points for kernel files. Called by R/kernel-file.R; kernels.c reads open files. */
#include "files.h"

#include "matrix/kernel-file.h"
#include "rglue/arguments.h"
#include "rglue/call.h"
#include "rglue/results.h"

#include <stdio.h>
#include <string.h>

/* ---- handles ---- */

static SEXP file_tag(void) {
  return Rf_install("manykernels_file");
}

static SEXP writer_tag(void) {
  return Rf_install("manykernels_file_writer");
}

static void close_file(void *data) {
  mk_kernel_file_close(data);
}

static void close_writer(void *data) {
  mk_file_writer_free(*(mk_file_writer **)data);
}

int mk_is_file(SEXP pointer) {
  return TYPEOF(pointer) == EXTPTRSXP && R_ExternalPtrTag(pointer) == file_tag();
}

static const mk_kernel_file *arg_file(SEXP pointer) {
  if (!mk_is_file(pointer)) Rf_error("`file` must be a handle of a kernel file");
  const mk_kernel_file *file = mk_owned(pointer);
  if (file == NULL || file->values.at == NULL)
    Rf_error("`file` is not open any more (handles do not survive saving)");
  return file;
}

mk_row mk_arg_file_matrix(SEXP pointer, size_t n) {
  const mk_kernel_file *file = arg_file(pointer);
  if (file->header.rows != n || file->header.cols != n || !file->header.symmetric)
    Rf_error("`data` of a precomputed kernel must be a symmetric %.0f x %.0f file", (double)n,
             (double)n);
  return file->values;
}

/* ---- reading ---- */

/* Returns the next `count` names, or NULL if there are none. */
static SEXP next_names(const char **names, size_t count, int any) {
  if (!any) return R_NilValue;
  SEXP out = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count));
  for (size_t k = 0; k < count; k++) {
    SET_STRING_ELT(out, (R_xlen_t)k, Rf_mkCharCE(*names, CE_UTF8));
    *names += strlen(*names) + 1;
  }
  UNPROTECT(1);
  return out;
}

/* Returns the reason for refusing the file (0: none), and its header. */
SEXP mk_r_file_open(SEXP path) {
  const char *where = mk_arg_string(path, "path");
  SEXP pointer = PROTECT(mk_own(sizeof(mk_kernel_file), close_file, file_tag(), R_NilValue));
  mk_kernel_file *file = mk_owned(pointer);
  mk_file_fault fault = mk_kernel_file_open(file, where);
  const mk_file_header *header = &file->header;
  const char *names = file->names;
  char checksum[17];
  snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)header->checksum);
  SEXP row_names = PROTECT(next_names(&names, header->rows, header->row_names));
  SEXP col_names = PROTECT(next_names(&names, header->cols, header->col_names));
  SEXP out = mk_wrap((const mk_item[]){MK_VALUE("pointer", pointer),
                                       MK_TYPED("fault", fault, INTSXP),
                                       MK_NUMBER("rows", (double)header->rows),
                                       MK_NUMBER("cols", (double)header->cols),
                                       MK_TYPED("single", header->single, LGLSXP),
                                       MK_TYPED("symmetric", header->symmetric, LGLSXP),
                                       MK_VALUE("row_names", row_names),
                                       MK_VALUE("col_names", col_names),
                                       MK_VALUE("checksum", PROTECT(Rf_mkString(checksum))),
                                       {NULL}});
  UNPROTECT(4);
  return out;
}

typedef struct verifying {
  const mk_kernel_file *file;
  mk_control control;
  int same;
} verifying;

static mk_status verify_file(void *data) {
  verifying *work = data;
  return mk_kernel_file_verify(work->file, &work->control, &work->same);
}

SEXP mk_r_file_verify(SEXP pointer, SEXP threads) {
  verifying work = {arg_file(pointer), mk_plain_control(), 0};
  mk_run(mk_arg_threads(threads), &work.control.team, verify_file, &work);
  return Rf_ScalarLogical(work.same);
}

SEXP mk_r_file_values(SEXP pointer, SEXP rows, SEXP cols) {
  const mk_kernel_file *file = arg_file(pointer);
  const int *row = mk_arg_positions(rows, "rows", file->header.rows);
  const int *col = mk_arg_positions(cols, "cols", file->header.cols);
  R_xlen_t height = XLENGTH(rows), width = XLENGTH(cols);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)height, (int)width));
  for (R_xlen_t i = 0; i < height; i++) {
    mk_row from = mk_row_from(file->values, (size_t)row[i] * file->header.cols);
    for (R_xlen_t j = 0; j < width; j++)
      REAL(out)[j * height + i] = mk_row_at(from, (size_t)col[j]);
  }
  UNPROTECT(1);
  return out;
}

/* ---- writing ---- */

static size_t names_length(SEXP names, const char *argument, size_t count) {
  size_t bytes = 0;
  if (names == R_NilValue) return 0;
  if (TYPEOF(names) != STRSXP || (size_t)XLENGTH(names) != count)
    Rf_error("`%s` must be NULL or %.0f strings", argument, (double)count);
  for (R_xlen_t k = 0; k < XLENGTH(names); k++)
    bytes += strlen(Rf_translateCharUTF8(STRING_ELT(names, k))) + 1;
  return bytes;
}

static char *copy_names(char *to, SEXP names) {
  for (R_xlen_t k = 0; names != R_NilValue && k < XLENGTH(names); k++) {
    const char *name = Rf_translateCharUTF8(STRING_ELT(names, k));
    size_t bytes = strlen(name) + 1;
    memcpy(to, name, bytes);
    to += bytes;
  }
  return to;
}

typedef struct creating {
  mk_file_writer **writer;
  const char *path, *names;
  const mk_file_header *header;
} creating;

static mk_status create_writer(void *data) {
  creating *work = data;
  return mk_file_writer_new(work->writer, work->path, work->header, work->names);
}

SEXP mk_r_file_create(SEXP path, SEXP rows, SEXP cols, SEXP single, SEXP symmetric, SEXP row_names,
                      SEXP col_names) {
  mk_file_header header = {.rows = (size_t)mk_arg_int(rows, "rows", 0, INT_MAX),
                           .cols = (size_t)mk_arg_int(cols, "cols", 1, INT_MAX),
                           .single = mk_arg_flag(single, "single"),
                           .symmetric = mk_arg_flag(symmetric, "symmetric"),
                           .row_names = row_names != R_NilValue,
                           .col_names = col_names != R_NilValue};
  const char *where = mk_arg_string(path, "path");
  header.name_bytes = names_length(row_names, "row_names", header.rows) +
                      names_length(col_names, "col_names", header.cols);
  char *names = R_alloc(header.name_bytes + 1, 1);
  copy_names(copy_names(names, row_names), col_names);
  SEXP pointer = PROTECT(mk_own(sizeof(mk_file_writer *), close_writer, writer_tag(), R_NilValue));
  mk_run_alone(create_writer, &(creating){mk_owned(pointer), where, names, &header});
  UNPROTECT(1);
  return pointer;
}

static mk_file_writer **arg_writer(SEXP pointer) {
  mk_file_writer **writer = NULL;
  if (TYPEOF(pointer) == EXTPTRSXP && R_ExternalPtrTag(pointer) == writer_tag())
    writer = mk_owned(pointer);
  if (writer == NULL || *writer == NULL) Rf_error("`writer` must be a kernel file being written");
  return writer;
}

typedef struct adding {
  mk_file_writer *writer;
  const double *rows;
  size_t count;
} adding;

static mk_status add_rows(void *data) {
  adding *work = data;
  return mk_file_writer_add(work->writer, work->rows, work->count);
}

/* Writes the next rows, which are the columns of `rows`. */
SEXP mk_r_file_add(SEXP pointer, SEXP rows) {
  mk_file_writer *writer = *arg_writer(pointer);
  size_t cols = mk_file_writer_cols(writer);
  if (!Rf_isReal(rows) || (size_t)XLENGTH(rows) % cols != 0)
    Rf_error("`rows` must be a double matrix with %.0f rows", (double)cols);
  mk_run_alone(add_rows, &(adding){writer, REAL_RO(rows), (size_t)XLENGTH(rows) / cols});
  return R_NilValue;
}

static mk_status finish_writer(void *data) {
  mk_file_writer **writer = data;
  mk_status status = mk_file_writer_finish(*writer);
  mk_file_writer_free(*writer);
  *writer = NULL;
  return status;
}

SEXP mk_r_file_finish(SEXP pointer) {
  mk_run_alone(finish_writer, arg_writer(pointer));
  return R_NilValue;
}
