/* Kernels that other packages provide in C; see native.h. Called by kernels.c and
 * R/kernel-native.R. */
#include "native.h"

#include "../../inst/include/manykernels.h"
#include "base/memory.h"
#include "rglue/arguments.h"
#include "rglue/call.h"
#include "rglue/results.h"

#include <string.h>

#define STRIP 64 /* samples that a thread takes at a time */

/* ---- pointers ---- */

static SEXP native_tag(void) {
  return Rf_install("manykernels_native");
}

static void destroy(void *data) {
  const manykernels_kernel *kernel = data;
  if (kernel->destroy != NULL) kernel->destroy(kernel->data);
}

int mk_native_abi(void) {
  return MANYKERNELS_ABI;
}

SEXP mk_native_pointer(const manykernels_kernel *kernel, SEXP kept) {
  if (kernel == NULL || kernel->abi < 1 || kernel->values == NULL)
    Rf_error("the kernel must have `abi` = MANYKERNELS_ABI and `values`");
  if (kernel->abi > MANYKERNELS_ABI)
    Rf_error("update manykernels: the kernel was built for interface %d, this version has %d",
             kernel->abi, MANYKERNELS_ABI);
  SEXP pointer = PROTECT(mk_own(sizeof *kernel, destroy, native_tag(), kept));
  memcpy(mk_owned(pointer), kernel, sizeof *kernel);
  UNPROTECT(1);
  return pointer;
}

int mk_is_native(SEXP pointer) {
  return TYPEOF(pointer) == EXTPTRSXP && R_ExternalPtrTag(pointer) == native_tag();
}

static const manykernels_kernel *arg_native(SEXP pointer) {
  const manykernels_kernel *kernel = mk_is_native(pointer) ? mk_owned(pointer) : NULL;
  if (kernel == NULL) Rf_error("`pointer` must be a kernel in C that is alive");
  return kernel;
}

/* Returns whether the kernel exists; NA if the pointer is of another kind. */
SEXP mk_r_native_alive(SEXP pointer) {
  return Rf_ScalarLogical(mk_is_native(pointer) ? mk_owned(pointer) != NULL : NA_LOGICAL);
}

/* ---- calls ---- */

typedef struct asking {
  const manykernels_kernel *kernel;
  size_t depth, x_count, z_count;
  const double *const *x, *const *z;
  double *out;
  int failed;
} asking;

static SEXP ask_kernel(void *data) {
  asking *a = data;
  const manykernels_kernel *kernel = a->kernel;
  a->failed = kernel->values(kernel->data, a->depth, a->x, a->x_count, a->z, a->z_count, a->out);
  return R_NilValue;
}

/* Calls a kernel; if that may call R, a jump of R is caught. */
static int call_kernel(asking *a) {
  a->failed = 1;
  if (a->kernel->thread_safe)
    ask_kernel(a);
  else if (!mk_call(ask_kernel, a))
    return 1;
  return a->failed != 0;
}

/* ---- kernels of sets ---- */

typedef struct native_use {
  const manykernels_kernel *kernel;
  const double *rows; /* samples x depth, by rows */
  size_t depth;
} native_use;

static int call_native(void *data, const int *rows, size_t row_count, const int *cols,
                       size_t col_count, double *out) {
  const native_use *use = data;
  const double **sample = MK_NEW(const double *, row_count + col_count);
  if (sample == NULL) return 1;
  for (size_t r = 0; r < row_count; r++) sample[r] = use->rows + (size_t)rows[r] * use->depth;
  for (size_t c = 0; c < col_count; c++)
    sample[row_count + c] = use->rows + (size_t)cols[c] * use->depth;
  asking a = {.kernel = use->kernel,
              .depth = use->depth,
              .x = sample,
              .x_count = row_count,
              .z = sample + row_count,
              .z_count = col_count,
              .out = out};
  int failed = call_kernel(&a);
  mk_free((void *)sample);
  return failed;
}

/* Copies column j of the view to to[i * depth]. */
static void copy_column(const mk_view *view, size_t j, size_t depth, double *to) {
  for (size_t i = 0; view->x != NULL && i < view->rows; i++)
    to[i * depth] = view->x[j * view->rows + i];
  for (int e = view->x == NULL ? view->start[j] : 0; view->x == NULL && e < view->start[j + 1]; e++)
    to[(size_t)view->row[e] * depth] = view->value[e];
}

void mk_use_native(mk_kernel_spec *spec, SEXP pointer, const mk_view *view, mk_pool *pool) {
  size_t depth = spec->features != NULL ? spec->feature_count : view->cols;
  native_use *use = MK_TAKE(pool, native_use, 1);
  double *rows = MK_TAKE0(pool, double, view->rows *depth);
  if (pool->failed) mk_fail(MK_NO_MEMORY);
  for (size_t k = 0; k < depth; k++)
    copy_column(view, spec->features != NULL ? (size_t)spec->features[k] : k, depth, rows + k);
  *use = (native_use){arg_native(pointer), rows, depth};
  spec->function = call_native;
  spec->function_data = use;
  spec->thread_safe = use->kernel->thread_safe != 0;
}

/* ---- values for R ---- */

static const double **by_rows(SEXP x, size_t rows, size_t depth) {
  const double **sample = (const double **)R_alloc(rows + 1, sizeof *sample);
  double *copy = (double *)R_alloc(rows * depth + 1, sizeof *copy);
  for (size_t i = 0; i < rows; i++) sample[i] = copy + i * depth;
  const double *value = REAL_RO(x);
  for (size_t k = 0; k < depth; k++)
    for (size_t i = 0; i < rows; i++) copy[i * depth + k] = value[k * rows + i];
  return sample;
}

static mk_status answer_strip(void *data, size_t k, int thread) {
  asking part = *(const asking *)data;
  size_t from = k * STRIP;
  (void)thread;
  part.z += from;
  part.out += from * part.x_count;
  part.z_count = mk_smaller(part.z_count - from, STRIP);
  return call_kernel(&part) ? MK_CALLBACK : MK_OK;
}

typedef struct answering {
  asking all;
  mk_control control;
} answering;

static mk_status answer_all(void *data) {
  answering *work = data;
  mk_team *team = work->all.kernel->thread_safe ? work->control.team : NULL;
  return mk_for_each((work->all.z_count + STRIP - 1) / STRIP, team, &work->control, answer_strip,
                     &work->all);
}

/* Returns kernel values between the rows of the double matrices x and z. */
SEXP mk_r_native_values(SEXP pointer, SEXP x, SEXP z, SEXP threads) {
  answering work = {.all.kernel = arg_native(pointer), .control = mk_plain_control()};
  asking *all = &work.all;
  if (!Rf_isReal(x) || !Rf_isMatrix(x) || !Rf_isReal(z) || !Rf_isMatrix(z) ||
      Rf_ncols(x) != Rf_ncols(z))
    Rf_error("`x` and `z` must be double matrices with the same columns");
  all->depth = (size_t)Rf_ncols(x);
  all->x_count = (size_t)Rf_nrows(x);
  all->z_count = (size_t)Rf_nrows(z);
  all->x = by_rows(x, all->x_count, all->depth);
  all->z = by_rows(z, all->z_count, all->depth);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)all->x_count, (int)all->z_count));
  all->out = REAL(out);
  mk_run(mk_arg_threads(threads), &work.control.team, answer_all, &work);
  UNPROTECT(1);
  return out;
}
