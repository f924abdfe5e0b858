/* Sequential minimal optimisation with second-order choice of the pair (Fan, Chen & Lin 2005). One
 * fused pass updates the gradient and finds the next i, a second one finds its partner j. Called by
 * solve.c and chunking/chunks.c. MATHEMATICS.md, section 3.1. */
#include "smo.h"

#include "base/sum.h"
#include "svm/loss.h"
#include "svm/state.h"

#include <math.h>

/* Return the next kink of psi or the end of the box, above and below alpha_i. */
static double next_up(const mk_svm *svm, size_t i) {
  return svm->alpha[i] < 0.0 && mk_loss_tube(&svm->kind) > 0.0 ? 0.0 : svm->upper[i];
}

static double next_down(const mk_svm *svm, size_t i) {
  return svm->alpha[i] > 0.0 && mk_loss_tube(&svm->kind) > 0.0 ? 0.0 : svm->lower[i];
}

/* Moves alpha_i up and alpha_j down by the best step up to the next kink. */
static double move_pair(mk_svm *svm, size_t i, size_t j, double step) {
  double top = next_up(svm, i), bottom = next_down(svm, j);
  double room_i = top - svm->alpha[i], room_j = svm->alpha[j] - bottom;
  double room = room_i < room_j ? room_i : room_j;
  if (step >= room) step = room;
  svm->alpha[i] += step;
  svm->alpha[j] -= step;
  /* land on the kink exactly */
  if (step == room_i || svm->alpha[i] > top) svm->alpha[i] = top;
  if (step == room_j || svm->alpha[j] < bottom) svm->alpha[j] = bottom;
  mk_svm_set_bounds(svm, i);
  mk_svm_set_bounds(svm, j);
  return step;
}

/* Returns an addition to the diagonal, a proximal term around the first alpha. In single precision,
 * the rows of two equal samples and the diagonal imply a curvature of either sign by rounding, and
 * steps could alternate between the two for ever. The addition is larger than this rounding. */
static double proximal_ridge(const mk_svm_task *task, size_t i) {
  return task->rows.single ? MK_ROUNDING_UNITS * task->rows.unit * task->diagonal[i] : 0.0;
}

/* Computes the diagonal for second-order choices. */
static const double *find_bend(const mk_svm_task *task) {
  mk_svm *svm = task->svm;
  mk_terms terms = mk_svm_terms(svm);
  for (size_t i = 0; i < svm->n; i++) svm->bend[i] = task->diagonal[i] + proximal_ridge(task, i);
  for (size_t i = 0; mk_loss_is_smooth(&svm->kind) && i < svm->n; i++)
    svm->bend[i] += mk_loss_curvature(&terms, i, svm->alpha[i]);
  return svm->bend;
}

/* Returns the least curvature of a pair: that of a singular pair is rounding error, as for LIBSVM's
 * TAU. */
static double curvature_floor(double diagonal) {
  return MK_SUM_ROUNDING * (diagonal > 0.0 ? diagonal : 1.0);
}

/* ---- steps of one variable, where alpha need not sum to zero ---- */

static mk_status take_steps_alone(const mk_svm_task *task, double epsilon, double limit,
                                  double *violation) {
  mk_svm *svm = task->svm;
  const double *diagonal = find_bend(task);
  size_t size = mk_padded(svm->n);
  double *inverse = svm->rows;
  mk_status status = MK_OK;
  mk_smo_pass pass;
  for (size_t i = 0; i < svm->n; i++)
    inverse[i] = 1.0 / fmax(diagonal[i], curvature_floor(diagonal[i]));
  svm->simd->rows[0].smo_alone(size, svm->gradient, inverse, 0.0, inverse, svm->up, svm->low,
                               &pass);
  for (double step = 0.0;; step += 1.0) {
    size_t i = pass.gain_arg;
    *violation = fmax(0.0, fmax(pass.up_max, -pass.low_min));
    if (i >= svm->n || !(*violation > epsilon) || step >= limit) return MK_OK;
    if ((size_t)step % MK_POLL_STEPS == MK_POLL_STEPS - 1) MK_TRY(mk_check(task->control));
    mk_row row = task->rows.row(task->rows.data, i, &status);
    if (row.at == NULL) return status;
    double before = svm->alpha[i], next = before + pass.push * inverse[i];
    svm->alpha[i] = pass.push > 0.0 ? fmin(next, next_up(svm, i)) : fmax(next, next_down(svm, i));
    mk_svm_set_bounds(svm, i);
    svm->simd->rows[row.single].smo_alone(size, svm->gradient, row.at, svm->alpha[i] - before,
                                          inverse, svm->up, svm->low, &pass);
    svm->steps += 1.0;
  }
}

/* ---- steps of pairs ---- */

mk_status mk_smo_run(const mk_svm_task *task, double epsilon, double limit, double *violation) {
  mk_svm *svm = task->svm;
  if (svm->kind.no_offset) return take_steps_alone(task, epsilon, limit, violation);
  const double *diagonal = find_bend(task);
  size_t size = mk_padded(svm->n);
  mk_row below = {svm->rows, task->rows.single}, squares = mk_row_from(below, size);
  const mk_row_loops *loops = &svm->simd->rows[task->rows.single];
  mk_status status = MK_OK;
  mk_smo_pass pass = {.level = svm->offset}; /* y, and so gradients, may be far from 0 */
  mk_row_store(squares, diagonal, size);
  /* the first pass changes nothing; its rows must be finite, and squares of floats may not be */
  mk_row_clear(below, size);
  loops->smo_update(size, svm->gradient, below.at, below.at, 0.0, svm->up, svm->low, below.at,
                    &pass);
  for (double step = 0.0;; step += 1.0) {
    *violation = pass.up_max - pass.low_min;
    if (!(*violation > epsilon) || step >= limit) return MK_OK;
    if ((size_t)step % MK_POLL_STEPS == MK_POLL_STEPS - 1) MK_TRY(mk_check(task->control));
    size_t i = pass.up_arg;
    mk_row row_i = task->rows.row(task->rows.data, i, &status);
    if (row_i.at == NULL) return status;
    double floor = curvature_floor(diagonal[i]);
    loops->smo_partner(size, row_i.at, squares.at, below.at, diagonal[i], floor, &pass);
    size_t j = pass.gain_arg;
    if (j >= svm->n) return MK_OK;
    mk_row row_j = task->rows.row(task->rows.data, j, &status);
    if (row_j.at == NULL) return status;
    double curvature = diagonal[i] + diagonal[j] - 2.0 * mk_row_at(row_i, j);
    double change = (pass.up_max - svm->gradient[j] - svm->low[j]) / fmax(curvature, floor);
    /* by rounding of floats, j may not be a violator */
    change = move_pair(svm, i, j, fmax(change, 0.0));
    pass.level = pass.up_max;
    svm->gradient[i] -= change * proximal_ridge(task, i);
    svm->gradient[j] += change * proximal_ridge(task, j);
    loops->smo_update(size, svm->gradient, row_i.at, row_j.at, change, svm->up, svm->low, below.at,
                      &pass);
    svm->steps += 1.0;
  }
}
