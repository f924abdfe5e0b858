/* Vectors of numbers whose values are in a mapped file. keep.c relies on their stable
 * addresses; column-file.c makes them. */
#include "mapped-values.h"

#include "base/mapped-file.h"
#include "rglue/results.h"

#include <R_ext/Altrep.h>

static R_altrep_class_t column_class;

static const mk_mapped_file *mapped(SEXP x) {
  const mk_mapped_file *file = mk_owned(R_altrep_data1(x));
  if (file == NULL || file->at == NULL) Rf_error("the file of the matrix is closed");
  return file;
}

static R_xlen_t column_length(SEXP x) {
  return (R_xlen_t)(mapped(x)->bytes / sizeof(double));
}

/* The mapping is private, so the address may be written to. */
static void *column_address(SEXP x, Rboolean writable) {
  (void)writable;
  return (void *)mapped(x)->at;
}

static const void *column_address_or_null(SEXP x) {
  return mapped(x)->at;
}

void mk_column_class(DllInfo *info) {
  column_class = R_make_altreal_class("columns", "manykernels", info);
  R_set_altrep_Length_method(column_class, column_length);
  R_set_altvec_Dataptr_method(column_class, column_address);
  R_set_altvec_Dataptr_or_null_method(column_class, column_address_or_null);
}

SEXP mk_in_file_new(SEXP pointer) {
  return R_new_altrep(column_class, pointer, R_NilValue);
}

int mk_in_file(SEXP x) {
  return ALTREP(x) && R_altrep_inherits(x, column_class);
}
