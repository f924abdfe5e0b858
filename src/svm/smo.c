/* Sequential minimal optimisation with second-order working sets (Fan, Chen,
 * Lin 2005): one fused pass updates the gradient and finds the next i, a
 * second finds its partner. */
#include "svm.h"

#include "base/memory.h"
#include "base/sum.h"

#include <math.h>
#include <string.h>

#define CURVATURE_FLOOR 1e-12 /* relative to the diagonal */
#define POLL_STEPS 512
#define CHUNK 64 /* most violating variables of either side that are solved for together, ... */
#define CHUNK_SHARE 0.2 /* ... to this share of the violation */

mk_status mk_svm_init(mk_svm *svm, size_t capacity, const mk_loss *loss) {
  size_t size = mk_padded(capacity);
  memset(svm, 0, sizeof *svm);
  svm->simd = mk_simd_best();
  svm->kind = *loss;
  svm->alpha = MK_NEW0(double, size);
  svm->gradient = MK_NEW0(double, size);
  svm->linear = MK_NEW0(double, size);
  svm->lower = MK_NEW0(double, size);
  svm->upper = MK_NEW0(double, size);
  svm->ridge = MK_NEW0(double, size);
  svm->up = MK_NEW0(double, size);
  svm->low = MK_NEW0(double, size);
  svm->rows = MK_NEW(double, 2 * size);
  svm->order = MK_NEW0(int, size);
  if (mk_loss_is_smooth(loss)) svm->bend = MK_NEW0(double, size);
  if (loss->no_offset) svm->inverse = MK_NEW0(double, size);
  if (svm->alpha == NULL || svm->gradient == NULL || svm->linear == NULL || svm->lower == NULL ||
      svm->upper == NULL || svm->ridge == NULL || svm->up == NULL || svm->low == NULL ||
      svm->rows == NULL || svm->order == NULL || (mk_loss_is_smooth(loss) && svm->bend == NULL) ||
      (loss->no_offset && svm->inverse == NULL))
    return MK_NO_MEMORY;
  return MK_OK;
}

void mk_svm_clear(mk_svm *svm) {
  mk_free(svm->alpha);
  mk_free(svm->gradient);
  mk_free(svm->linear);
  mk_free(svm->lower);
  mk_free(svm->upper);
  mk_free(svm->ridge);
  mk_free(svm->bend);
  mk_free(svm->inverse);
  mk_free(svm->up);
  mk_free(svm->low);
  mk_free(svm->rows);
  mk_free(svm->order);
  memset(svm, 0, sizeof *svm);
}

static void set_bounds(mk_svm *svm, size_t i) {
  mk_terms terms = mk_svm_terms(svm);
  double right, left;
  mk_loss_slopes(&terms, i, svm->alpha[i], &right, &left);
  svm->up[i] = -right;
  svm->low[i] = -left;
}

void mk_svm_reset_bounds(mk_svm *svm) {
  size_t size = mk_padded(svm->n);
  for (size_t i = 0; i < svm->n; i++) set_bounds(svm, i);
  for (size_t i = svm->n; i < size; i++) {
    svm->alpha[i] = svm->gradient[i] = 0.0;
    svm->up[i] = -INFINITY;
    svm->low[i] = INFINITY;
  }
}

static double alpha_sum(const mk_svm *svm) {
  mk_sum sum = {0.0, 0.0};
  for (size_t i = 0; i < svm->n; i++) mk_sum_add(&sum, svm->alpha[i]);
  return mk_sum_total(&sum);
}

/* How far alpha_i can move against a sum of this sign. */
static double room(const mk_svm *svm, size_t i, double sum) {
  return sum > 0.0 ? svm->alpha[i] - svm->lower[i] : svm->upper[i] - svm->alpha[i];
}

void mk_svm_restore_sum(mk_svm *svm) {
  if (svm->kind.no_offset) return;
  double sum = alpha_sum(svm), all = 0.0;
  for (size_t i = 0; i < svm->n; i++) {
    if (mk_svm_is_free(svm, i) && room(svm, i, sum) > 2.0 * fabs(sum)) {
      svm->alpha[i] -= sum;
      return;
    }
    all += room(svm, i, sum);
  }
  if (!isfinite(all)) return;
  for (size_t i = 0; i < svm->n && all > 0.0; i++) {
    double share = fmin(1.0, fabs(sum) / all) * room(svm, i, sum);
    svm->alpha[i] += sum > 0.0 ? -share : share;
  }
  mk_svm_reset_bounds(svm);
}

/* Where psi has its next kink or the box ends, on the way up and down. */
static double next_up(const mk_svm *svm, size_t i) {
  return svm->alpha[i] < 0.0 && mk_loss_tube(&svm->kind) > 0.0 ? 0.0 : svm->upper[i];
}

static double next_down(const mk_svm *svm, size_t i) {
  return svm->alpha[i] > 0.0 && mk_loss_tube(&svm->kind) > 0.0 ? 0.0 : svm->lower[i];
}

/* Moves alpha_i up and alpha_j down by the best step that passes no kink. */
static double move_pair(mk_svm *svm, size_t i, size_t j, double step) {
  double top = next_up(svm, i), bottom = next_down(svm, j);
  double room_i = top - svm->alpha[i], room_j = svm->alpha[j] - bottom;
  double room = room_i < room_j ? room_i : room_j;
  if (step >= room) step = room;
  svm->alpha[i] += step;
  svm->alpha[j] -= step;
  /* land there exactly */
  if (step == room_i || svm->alpha[i] > top) svm->alpha[i] = top;
  if (step == room_j || svm->alpha[j] < bottom) svm->alpha[j] = bottom;
  set_bounds(svm, i);
  set_bounds(svm, j);
  return step;
}

/* What second-order choices take for the diagonal. */
static const double *find_bend(const mk_svm_task *task) {
  mk_svm *svm = task->svm;
  if (svm->bend == NULL) return task->diagonal;
  mk_terms terms = mk_svm_terms(svm);
  for (size_t i = 0; i < svm->n; i++)
    svm->bend[i] = task->diagonal[i] + mk_loss_curvature(&terms, i, svm->alpha[i]);
  return svm->bend;
}

static double curvature_floor(double diagonal) {
  return CURVATURE_FLOOR * (diagonal > 0.0 ? diagonal : 1.0);
}

/* ---- steps of one variable, where alpha need not sum to zero ---- */

static mk_status take_steps_alone(const mk_svm_task *task, double epsilon, double limit,
                                  double *violation) {
  mk_svm *svm = task->svm;
  const double *diagonal = find_bend(task);
  size_t size = mk_padded(svm->n);
  double *inverse = svm->inverse;
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
    if (fmod(step, POLL_STEPS) == POLL_STEPS - 1) MK_TRY(mk_check(task->control));
    mk_row row = task->rows.row(task->rows.data, i, &status);
    if (row.at == NULL) return status;
    double before = svm->alpha[i], next = before + pass.push * inverse[i];
    svm->alpha[i] = pass.push > 0.0 ? fmin(next, next_up(svm, i)) : fmax(next, next_down(svm, i));
    set_bounds(svm, i);
    svm->simd->rows[row.single].smo_alone(size, svm->gradient, row.at, svm->alpha[i] - before,
                                          inverse, svm->up, svm->low, &pass);
    svm->steps += 1.0;
  }
}

/* ---- steps of pairs ---- */

/* Steps among the variables that svm->up and svm->low allow to move. */
static mk_status take_steps(const mk_svm_task *task, double epsilon, double limit,
                            double *violation) {
  mk_svm *svm = task->svm;
  if (svm->kind.no_offset) return take_steps_alone(task, epsilon, limit, violation);
  const double *diagonal = find_bend(task);
  size_t size = mk_padded(svm->n);
  mk_row below = {svm->rows, task->rows.single}, squares = mk_row_from(below, size);
  const mk_row_loops *loops = &svm->simd->rows[task->rows.single];
  mk_status status = MK_OK;
  mk_smo_pass pass = {.level = svm->offset}; /* y, and so gradients, may be far from 0 */
  mk_row_store(squares, diagonal, size);
  /* a first pass that changes nothing, by rows that are finite: floats' squares may not be */
  mk_row_clear(below, size);
  loops->smo_update(size, svm->gradient, below.at, below.at, 0.0, svm->up, svm->low, below.at,
                    &pass);
  for (double step = 0.0;; step += 1.0) {
    *violation = pass.up_max - pass.low_min;
    if (!(*violation > epsilon) || step >= limit) return MK_OK;
    if (fmod(step, POLL_STEPS) == POLL_STEPS - 1) MK_TRY(mk_check(task->control));
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
    change = move_pair(svm, i, j, fmax(change, 0.0)); /* rows of floats may err about j */
    pass.level = pass.up_max;
    loops->smo_update(size, svm->gradient, row_i.at, row_j.at, change, svm->up, svm->low, below.at,
                      &pass);
    svm->steps += 1.0;
  }
}

/* ---- chunks, where rows are dear ---- */

typedef struct ranking {
  double key[CHUNK];
  int at[CHUNK];
  size_t count;
} ranking;

/* Among the largest so far, in falling order. */
static void rank(ranking *r, double key, size_t i) {
  if (r->count == CHUNK && !(key > r->key[CHUNK - 1])) return;
  size_t k = r->count < CHUNK ? r->count++ : CHUNK - 1;
  for (; k > 0 && key > r->key[k - 1]; k--) {
    r->key[k] = r->key[k - 1];
    r->at[k] = r->at[k - 1];
  }
  r->key[k] = key;
  r->at[k] = (int)i;
}

static void choose_chunk(const mk_svm *svm, ranking *up, ranking *low) {
  up->count = low->count = 0;
  for (size_t i = 0; i < svm->n; i++) {
    if (svm->up[i] > -INFINITY) rank(up, svm->gradient[i] + svm->up[i], i);
    if (svm->low[i] < INFINITY) rank(low, -svm->gradient[i] - svm->low[i], i);
  }
}

/* What the members may do. */
static void copy_members(const ranking *members, const mk_svm *from, mk_svm *to) {
  for (size_t k = 0; k < members->count; k++) {
    to->up[members->at[k]] = from->up[members->at[k]];
    to->low[members->at[k]] = from->low[members->at[k]];
  }
}

/* One chunk: the others stay where they are, their gradients follow. */
static mk_status solve_chunk(const mk_svm_task *task, double *up, double *low, double epsilon,
                             double limit) {
  mk_svm *svm = task->svm, masked = *svm;
  ranking top, bottom;
  double violation;
  choose_chunk(svm, &top, &bottom);
  MK_TRY(task->rows.fetch(task->rows.data, top.at, top.count));
  MK_TRY(task->rows.fetch(task->rows.data, bottom.at, bottom.count));
  for (size_t i = 0; i < mk_padded(svm->n); i++) {
    up[i] = -INFINITY;
    low[i] = INFINITY;
  }
  masked.up = up;
  masked.low = low;
  copy_members(&top, svm, &masked);
  copy_members(&bottom, svm, &masked);
  mk_svm_task part = *task;
  part.svm = &masked;
  mk_status status = take_steps(&part, epsilon, limit, &violation);
  copy_members(&top, &masked, svm);
  copy_members(&bottom, &masked, svm);
  svm->steps = masked.steps;
  return status;
}

static double find_violation(const mk_svm *svm) {
  double most = -INFINITY, least = INFINITY;
  for (size_t i = 0; i < svm->n; i++) {
    most = fmax(most, svm->gradient[i] + svm->up[i]);
    least = fmin(least, svm->gradient[i] + svm->low[i]);
  }
  return svm->kind.no_offset ? fmax(0.0, fmax(most, -least)) : most - least;
}

static mk_status take_chunks(const mk_svm_task *task, double epsilon, double limit,
                             double *violation) {
  mk_svm *svm = task->svm;
  size_t size = mk_padded(svm->n);
  double *up = MK_NEW(double, size), *low = MK_NEW(double, size), last = svm->steps + limit;
  mk_status status = up == NULL || low == NULL ? MK_NO_MEMORY : MK_OK;
  *violation = find_violation(svm);
  while (status == MK_OK && *violation > epsilon && svm->steps < last) {
    double before = svm->steps, inner = fmax(epsilon, CHUNK_SHARE * *violation);
    status = solve_chunk(task, up, low, inner, last - svm->steps);
    *violation = find_violation(svm);
    if (svm->steps == before) break;
    if (status == MK_OK) status = mk_check(task->control);
  }
  mk_free(up);
  mk_free(low);
  return status;
}

mk_status mk_smo_run(const mk_svm_task *task, double epsilon, double limit, double *violation) {
  return task->rows.fetch != NULL ? take_chunks(task, epsilon, limit, violation)
                                  : take_steps(task, epsilon, limit, violation);
}
