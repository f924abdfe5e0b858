/* Solves the systems of the proximal point method: by conjugate gradients where these are quicker
 * than a factor or a factor does not fit the memory, otherwise by a factor, or by columns. Called
 * by proximal.c. MATHEMATICS.md, section 3.1. */
#include "proximal-system.h"

#include "base/cholesky.h"
#include "base/mechanisms.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

#define CG_SHARE 1e-3 /* share of the right-hand side that conjugate gradients may leave */
/* most steps of conjugate gradients; Newton's next step corrects what they leave */
#define CG_MAX_STEPS 400
/* rows that take a factor as much time as two steps of conjugate gradients */
#define CG_STEP_ROWS 72.0
#define CG_LEAST_STEPS 20.0 /* with fewer steps, conjugate gradients hardly ever succeed */

/* ---- by conjugate gradients ---- */

/* Multiplies by the uncut part of K + diag(stiff): by `a`, its lower triangle as mk_factor stores
 * it with stiff - softest on the diagonal, or by rows if there is no memory for it (a.at is
 * NULL). */
static mk_status apply_system(const mk_proximal *p, mk_row a, const double *x, double *out) {
  const mk_simd *simd = p->svm->simd;
  const mk_svm_rows *rows = &p->task->rows;
  size_t n = p->count;
  mk_status status;
  for (size_t k = 0; k < n && a.at != NULL; k++) {
    mk_row row = mk_row_from(a, mk_factor_at(n, k));
    const mk_row_loops *loops = &simd->rows[row.single];
    out[k] = (p->softest + mk_row_at(row, k)) * x[k] + loops->dot_double(k, row.at, x);
    loops->axpy(k, x[k], row.at, out);
  }
  if (a.at != NULL) return mk_check(p->task->control);
  memset(p->wide, 0, p->svm->n * sizeof *p->wide);
  for (size_t k = 0; k < n; k++) p->wide[p->uncut[k]] = x[k];
  for (size_t k = 0; k < n; k++) {
    mk_row row = rows->row(rows->data, (size_t)p->uncut[k], &status);
    if (row.at == NULL) return status;
    out[k] = p->stiff[k] * x[k] + simd->rows[row.single].dot_double(p->svm->n, row.at, p->wide);
  }
  return mk_check(p->task->control);
}

/* Applies the preconditioner under the equality: z = M^-1 (r - b 1), sum z = sum, with M the
 * diagonal. Returns b. */
static double precondition(const mk_proximal *p, const double *r, double sum, double *z) {
  double above = -sum, below = 0.0;
  for (size_t k = 0; k < p->count; k++) {
    double own = p->task->diagonal[p->uncut[k]] + p->stiff[k];
    above += r[k] / own;
    below += 1.0 / own;
  }
  double b = p->terms.loss.no_offset ? 0.0 : above / below;
  for (size_t k = 0; k < p->count; k++)
    z[k] = (r[k] - b) / (p->task->diagonal[p->uncut[k]] + p->stiff[k]);
  return b;
}

typedef struct gradients {
  mk_row a;                  /* see apply_system() */
  double *x, *r, *z, *d, *q; /* answer, residual, preconditioned residual, direction, product */
  double shift;
  int most, arrived; /* number of steps; 1 if they were enough */
} gradients;

/* Makes projected conjugate gradient steps (Gould, Hribar & Nocedal 2001) until the residual is
 * CG_SHARE of the right-hand side, or at most `most` steps. */
static mk_status make_steps(const mk_proximal *p, double sum, gradients *g) {
  size_t n = p->count;
  const mk_simd *simd = p->svm->simd;
  double first = 0.0, last = 1.0;
  precondition(p, g->r, sum, g->x); /* the smallest point that fulfils the equality */
  MK_TRY(apply_system(p, g->a, g->x, g->q));
  for (size_t k = 0; k < n; k++) g->r[k] = p->step[k] - g->q[k];
  for (int step = 0; step <= g->most; step++) {
    g->shift = precondition(p, g->r, 0.0, g->z);
    double size = simd->dot(n, g->r, g->z);
    if (step == 0) first = size;
    g->arrived = !(size > CG_SHARE * CG_SHARE * first);
    if (g->arrived || step == g->most) break;
    for (size_t k = 0; k < n; k++) g->d[k] = g->z[k] + size / last * g->d[k];
    last = size;
    MK_TRY(apply_system(p, g->a, g->d, g->q));
    double length = size / simd->dot(n, g->d, g->q);
    if (!(length > 0.0) || !isfinite(length)) break;
    simd->axpy(n, length, g->d, g->x);
    simd->axpy(n, -length, g->q, g->r);
  }
  return MK_OK;
}

/* Solves by conjugate gradients. *arrived is 0 if `most` steps were not enough. Without memory for
 * a factor, the last step is accepted. */
static mk_status solve_gradually(const mk_proximal *p, mk_row a, double sum, int most,
                                 double *shift, int *arrived) {
  size_t n = p->count;
  double *block = MK_NEW0(double, 5 * n);
  if (block == NULL) return MK_NO_MEMORY;
  gradients g = {a, block, block + n, block + 2 * n, block + 3 * n, block + 4 * n, 0.0, most, 0};
  mk_status status = make_steps(p, sum, &g);
  if (a.at == NULL || g.arrived) memcpy(p->step, g.x, n * sizeof *g.x);
  *shift = g.shift;
  *arrived = g.arrived;
  mk_free(block);
  return status;
}

/* ---- by a factor ---- */

static mk_status fill_system(const mk_proximal *p, mk_row a) {
  const mk_svm_rows *rows = &p->task->rows;
  mk_status status = MK_OK;
  for (size_t k = 0; k < p->count; k++) {
    mk_row row = rows->row(rows->data, (size_t)p->uncut[k], &status);
    mk_row own = mk_row_from(a, mk_factor_at(p->count, k));
    if (row.at == NULL) return status;
    mk_row_gather(row, p->uncut, k + 1, own);
    mk_row_set(own, k, mk_row_at(own, k) + (p->stiff[k] - p->softest));
  }
  return MK_OK;
}

/* Factors the uncut part of K + diag(stiff), with a larger diagonal if rounding demands it; `a` is
 * already filled. */
static mk_status factor_uncut(const mk_proximal *p, mk_row a) {
  mk_status status = MK_OK;
  for (double shift = p->softest; status == MK_OK; shift *= MK_SHIFT_GROWTH) {
    status = mk_factor(a, p->count, p->count, shift, p->task->control);
    if (status != MK_STALLED || shift >= MK_LARGEST_SHIFT * p->softest) return status;
    status = fill_system(p, a);
  }
  return status;
}

/* Returns the number of steps that take half as long as a factor, or 0 if the loss is sparse, so
 * that a system has few variables. */
static int quick_steps(const mk_proximal *p) {
  if (!MK_WITH_GRADIENTS || !mk_loss_is_dense(&p->terms.loss)) return 0;
  double steps = (double)p->count / (CG_STEP_ROWS * mk_team_size(p->task->control->team));
  return steps >= CG_LEAST_STEPS ? (int)steps : 0;
}

static mk_status solve_directly(const mk_proximal *p, double sum, double *shift) {
  size_t n = p->count;
  double mean = 0.0, ones = 0.0;
  int single = p->task->rows.single;
  mk_row a = {mk_buffer_need(p->task->system, mk_factor_at(n, n), mk_row_size(single)), single};
  if (a.at == NULL) return MK_NO_MEMORY;
  MK_TRY(fill_system(p, a));
  int arrived = 0, steps = quick_steps(p);
  if (steps > 0) MK_TRY(solve_gradually(p, a, sum, steps, shift, &arrived));
  if (arrived) return MK_OK;
  MK_TRY(factor_uncut(p, a));
  /* subtracting the offset first avoids cancellation */
  for (size_t k = 0; k < n && !p->terms.loss.no_offset; k++) mean += p->step[k] / (double)n;
  for (size_t k = 0; k < n; k++) {
    p->step[k] -= mean;
    p->ones[k] = 1.0;
  }
  mk_factor_lower(a, n, p->step);
  mk_factor_upper(a, n, p->step);
  *shift = 0.0;
  if (p->terms.loss.no_offset) return MK_OK;
  mk_factor_lower(a, n, p->ones);
  mk_factor_upper(a, n, p->ones);
  sum = -sum;
  for (size_t k = 0; k < n; k++) {
    sum += p->step[k];
    ones += p->ones[k];
  }
  *shift = sum / ones;
  if (!(ones > 0.0) || !isfinite(*shift)) return MK_STALLED;
  for (size_t k = 0; k < n; k++) p->step[k] -= *shift * p->ones[k];
  *shift += mean;
  return MK_OK;
}

/* ---- all ---- */

static mk_status solve_columns(const mk_proximal *p, double sum, double *shift) {
  mk_thin_system system = {.z = p->task->columns,
                           .list = p->uncut,
                           .count = p->count,
                           .delta = p->stiff,
                           .no_offset = p->terms.loss.no_offset,
                           .sum = sum,
                           .x = p->step};
  MK_TRY(mk_thin_solve(&system, p->task->system, p->task->control->team));
  *shift = system.offset;
  return isfinite(*shift) ? MK_OK : MK_STALLED;
}

mk_status mk_proximal_solve(mk_proximal *p, double sum, double *shift) {
  if (p->task->columns != NULL) return solve_columns(p, sum, shift);
  int arrived;
  if (p->count <= p->most) return solve_directly(p, sum, shift);
  return solve_gradually(p, (mk_row){NULL, 0}, sum, CG_MAX_STEPS, shift, &arrived);
}
