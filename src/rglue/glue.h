/* Between R and the core: parsing with errors, handles, callbacks. */
#ifndef MK_GLUE_H
#define MK_GLUE_H

#include <R.h>
#include <Rinternals.h>

#include "base/control.h"
#include "kernel/kernel.h"
#include "optimizer/optimizers.h"

/* Each ends in an R error that names the argument unless x is what it should be; a length below 0
 * is any. */
double mk_arg_number(SEXP x, const char *name, double least, double most);
int mk_arg_int(SEXP x, const char *name, int least, int most);
int mk_arg_flag(SEXP x, const char *name);
const double *mk_arg_doubles(SEXP x, const char *name, R_xlen_t length); /* finite values */
const double *mk_arg_norms(SEXP x, const char *name, R_xlen_t length);   /* in [1, Inf] */
const int *mk_arg_ints(SEXP x, const char *name, R_xlen_t length, int least, int most);
/* 1-based positions up to n, as 0-based ones in memory that R frees after the call. */
int *mk_arg_positions(SEXP x, const char *name, size_t n);
void mk_arg_list(SEXP x, const char *name, R_xlen_t length);
void mk_arg_view(SEXP x, mk_view *view); /* a double matrix, or list(dim, p, i, x) */
SEXP mk_list_get(SEXP list, const char *field, const char *name); /* error when missing */

typedef struct mk_handle {
  mk_kernel_set *set;
  mk_kernel_spec *specs;
  int *features;
} mk_handle;

int mk_is_set(SEXP pointer); /* a handle of a set, dead or alive */
mk_handle *mk_arg_set(SEXP pointer);
/* What R says of kernels; the last two are read from it. */
typedef struct mk_description {
  SEXP views, type, view, features, par, data;
  int samples, view_count;
  mk_view *parsed; /* in memory that R frees after the call */
} mk_description;

/* A handle with specs, without a set. */
SEXP mk_describe(mk_description *description);
/* body(data) where R may be asked to do anything; 0: R wants to go on elsewhere, and the core
 * should return. Calls after that one are refused. */
int mk_call(SEXP (*body)(void *data), void *data);
/* After the core has returned and everything is freed: lets R go on where a call wanted to, or ends
 * in an R error for a status that is a failure. */
void mk_fail(mk_status status);

/* Problems but for their set and norm; boxes lie in memory that R frees after the call. */
mk_problem mk_arg_problem(size_t samples, SEXP y, SEXP cost, SEXP loss);
const double *mk_arg_theta(SEXP theta, size_t kernels); /* finite, not negative */
mk_optimizer mk_arg_optimizer(SEXP control, const mk_norm *norm);
/* The core's number of a status, as R knows them. */
int mk_status_code(mk_status status);
struct mk_sequential_solution;
SEXP mk_wrap_sequential(const mk_problem *problem, const struct mk_sequential_solution *s,
                        mk_status status);
SEXP mk_wrap_doubles(const double *from, size_t count);
SEXP mk_wrap_matrix(const double *from, size_t rows, size_t cols);

/* list(tol, max_time, max_iter, cache, single, candidate), and a function or NULL. */
mk_control mk_arg_control(SEXP control, SEXP progress);
/* No limits, no team; polls for interrupts. */
mk_control mk_plain_control(void);
int mk_arg_threads(SEXP x);
/* For kernel values and columns of so many rows: 1 where these are done before a team has met. */
int mk_threads_for(SEXP x, const mk_kernel_set *set, size_t rows);
int mk_poll_interrupt(void *data);

SEXP mk_named_list(int count, const char **names, SEXP *values);

SEXP mk_r_set_new(SEXP views, SEXP type, SEXP view, SEXP features, SEXP par, SEXP data, SEXP n,
                  SEXP threads);
SEXP mk_r_set_normalize(SEXP set, SEXP centre, SEXP scaling, SEXP threads);
SEXP mk_r_set_constants(SEXP set, SEXP centre, SEXP scaling, SEXP scale, SEXP means, SEXP total,
                        SEXP known, SEXP full);
SEXP mk_r_fit(SEXP set, SEXP y, SEXP cost, SEXP loss, SEXP norm, SEXP control, SEXP start,
              SEXP progress);
SEXP mk_r_gap(SEXP set, SEXP theta, SEXP alpha, SEXP y, SEXP cost, SEXP loss, SEXP norm,
              SEXP threads);
SEXP mk_r_predict(SEXP set, SEXP theta, SEXP alpha, SEXP threads);
SEXP mk_r_inner_products(SEXP set, SEXP target, SEXP centred, SEXP threads);
SEXP mk_r_matrix(SEXP set, SEXP m, SEXP rows, SEXP cols, SEXP threads);
SEXP mk_r_inspect(SEXP matrices, SEXP n, SEXP threads);
SEXP mk_r_rademacher(SEXP type, SEXP p, SEXP kernels, SEXP n, SEXP radius, SEXP q);
SEXP mk_r_sign_values(SEXP set, SEXP signs, SEXP p, SEXP threads);
SEXP mk_r_largest_diagonal(SEXP set);
SEXP mk_r_gomp(SEXP set, SEXP rows, SEXP y, SEXP lambda, SEXP max_kernels, SEXP epsilon,
               SEXP control, SEXP progress);
SEXP mk_r_path_values(SEXP set, SEXP kernels, SEXP last, SEXP alpha, SEXP from, SEXP rows,
                      SEXP known, SEXP threads);
SEXP mk_r_forms(SEXP set, SEXP alpha, SEXP wanted, SEXP threads);
SEXP mk_r_local_fit(SEXP view, SEXP anchors, SEXP maps, SEXP y, SEXP cost, SEXP loss, SEXP control,
                    SEXP order, SEXP progress);
SEXP mk_r_local_gap(SEXP view, SEXP anchors, SEXP maps, SEXP selected, SEXP theta, SEXP alpha,
                    SEXP y, SEXP cost, SEXP loss, SEXP threads);
SEXP mk_r_local_decide(SEXP view, SEXP anchors, SEXP coefficients, SEXP maps, SEXP offset,
                       SEXP threads);
SEXP mk_r_stream_new(SEXP parts, SEXP views, SEXP n, SEXP threads);
SEXP mk_r_stream_strengths(SEXP stream, SEXP alpha, SEXP threads);
SEXP mk_r_sequential(SEXP stream, SEXP y, SEXP cost, SEXP loss, SEXP control, SEXP settings,
                     SEXP progress);
SEXP mk_r_threads(void);
SEXP mk_r_stay_alone(void);
SEXP mk_r_first_not_finite(SEXP x, SEXP threads); /* its position, 0: none */
SEXP mk_r_column_sums(SEXP x, SEXP weight, SEXP threads);
SEXP mk_r_column_scaling(SEXP x, SEXP threads);
SEXP mk_r_distances(SEXP x, SEXP threads);
SEXP mk_r_standardize(SEXP x, SEXP centre, SEXP scale, SEXP threads);

#endif
