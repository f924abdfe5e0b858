/* The bridge between R and the core: parsing with errors, results, handles, callbacks. Included by
 * all of rglue/ and by init.c. */
#ifndef MK_GLUE_H
#define MK_GLUE_H

#include <stdint.h>

#include <R.h>
#include <Rinternals.h>
#include <R_ext/Rdynload.h>

#include "base/control.h"
#include "base/pool.h"
#include "base/threads.h"
#include "kernel/set.h"
#include "optimizer/optimizers.h"
#include "string/sequences.h"

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
/* Parses a double matrix, list(dim, p, i, x), or list(one of these, who has the view). The owner
 * keeps the data that the view reads. */
void mk_arg_view(SEXP owner, SEXP x, mk_view *view);
/* Parses list(code, start, letters). The owner keeps the letters; starts are in memory that R frees
 * after the call. */
mk_sequences mk_arg_sequences(SEXP owner, SEXP x);
/* Returns a field, or ends in an error if it is missing. */
SEXP mk_list_get(SEXP list, const char *field, const char *name);
double mk_list_number(SEXP list, const char *field, const char *name, double least, double most);
int mk_list_flag(SEXP list, const char *field, const char *name);

/* Returns a size, the largest one there is if `value` is larger. */
static inline size_t mk_size(double value) {
  return value < (double)SIZE_MAX ? (size_t)value : SIZE_MAX;
}

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

/* Returns a vector with the values of x at an address that is stable while its owner lives: x
 * itself, unless it is an ALTREP vector. No other function may return an address that outlives a
 * call. Objects other than vectors of numbers are kept as they are. */
SEXP mk_keep(SEXP owner, SEXP x);
SEXP mk_keeper(void); /* an owner that holds nothing else */
/* Returns values of doubles, integers or logicals, stable until the .Call ends. */
const void *mk_values(SEXP x);

/* Vectors in mapped files, whose addresses are stable; made of a pointer that owns an
 * mk_mapped_file. */
int mk_in_file(SEXP x);
SEXP mk_in_file_new(SEXP pointer);
void mk_column_class(DllInfo *info); /* called when the package is loaded */

typedef struct mk_handle {
  mk_kernel_set *set;
  mk_kernel_spec *specs;
  int *features;
  mk_pool pool; /* memory for kernels in C */
} mk_handle;

/* The beginning of the memory behind a function kernel of the core, which R holds by a pointer with
 * the tag mk_function_tag(). */
typedef struct mk_function_handle {
  mk_kernel_spec spec; /* function, data and their flags */
  size_t samples;
} mk_function_handle;
SEXP mk_function_tag(void);
const mk_function_handle *mk_arg_function(SEXP pointer);

int mk_is_set(SEXP pointer); /* accepts a handle whose set is gone */
mk_kernel_set *mk_arg_set(SEXP pointer);
/* A description of kernels from R. The last two fields are parsed from it. */
typedef struct mk_description {
  SEXP views, type, view, features, par, data;
  int samples, view_count;
  mk_view *parsed; /* memory that R frees after the call */
} mk_description;

/* Returns a handle with specs but without a set. */
SEXP mk_describe(mk_description *description);

/* Enters the core: calls work(data) with *team set to a team of so many threads. This is the only
 * way in and out. mk_run() continues R's jump if a call of R made one, raises an R error if the
 * work failed, and otherwise returns MK_OK or the limit that was reached. Memory that the core
 * allocates must be owned (mk_own). */
mk_status mk_run(int threads, mk_team **team, mk_work work, void *data);
mk_status mk_run_alone(mk_work work, void *data);
/* Inside mk_run(): calls body(data), which may call R. Returns 0 if R has jumped; the core should
 * then return, and later calls are refused. */
int mk_call(SEXP (*body)(void *data), void *data);
void mk_watch_begin(void); /* called on R's thread when the package is loaded */
/* Raises an R error for failures of the glue itself. */
NORET void mk_fail(mk_status status);

/* A pointer to a kernel file, mapped or no longer mapped; its values, n x n. */
int mk_is_file(SEXP pointer);
mk_row mk_arg_file_matrix(SEXP pointer, size_t n);

/* Parses a problem without its set and norm. Boxes are in memory that R frees after the call. */
mk_problem mk_arg_problem(size_t samples, SEXP y, SEXP cost, SEXP loss);
mk_norm mk_arg_norm(SEXP x, size_t kernels);
const double *mk_arg_theta(SEXP theta, size_t kernels); /* finite and not negative */
mk_optimizer mk_arg_optimizer(SEXP control, const mk_norm *norm);
/* Returns the number of a status as R expects it. */
int mk_status_code(mk_status status);
struct mk_sequential_solution;
SEXP mk_wrap_sequential(const mk_problem *problem, const struct mk_sequential_solution *s,
                        mk_status status);

/* Parse list(tol, max_time, max_iter, cache, single, candidate), and a progress function or
 * NULL. */
void mk_arg_progress(SEXP progress, mk_control *control);
/* Parses a function of the share of normalisation that is done, or NULL, into control->share. */
void mk_arg_share(SEXP function, mk_control *control);
/* Returns MK_INTERRUPTED for work that a user has ended early, else the status. */
mk_status mk_end_of(const mk_control *control, mk_status status);
mk_control mk_arg_control(SEXP control, SEXP progress);
/* Returns a control without limits and team, which polls for interrupts. */
mk_control mk_plain_control(void);
int mk_arg_threads(SEXP x);
/* Returns the number of threads for kernel values and columns of so many rows: 1 if a team would
 * take longer to meet. */
int mk_threads_for(SEXP x, const mk_kernel_set *set, size_t rows);
int mk_poll_interrupt(void *data);

/* What the callbacks of a control need of R; their data. */
typedef struct mk_caller {
  SEXP progress; /* a function, or NULL */
  SEXP stopping; /* a function, called at the first interrupt, which ends the work early; NULL: an
                    interrupt jumps */
  SEXP save;     /* a function of a fit's state, or NULL */
  int ended;     /* 1 after that interrupt */
} mk_caller;
/* Passes that an R function makes, function(what, theta, rows, alpha) in R/blocks.R. */
typedef struct mk_far_passes {
  mk_passes passes;
  SEXP function;
  mk_caller *caller;
  size_t samples, kernels;
} mk_far_passes;
/* Sets the passes of a control; *far must outlive it. `function` may be NULL. */
void mk_arg_passes(SEXP function, const mk_kernel_set *set, mk_far_passes *far,
                   mk_control *control);
/* Calls body(data) like mk_call(). An interrupt within it may end the work early. */
int mk_call_stoppable(mk_caller *caller, SEXP (*body)(void *data), void *data);

#include "rglue/entries.h"

#endif
