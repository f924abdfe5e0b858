/* Results for R: lists of named elements, and memory of the core that R owns. Called by the entry
 * points of rglue/. */
#include "results.h"

#include "base/memory.h"
#include "rglue/call.h"

#include <stddef.h>

/* ---- lists ---- */

static SEXP wrap_item(const mk_item *item) {
  if (item->value != NULL) return item->value;
  SEXP out = PROTECT(item->is_matrix ? Rf_allocMatrix(REALSXP, (int)item->rows, (int)item->cols)
                                     : Rf_allocVector(REALSXP, (R_xlen_t)item->rows));
  for (size_t k = 0; k < item->rows * item->cols; k++) REAL(out)[k] = item->from[k * item->stride];
  if (item->type != NILSXP) out = Rf_coerceVector(out, item->type);
  UNPROTECT(1);
  return out;
}

static R_xlen_t count_items(const mk_item *item) {
  R_xlen_t count = 0;
  while (item[count].name != NULL) count++;
  return count;
}

static SEXP wrap_both(const mk_item *first, const mk_item *more) {
  R_xlen_t split = count_items(first), count = split + count_items(more);
  SEXP list = PROTECT(Rf_allocVector(VECSXP, count));
  SEXP names = PROTECT(Rf_allocVector(STRSXP, count));
  for (R_xlen_t k = 0; k < count; k++) {
    const mk_item *item = k < split ? &first[k] : &more[k - split];
    SET_STRING_ELT(names, k, Rf_mkChar(item->name));
    SET_VECTOR_ELT(list, k, wrap_item(item));
  }
  Rf_setAttrib(list, R_NamesSymbol, names);
  UNPROTECT(2);
  return list;
}

SEXP mk_wrap(const mk_item *item) {
  return wrap_both(item, &(mk_item){NULL});
}

int mk_status_code(mk_status status) {
  return status == MK_OK                ? 0
         : status == MK_TIME_LIMIT      ? 1
         : status == MK_ITERATION_LIMIT ? 2
         : status == MK_INTERRUPTED     ? 3
                                        : 4;
}

SEXP mk_wrap_solution(const mk_problem *problem, size_t kernels, const mk_solution *s,
                      mk_status status, const mk_item *more) {
  size_t n = problem->n, tasks = problem->tasks;
  return wrap_both((const mk_item[]){MK_VECTOR("theta", s->theta, kernels),
                                     MK_MATRIX("alpha", s->alpha, n, tasks),
                                     MK_VECTOR("offset", s->offset, tasks),
                                     MK_NUMBER("objective", s->dual),
                                     MK_NUMBER("primal", s->primal),
                                     MK_NUMBER("gap", s->gap),
                                     MK_TYPED("status", mk_status_code(status), INTSXP),
                                     MK_NUMBER("iterations", s->iterations),
                                     MK_VECTOR("forms", s->forms, kernels),
                                     MK_MATRIX("decision", s->decision, n, tasks),
                                     MK_NUMBER("memory", (double)s->bytes),
                                     MK_NUMBER("solves", s->solves),
                                     MK_TYPED("optimizer", s->optimizer, INTSXP),
                                     {NULL}},
                   more);
}

/* ---- owners ---- */

typedef struct owned {
  void (*clear)(void *object);
  max_align_t object[];
} owned;

void mk_release(SEXP owner) {
  owned *memory = R_ExternalPtrAddr(owner);
  if (memory != NULL) memory->clear(memory->object);
  mk_free(memory);
  R_ClearExternalPtr(owner);
}

/* The finalizer is registered before there is anything to free. */
SEXP mk_own(size_t size, void (*clear)(void *), SEXP tag, SEXP kept) {
  SEXP owner = PROTECT(R_MakeExternalPtr(NULL, tag, kept));
  R_RegisterCFinalizerEx(owner, mk_release, TRUE);
  owned *memory = mk_calloc(1, sizeof *memory + size);
  if (memory == NULL) mk_fail(MK_NO_MEMORY);
  memory->clear = clear;
  R_SetExternalPtrAddr(owner, memory);
  UNPROTECT(1);
  return owner;
}

void *mk_owned(SEXP owner) {
  owned *memory = R_ExternalPtrAddr(owner);
  return memory != NULL ? memory->object : NULL;
}
