/* The matrix of the interior point's Newton steps, A = Delta + K_theta + U D^-1 U' with the box's
 * curvature Delta, and systems with it. If few columns make all kernels, A = Delta + P'P with few
 * rows P, and a system costs one factor of as many variables (Woodbury's formula). Called by
 * interior-step.c. MATHEMATICS.md, section 3.2. */
#include "interior-system.h"

#include "base/cholesky.h"
#include "base/product.h"
#include "svm/loss.h"
#include "theta/barrier.h"

#include <math.h>
#include <string.h>

#define DIAGONAL_SHIFT 1e-16 /* shift of A's diagonal, as a share of its largest entry */

/* ---- which one, and its memory ---- */

static size_t rows_of_parts(const mk_interior_point *in, const mk_thin *columns) {
  return in->tasks * columns->count + (in->moves_theta ? in->kernels : 0);
}

void mk_interior_choose_system(mk_interior_point *in) {
  const mk_thin *columns = mk_gram_thin(in->fit->gram);
  if (columns == NULL) return;
  size_t width = rows_of_parts(in, columns);
  if (2 * width > in->size) return; /* with less than two variables per row of P, A is quicker */
  in->columns = columns;
  in->width = width;
}

size_t mk_interior_system_values(const mk_interior_point *in) {
  size_t n = in->size, w = in->width;
  if (in->columns == NULL) return n * n + mk_product_work(n);
  return w * n + w * w + w + 2 * n + mk_product_work(w);
}

void mk_interior_lay_out_system(mk_interior_point *in, double **next) {
  size_t n = in->size, w = in->width, factored = in->columns != NULL ? w : n;
  in->factor = mk_take(next, factored * factored);
  in->work = mk_take(next, mk_product_work(factored));
  if (in->columns == NULL) return;
  in->parts = mk_take(next, w * n);
  in->projected = mk_take(next, w);
  in->target = mk_take(next, n);
  in->scaled = mk_take(next, n);
}

/* ---- A itself ---- */

static mk_status fill_rows(mk_interior_point *in) {
  mk_fit_state *fit = in->fit;
  mk_status status = MK_OK;
  size_t n = in->size;
  for (size_t k = 0; k < n; k++) {
    double *out = in->factor + k * n;
    mk_row row = mk_gram_row(fit->gram, (size_t)in->position[k], &status);
    if (row.at == NULL) return status;
    memset(out, 0, (k + 1) * sizeof(double));
    for (size_t l = in->from[in->task[k]]; l <= k; l++)
      out[l] = in->side[k] * in->side[l] * mk_row_at(row, (size_t)in->position[l]);
    out[k] += in->delta[k];
  }
  if (in->moves_theta)
    mk_product_add(n, in->kernels, in->u, in->d, in->work, fit->control->team, in->factor);
  return MK_OK;
}

static mk_status factor_rows(mk_interior_point *in) {
  size_t n = in->size;
  double size = 0.0;
  MK_TRY(fill_rows(in));
  for (size_t k = 0; k < n; k++) size = fmax(size, in->factor[k * n + k]);
  return mk_cholesky_within(in->factor, n, DIAGONAL_SHIFT * size, in->fit->control);
}

/* ---- A by its parts ---- */

static void fill_parts(mk_interior_point *in) {
  size_t n = in->size, d = in->columns->count;
  memset(in->parts, 0, in->width * n * sizeof(double));
  for (size_t t = 0; t < in->tasks; t++) {
    size_t from = in->from[t], count = in->from[t + 1] - from;
    double *own = in->parts + t * d * n + from;
    mk_thin_spread(in->columns, in->position + from, count, own, n);
    for (size_t j = 0; j < d; j++)
      for (size_t k = 0; k < count; k++) own[j * n + k] *= in->side[from + k];
  }
  double *own = in->parts + in->tasks * d * n;
  for (size_t m = 0; in->moves_theta && m < in->kernels; m++) {
    double scale = 1.0 / sqrt(in->d[m]);
    for (size_t k = 0; k < n; k++) own[m * n + k] = scale * in->u[k * in->kernels + m];
  }
}

/* Factors P Delta^-1 P' + I = LL'. */
static mk_status factor_parts(mk_interior_point *in) {
  fill_parts(in);
  memset(in->factor, 0, in->width * in->width * sizeof(double));
  mk_product_add(in->width, in->size, in->parts, in->delta, in->work, in->fit->control->team,
                 in->factor);
  return mk_cholesky_within(in->factor, in->width, 1.0, in->fit->control);
}

static void project_on_parts(const mk_interior_point *in, const double *x) {
  for (size_t j = 0; j < in->width; j++)
    in->projected[j] = in->simd->dot(in->size, in->parts + j * in->size, x);
}

/* Computes out -= P' projected. */
static void subtract_parts(const mk_interior_point *in, double *out) {
  for (size_t j = 0; j < in->width; j++)
    in->simd->axpy(in->size, -in->projected[j], in->parts + j * in->size, out);
}

/* Adds an approximation of A^-1 target to x, and overwrites target. */
static void add_solution(const mk_interior_point *in, double *x) {
  for (size_t k = 0; k < in->size; k++) in->scaled[k] = in->target[k] / in->delta[k];
  project_on_parts(in, in->scaled);
  mk_solve_lower(in->factor, in->width, in->projected);
  mk_solve_upper(in->factor, in->width, in->projected);
  subtract_parts(in, in->target);
  for (size_t k = 0; k < in->size; k++) x[k] += in->target[k] / in->delta[k];
}

static void solve_by_parts(const mk_interior_point *in, const double *right, double *x) {
  size_t n = in->size;
  memcpy(in->target, right, n * sizeof(double));
  memset(x, 0, n * sizeof(double));
  add_solution(in, x);
  /* one refinement, since Delta of free variables is tiny near the end */
  for (size_t l = 0; l < n; l++) in->target[l] = right[l] - in->delta[l] * x[l];
  project_on_parts(in, x);
  subtract_parts(in, in->target);
  add_solution(in, x);
}

/* ---- both ---- */

static void find_delta(mk_interior_point *in) {
  for (size_t k = 0; k < in->size; k++) {
    mk_terms terms = mk_svm_terms(&in->fit->svm[in->task[k]]);
    in->delta[k] =
        mk_loss_curvature(&terms, (size_t)in->position[k], in->a[k]) + mk_interior_bend(in, k);
  }
}

mk_status mk_interior_factor(mk_interior_point *in) {
  find_delta(in);
  return in->columns != NULL ? factor_parts(in) : factor_rows(in);
}

void mk_interior_solve(mk_interior_point *in, const double *right, double *x) {
  if (in->columns != NULL) {
    solve_by_parts(in, right, x);
    return;
  }
  memcpy(x, right, in->size * sizeof(double));
  mk_solve_lower(in->factor, in->size, x);
  mk_solve_upper(in->factor, in->size, x);
}
