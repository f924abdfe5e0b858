/* Matrices in temporary files that are mapped into memory: numeric matrices for R and for the core
 * whose pages the system loads when they are read, and drops when memory is short. Called by
 * R/row-blocks.R. */
#include "base/mapped-file.h"
#include "rglue/arguments.h"
#include "rglue/mapped-values.h"
#include "rglue/results.h"

static void unmap(void *file) {
  mk_unmap_file(file);
}

/* Returns the matrix in a file, with the names of rows and columns, or NULL if the file has another
 * size. */
SEXP mk_r_column_file(SEXP path, SEXP rows, SEXP cols, SEXP names) {
  const char *where = mk_arg_string(path, "path");
  int n = mk_arg_int(rows, "rows", 1, INT_MAX), p = mk_arg_int(cols, "cols", 1, INT_MAX);
  mk_arg_list(names, "names", 2);
  SEXP tag = Rf_install("manykernels_columns");
  SEXP pointer = PROTECT(mk_own(sizeof(mk_mapped_file), unmap, tag, R_NilValue));
  mk_mapped_file *file = mk_owned(pointer);
  if (mk_map_private(file, where) != MK_OK || file->at == NULL ||
      file->bytes / sizeof(double) / (size_t)p != (size_t)n ||
      file->bytes != (size_t)n * (size_t)p * sizeof(double)) {
    UNPROTECT(1);
    return R_NilValue;
  }
  SEXP out = PROTECT(mk_in_file_new(pointer));
  SEXP dim = PROTECT(Rf_allocVector(INTSXP, 2));
  INTEGER(dim)[0] = n;
  INTEGER(dim)[1] = p;
  Rf_setAttrib(out, R_DimSymbol, dim);
  if (VECTOR_ELT(names, 0) != R_NilValue || VECTOR_ELT(names, 1) != R_NilValue)
    Rf_setAttrib(out, R_DimNamesSymbol, names);
  UNPROTECT(3);
  return out;
}

/* Writes a block of rows, the first of which is the matrix's row number `first`; FALSE if that
 * failed. */
SEXP mk_r_write_rows(SEXP path, SEXP block, SEXP first, SEXP height) {
  const char *where = mk_arg_string(path, "path");
  if (!Rf_isReal(block) || !Rf_isMatrix(block)) Rf_error("`block` must be a double matrix");
  int rows = Rf_nrows(block), n = mk_arg_int(height, "height", rows, INT_MAX);
  int from = mk_arg_int(first, "first", 1, n - rows + 1);
  return Rf_ScalarLogical(mk_write_rows(where, REAL_RO(block), (size_t)rows,
                                        (size_t)Rf_ncols(block), (size_t)from - 1,
                                        (size_t)n) == MK_OK);
}

SEXP mk_r_in_file(SEXP x) {
  return Rf_ScalarLogical(mk_in_file(x));
}
