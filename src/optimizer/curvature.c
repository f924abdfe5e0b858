#include "curvature.h"

#include "base/cholesky.h"
#include "base/mechanisms.h"
#include "base/memory.h"
#include "base/threads.h"
#include "optimizer/working-set.h"
#include "rows/base-block.h"
#include "svm/loss.h"
#include "svm/state.h"
#include "theta/compress.h"
#include "theta/norm.h"

#include <math.h>
#include <string.h>

/* addition to the diagonal, in rounding errors of rows, with which singular kernels can be
 * factored */
#define DIAGONAL_SHIFT_UNITS 100.0

/* The linear system of the free variables: rows of K_theta with psi'' added to the diagonal. */
typedef struct filling {
  const mk_svm *svm;
  const int *free;
  mk_row a, row[MK_BLOCK_ROWS];
  size_t first, count;
} filling;

static mk_status fill_row(void *data, size_t r, int thread) {
  const filling *fill = data;
  size_t k = fill->first + r, i = (size_t)fill->free[k];
  mk_row own = mk_row_from(fill->a, mk_factor_at(fill->count, k));
  mk_terms terms = mk_svm_terms(fill->svm);
  (void)thread;
  mk_row_gather(fill->row[r], fill->free, k + 1, own);
  mk_row_set(own, k, mk_row_at(own, k) + mk_loss_curvature(&terms, i, fill->svm->alpha[i]));
  return MK_OK;
}

/* Fills in the rows of the system, then u' (width x count), centred, and a row of ones. */
static mk_status fill_system(mk_fit_state *fit, filling *fill, size_t width, const double *u,
                             double *size) {
  size_t count = fill->count, rows;
  const double *diagonal = mk_gram_diagonal(fit->gram);
  for (; fill->first < count; fill->first += rows) {
    rows = mk_smaller(MK_BLOCK_ROWS, count - fill->first);
    MK_TRY(mk_gram_rows(fit->gram, fill->free + fill->first, &rows, fill->row));
    mk_buffer_touch(&fit->system,
                    mk_factor_at(count, fill->first + rows) * mk_row_size(fill->a.single));
    MK_TRY(mk_deal_out(rows, fit->control->team, fill_row, fill));
  }
  for (size_t k = 0; k < count; k++) *size = fmax(*size, diagonal[fill->free[k]]);
  for (size_t m = 0; m <= width; m++) {
    mk_row out = mk_row_from(fill->a, mk_factor_at(count, count + m));
    double mean = 0.0;
    int centred = m < width && !fill->svm->kind.no_offset;
    for (size_t k = 0; centred && k < count; k++) mean += u[k * width + m] / (double)count;
    for (size_t k = 0; k < count; k++)
      mk_row_set(out, k, m < width ? u[k * width + m] - mean : 1.0);
  }
  return MK_OK;
}

/* Computes out, the row minus its projection on `ones` (NULL: the row itself). */
static void subtract_projection(mk_row row, const double *ones, size_t count, size_t width,
                                double *out) {
  double along = 0.0, square = 0.0;
  for (size_t k = 0; k < count && ones == NULL; k++) out[k * width] = mk_row_at(row, k);
  if (ones == NULL) return;
  for (size_t k = 0; k < count; k++) {
    along += ones[k] * mk_row_at(row, k);
    square += ones[k] * ones[k];
  }
  for (size_t k = 0; k < count; k++) out[k * width] = mk_row_at(row, k) - along / square * ones[k];
}

/* Turns u (count x width by rows) into Z with Z'Z = u' Pi u: applies the factor of the free rows
 * and projects out their common shift. */
static mk_status project_responses(mk_fit_state *fit, const mk_svm *svm, const int *free,
                                   size_t count, size_t width, double *u) {
  int single = mk_gram_is_single(fit->gram);
  size_t rows = count + width + 1, values = mk_factor_at(count, rows);
  mk_row a = {mk_buffer_need(&fit->system, values, mk_row_size(single)), single};
  filling fill = {.svm = svm, .free = free, .a = a, .count = count};
  double *wide = MK_NEW(double, count), size = 0.0;
  mk_status status = a.at == NULL || wide == NULL ? MK_NO_MEMORY : MK_OK;
  if (status == MK_OK) status = fill_system(fit, &fill, width, u, &size);
  if (status == MK_OK)
    status = mk_factor(a, count, rows, DIAGONAL_SHIFT_UNITS * mk_gram_unit(fit->gram) * size,
                       fit->control);
  if (status == MK_OK) {
    const double *ones =
        svm->kind.no_offset
            ? NULL
            : mk_row_doubles(mk_row_from(a, mk_factor_at(count, rows - 1)), count, wide);
    for (size_t m = 0; m < width; m++)
      subtract_projection(mk_row_from(a, mk_factor_at(count, count + m)), ones, count, width,
                          u + m);
  }
  mk_free(wide);
  return status;
}

/* ---- free variables ---- */

/* Responses are smooth, so a sample gives nearly all of the Hessian, while the time of factors
 * grows with the cube of its size. Sparse norms need a larger sample. */
size_t mk_curvature_variables(const mk_fit_state *fit, size_t task) {
  size_t small = MK_SMALL_PROBLEM;
  size_t first = mk_norm_is_sparse(&fit->problem->norm) ? 2 * small : small;
  size_t all = mk_svm_free_count(&fit->svm[task]);
  return MK_WITH_FREE_SAMPLE ? mk_smaller(all, first << fit->step.doublings) : all;
}

int mk_curvature_is_sampled(const mk_fit_state *fit) {
  for (size_t t = 0; t < fit->problem->tasks; t++)
    if (mk_curvature_variables(fit, t) < mk_svm_free_count(&fit->svm[t])) return 1;
  return 0;
}

/* Lists `count` free variables, evenly spaced. */
static void list_free(const mk_svm *svm, size_t count, int *free) {
  size_t all = 0;
  for (size_t i = 0; i < svm->n; i++)
    if (mk_svm_is_free(svm, i)) free[all++] = (int)i;
  for (size_t k = 0; k < count; k++) free[k] = free[k * all / count];
}

/* Returns 1 if the largest factor, the responses and their compressed form, at most half as many
 * values, fit into the memory budget together with the rows. `total` is the number of free
 * variables of all tasks. */
static int system_fits(const mk_fit_state *fit, size_t width, size_t *total) {
  size_t largest = 0;
  *total = 0;
  for (size_t t = 0; t < fit->problem->tasks; t++) {
    size_t count = mk_curvature_variables(fit, t);
    *total += count;
    largest = count > largest ? count : largest;
  }
  double values = (double)mk_factor_at(largest, largest + width + 1);
  double bytes = (double)mk_row_size(mk_gram_is_single(fit->gram)) * values +
                 1.5 * (double)sizeof(double) * (double)*total * (double)width;
  return bytes <= mk_system_budget(fit->control);
}

mk_status mk_curvature(mk_fit_state *fit, double **z, size_t *rank) {
  size_t width = fit->kernels, total, rows = 0;
  *z = NULL;
  *rank = 0;
  if (!system_fits(fit, width, &total)) return MK_STALLED;
  int *free = MK_NEW(int, mk_gram_count(fit->gram));
  *z = MK_NEW(double, total *width + 1);
  mk_status status = free == NULL || *z == NULL ? MK_NO_MEMORY : MK_OK;
  if (fit->step_bytes < total * width * sizeof **z) fit->step_bytes = total * width * sizeof **z;
  for (size_t t = 0; status == MK_OK && t < fit->problem->tasks; t++) {
    const mk_svm *svm = &fit->svm[t];
    double *u = *z + rows * width;
    size_t count = mk_curvature_variables(fit, t);
    if (count < 2) continue;
    list_free(svm, count, free);
    status = mk_gram_member_responses(fit->gram, fit->alpha[t], free, count, u);
    if (status == MK_OK) status = project_responses(fit, svm, free, count, width, u);
    rows += count;
  }
  mk_free(free);
  *rank = rows;
  return status == MK_OK && MK_WITH_COMPRESSION ? mk_theta_compress(*z, rank, width) : status;
}
