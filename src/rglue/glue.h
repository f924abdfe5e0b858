/* Between R and the core: parsing with errors, results, handles, callbacks.
 * Included by all of rglue/ and by init.c. */
#ifndef MK_GLUE_H
#define MK_GLUE_H

#include <R.h>
#include <Rinternals.h>

#include "base/control.h"
#include "base/pool.h"
#include "base/threads.h"
#include "kernel/set.h"
#include "optimizer/optimizers.h"
#include "string/sequences.h"

/* Each ends in an R error that names the argument unless x is what it should be; a length below 0
 * is any. */
double mk_arg_number(SEXP x, const char *name, double least, double most);
int mk_arg_int(SEXP x, const char *name, int least, int most);
int mk_arg_flag(SEXP x, const char *name);
const double *mk_arg_doubles(SEXP x, const char *name, R_xlen_t length); /* finite values */
const double *mk_arg_norms(SEXP x, const char *name, R_xlen_t length);   /* in [1, Inf] */
const int *mk_arg_ints(SEXP x, const char *name, R_xlen_t length, int least, int most);
/* Finite values, `rows` for each of *cols columns, at least one. */
const double *mk_arg_columns(SEXP x, const char *name, size_t rows, size_t *cols);
/* 1-based positions up to n, as 0-based ones in memory that R frees after the call. */
int *mk_arg_positions(SEXP x, const char *name, size_t n);
void mk_arg_list(SEXP x, const char *name, R_xlen_t length);
/* A double matrix, or list(dim, p, i, x); or a list of one of these and who has it. The owner keeps
 * what the view reads. */
void mk_arg_view(SEXP owner, SEXP x, mk_view *view);
/* list(code, start, letters), whose letters the owner keeps; starts lie in memory that R frees
 * after the call. */
mk_sequences mk_arg_sequences(SEXP owner, SEXP x);
SEXP mk_list_get(SEXP list, const char *field, const char *name); /* error when missing */
double mk_list_number(SEXP list, const char *field, const char *name, double least, double most);
int mk_list_flag(SEXP list, const char *field, const char *name);

/* One element of a list for R: a value that is protected, or numbers `stride` apart, as a matrix
 * where there is to be one. */
typedef struct mk_item {
  const char *name;
  SEXP value;
  const double *from;
  size_t stride, rows, cols;
  SEXPTYPE type; /* of a single number that is not to be a double */
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
/* A field, a double, of `count` structs that have nothing but doubles. */
#define MK_FIELD(label, lines, field, count)                                                       \
  {                                                                                                \
    .name = (label), .from = (count) > 0 ? &(lines)->field : NULL,                                 \
    .stride = sizeof *(lines) / sizeof(double), .rows = (count), .cols = 1                         \
  }
SEXP mk_wrap(const mk_item *item); /* up to one without a name */
SEXP mk_wrap_solution(const mk_problem *problem, size_t kernels, const mk_solution *solution,
                      mk_status status, const mk_item *more);

/* Zeroed memory that R clears and frees once nobody holds the pointer returned, or mk_release()
 * does at once: whatever jump R makes meanwhile. `kept` lives as long. */
SEXP mk_own(size_t size, void (*clear)(void *), SEXP tag, SEXP kept);
void *mk_owned(SEXP owner); /* NULL: released, or from another session */
void mk_release(SEXP owner);

/* A vector with the values of x, which lie still as long as its owner lives: x itself, unless it is
 * an ALTREP vector. Nothing else may give an address that outlives a call. What is not a vector of
 * numbers is kept as it is. */
SEXP mk_keep(SEXP owner, SEXP x);
SEXP mk_keeper(void); /* an owner of nothing else */
/* Values of doubles, integers or logicals, which lie still until the .Call ends. */
const void *mk_values(SEXP x);

typedef struct mk_handle {
  mk_kernel_set *set;
  mk_kernel_spec *specs;
  int *features;
  mk_pool pool; /* of what kernels in C read */
} mk_handle;

/* A function kernel of the core that R holds by a pointer with the tag mk_function_tag(): what
 * begins the memory that it owns. */
typedef struct mk_function_handle {
  mk_kernel_spec spec; /* its function, data and what goes with them */
  size_t samples;
} mk_function_handle;
SEXP mk_function_tag(void);
const mk_function_handle *mk_arg_function(SEXP pointer);

int mk_is_set(SEXP pointer); /* a handle of a set, dead or alive */
mk_kernel_set *mk_arg_set(SEXP pointer);
/* What R says of kernels; the last two are read from it. */
typedef struct mk_description {
  SEXP views, type, view, features, par, data;
  int samples, view_count;
  mk_view *parsed; /* in memory that R frees after the call */
} mk_description;

/* A handle with specs, without a set. */
SEXP mk_describe(mk_description *description);

/* The only way into the core and out of it: work(data) with *team made of so many threads. Then R
 * goes on where a call of it meanwhile wanted to; or has an error, if the work failed; or gets
 * MK_OK or the limit that was reached. What the core has allocated must be owned (mk_own). */
mk_status mk_run(int threads, mk_team **team, mk_work work, void *data);
mk_status mk_run_alone(mk_work work, void *data);
/* In mk_run(): body(data) where R may be asked to do anything; 0: R wants to go on elsewhere, and
 * the core should return. Calls after that one are refused. */
int mk_call(SEXP (*body)(void *data), void *data);
void mk_watch_begin(void); /* called by R's own thread, when the package is loaded */
/* An error of R for what the glue itself can't do. */
NORET void mk_fail(mk_status status);

/* Kernel files: a pointer to one, mapped or not any more; its values, n x n. */
int mk_is_file(SEXP pointer);
mk_row mk_arg_file_matrix(SEXP pointer, size_t n);

/* Problems but for their set and norm; boxes lie in memory that R frees after the call. */
mk_problem mk_arg_problem(size_t samples, SEXP y, SEXP cost, SEXP loss);
mk_norm mk_arg_norm(SEXP x, size_t kernels);
const double *mk_arg_theta(SEXP theta, size_t kernels); /* finite, not negative */
mk_optimizer mk_arg_optimizer(SEXP control, const mk_norm *norm);
/* The core's number of a status, as R knows them. */
int mk_status_code(mk_status status);
struct mk_sequential_solution;
SEXP mk_wrap_sequential(const mk_problem *problem, const struct mk_sequential_solution *s,
                        mk_status status);

/* list(tol, max_time, max_iter, cache, single, candidate), and a function or NULL. */
void mk_arg_progress(SEXP progress, mk_control *control);
mk_control mk_arg_control(SEXP control, SEXP progress);
/* No limits, no team; polls for interrupts. */
mk_control mk_plain_control(void);
int mk_arg_threads(SEXP x);
/* For kernel values and columns of so many rows: 1 where these are done before a team has met. */
int mk_threads_for(SEXP x, const mk_kernel_set *set, size_t rows);
int mk_poll_interrupt(void *data);

#include "rglue/entries.h"

#endif
