/* Results for R: lists of values, and memory that R frees. */
#ifndef MK_RGLUE_RESULTS_H
#define MK_RGLUE_RESULTS_H

#include "problem/problem.h"
#include "rglue/glue.h"

/* One element of a list for R: a protected value, or numbers `stride` apart, as a matrix if it has
 * columns. */
typedef struct mk_item {
  const char *name;
  SEXP value;
  const double *from;
  size_t stride, rows, cols;
  SEXPTYPE type; /* type of a single number that is not a double */
  int is_matrix;
} mk_item;

#define MK_VALUE(label, x)                                                                         \
  { .name = (label), .value = (x) }
#define MK_VECTOR(label, x, count)                                                                 \
  { .name = (label), .from = (x), .stride = 1, .rows = (count), .cols = 1 }
#define MK_MATRIX(label, x, height, width)                                                         \
  { .name = (label), .from = (x), .stride = 1, .rows = (height), .cols = (width), .is_matrix = 1 }
#define MK_NUMBER(label, x) MK_VECTOR(label, &(double){x}, 1)
#define MK_TYPED(label, x, kind)                                                                   \
  { .name = (label), .from = &(double){x}, .stride = 1, .rows = 1, .cols = 1, .type = (kind) }
/* A double field of `count` structs that consist of doubles. */
#define MK_FIELD(label, lines, field, count)                                                       \
  {                                                                                                \
    .name = (label), .from = (count) > 0 ? &(lines)->field : NULL,                                 \
    .stride = sizeof *(lines) / sizeof(double), .rows = (count), .cols = 1                         \
  }
SEXP mk_wrap(const mk_item *item); /* the last item has no name */
SEXP mk_wrap_solution(const mk_problem *problem, size_t kernels, const mk_solution *solution,
                      mk_status status, const mk_item *more);

/* Allocates zeroed memory that R clears and frees when the returned pointer is no longer held, or
 * that mk_release() frees at once, whatever jump R makes. `kept` lives as long. */
SEXP mk_own(size_t size, void (*clear)(void *), SEXP tag, SEXP kept);
void *mk_owned(SEXP owner); /* NULL: released, or from another session */
void mk_release(SEXP owner);

/* Returns the number of a status as R expects it. */
int mk_status_code(mk_status status);

#endif
