/* The state of one SVM: its vectors, the bounds of its moves, its loss and gap. Called by the
 * solvers of this room, by fit-state.c and by solve-svms.c. MATHEMATICS.md, section 1.2: the gap at
 * fixed theta. */
#include "state.h"

#include "base/memory.h"
#include "base/sum.h"
#include "svm/loss.h"

#include <math.h>
#include <string.h>

mk_status mk_svm_init(mk_svm *svm, size_t capacity, const mk_loss *loss) {
  size_t size = mk_padded(capacity);
  memset(svm, 0, sizeof *svm);
  double **vectors[] = {&svm->alpha, &svm->gradient, &svm->linear, &svm->lower, &svm->upper,
                        &svm->ridge, &svm->up,       &svm->low,    &svm->bend,  &svm->rows};
  size_t count = sizeof vectors / sizeof *vectors;
  svm->simd = mk_simd_best();
  svm->kind = *loss;
  svm->alpha = MK_NEW0(double, (count + 1) * size); /* the last vector holds two rows */
  svm->order = MK_NEW0(int, size);
  if (svm->alpha == NULL || svm->order == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < count; k++) *vectors[k] = svm->alpha + k * size;
  return MK_OK;
}

void mk_svm_clear(mk_svm *svm) {
  mk_free(svm->alpha);
  mk_free(svm->order);
  memset(svm, 0, sizeof *svm);
}

void mk_svm_set_bounds(mk_svm *svm, size_t i) {
  mk_terms terms = mk_svm_terms(svm);
  double right, left;
  mk_loss_slopes(&terms, i, svm->alpha[i], &right, &left);
  svm->up[i] = -right;
  svm->low[i] = -left;
}

void mk_svm_reset_bounds(mk_svm *svm) {
  size_t size = mk_padded(svm->n);
  for (size_t i = 0; i < svm->n; i++) mk_svm_set_bounds(svm, i);
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

/* Returns the largest move of alpha_i that reduces a sum of this sign. */
static double room_to_move(const mk_svm *svm, size_t i, double sum) {
  return sum > 0.0 ? svm->alpha[i] - svm->lower[i] : svm->upper[i] - svm->alpha[i];
}

void mk_svm_restore_sum(mk_svm *svm) {
  if (svm->kind.no_offset) return;
  double sum = alpha_sum(svm), all = 0.0;
  for (size_t i = 0; i < svm->n; i++) {
    if (mk_svm_is_free(svm, i) && room_to_move(svm, i, sum) > 2.0 * fabs(sum)) {
      svm->alpha[i] -= sum;
      return;
    }
    all += room_to_move(svm, i, sum);
  }
  if (!isfinite(all)) return;
  for (size_t i = 0; i < svm->n && all > 0.0; i++) {
    double share = fmin(1.0, fabs(sum) / all) * room_to_move(svm, i, sum);
    svm->alpha[i] += sum > 0.0 ? -share : share;
  }
  mk_svm_reset_bounds(svm);
}

size_t mk_svm_free_count(const mk_svm *svm) {
  size_t count = 0;
  for (size_t i = 0; i < svm->n; i++) count += mk_svm_is_free(svm, i) != 0;
  return count;
}

void mk_svm_measure(mk_svm *svm) {
  mk_terms terms = mk_svm_terms(svm);
  svm->loss = mk_loss_total(&terms, svm->gradient, svm->order, &svm->offset);
  double gap = 0.0;
  for (size_t i = 0; i < svm->n; i++)
    gap += mk_loss_excess(&terms, i, svm->gradient[i] - svm->offset, svm->alpha[i]);
  svm->gap = gap;
}

double mk_svm_gain(const mk_svm *svm) {
  mk_terms terms = mk_svm_terms(svm);
  double sum = -mk_loss_total_penalty(&terms, svm->alpha);
  for (size_t i = 0; i < svm->n; i++) sum += svm->linear[i] * svm->alpha[i];
  return sum;
}
