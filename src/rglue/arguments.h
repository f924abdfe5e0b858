/* Arguments of entry points, and fields of lists, parsed with errors. */
#ifndef MK_RGLUE_ARGUMENTS_H
#define MK_RGLUE_ARGUMENTS_H

#include "base/control.h"
#include "kernel/set.h"
#include "rglue/glue.h"

/* Each of these returns the argument, or ends in an R error that names it. A negative length allows
 * any. */
double mk_arg_number(SEXP x, const char *name, double least, double most);
int mk_arg_int(SEXP x, const char *name, int least, int most);
int mk_arg_flag(SEXP x, const char *name);
const double *mk_arg_doubles(SEXP x, const char *name, R_xlen_t length); /* finite values */
const double *mk_arg_norms(SEXP x, const char *name, R_xlen_t length);   /* in [1, Inf] */
const int *mk_arg_ints(SEXP x, const char *name, R_xlen_t length, int least, int most);
/* Returns finite values, `rows` in each of *cols columns, at least one column. */
const double *mk_arg_columns(SEXP x, const char *name, size_t rows, size_t *cols);
/* Converts 1-based positions up to n to 0-based ones, in memory that R frees after the call. */
int *mk_arg_positions(SEXP x, const char *name, size_t n);
const char *mk_arg_string(SEXP x, const char *name);
void mk_arg_list(SEXP x, const char *name, R_xlen_t length);
/* Returns a field, or ends in an error if it is missing. */
SEXP mk_list_get(SEXP list, const char *field, const char *name);
double mk_list_number(SEXP list, const char *field, const char *name, double least, double most);
int mk_list_flag(SEXP list, const char *field, const char *name);

/* Returns a size, the largest one there is if `value` is larger. */
static inline size_t mk_size(double value) {
  return value < (double)SIZE_MAX ? (size_t)value : SIZE_MAX;
}

/* Returns a control without limits and team, which polls for interrupts. */
mk_control mk_plain_control(void);
int mk_arg_threads(SEXP x);
/* Returns the number of threads for kernel values and columns of so many rows: 1 if a team would
 * take longer to meet. */
int mk_threads_for(SEXP x, const mk_kernel_set *set, size_t rows);

#endif
