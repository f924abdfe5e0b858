/* Stable addresses of values that R holds. R may move the values of an ALTREP vector, and free the
 * old ones, when code requests a writable address. Called by the entry points of rglue/ and
 * by arguments.c. */
#include "keep.h"

#include "rglue/mapped-values.h"

#include <R_ext/Altrep.h>

static int is_vector(SEXP x) {
  return TYPEOF(x) == REALSXP || TYPEOF(x) == INTSXP || TYPEOF(x) == LGLSXP || TYPEOF(x) == RAWSXP;
}

/* Returns the address of the values; x must not be ALTREP, other than a matrix in a file. */
static void *address(SEXP x) {
  if (TYPEOF(x) == REALSXP) return REAL(x);
  if (TYPEOF(x) == INTSXP) return INTEGER(x);
  return TYPEOF(x) == LGLSXP ? (void *)LOGICAL(x) : (void *)RAW(x);
}

static void copy_values(SEXP x, void *to) {
  R_xlen_t size = XLENGTH(x);
  if (TYPEOF(x) == REALSXP) REAL_GET_REGION(x, 0, size, to);
  if (TYPEOF(x) == INTSXP) INTEGER_GET_REGION(x, 0, size, to);
  if (TYPEOF(x) == LGLSXP) LOGICAL_GET_REGION(x, 0, size, to);
  if (TYPEOF(x) == RAWSXP) RAW_GET_REGION(x, 0, size, to);
}

/* Returns the vector inside a wrapper, which has the same values at the same address; NULL for
 * other vectors. */
static SEXP wrapped(SEXP x) {
  SEXP inner = R_altrep_data1(x);
  int same = TYPEOF(inner) == TYPEOF(x) && XLENGTH(inner) == XLENGTH(x);
  return same && DATAPTR_RO(inner) == DATAPTR_RO(x) ? inner : NULL;
}

static SEXP hold(SEXP owner, SEXP x, SEXP copied_from) {
  PROTECT(x);
  SEXP all = PROTECT(Rf_cons(x, R_ExternalPtrProtected(owner)));
  SET_TAG(all, copied_from);
  R_SetExternalPtrProtected(owner, all);
  UNPROTECT(2);
  return x;
}

/* Makes one copy for all readers of x. */
static SEXP hold_copy(SEXP owner, SEXP x) {
  for (SEXP cell = R_ExternalPtrProtected(owner); TYPEOF(cell) == LISTSXP; cell = CDR(cell))
    if (TAG(cell) == x) return CAR(cell);
  SEXP copy = PROTECT(Rf_allocVector(TYPEOF(x), XLENGTH(x)));
  copy_values(x, address(copy));
  hold(owner, copy, x);
  UNPROTECT(1);
  return copy;
}

SEXP mk_keep(SEXP owner, SEXP x) {
  while (is_vector(x) && ALTREP(x) && !mk_in_file(x)) {
    SEXP inner = wrapped(x);
    if (inner == NULL) return hold_copy(owner, x);
    x = inner;
  }
  return hold(owner, x, R_NilValue);
}

SEXP mk_keeper(void) {
  return R_MakeExternalPtr(NULL, R_NilValue, R_NilValue);
}

const void *mk_values(SEXP x) {
  if (!ALTREP(x) || mk_in_file(x)) return address(x);
  char *out = R_alloc((size_t)XLENGTH(x) + 1, TYPEOF(x) == REALSXP ? sizeof(double) : sizeof(int));
  copy_values(x, out);
  return out;
}
