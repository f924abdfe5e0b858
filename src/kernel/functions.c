/* Values of users' functions, stored if the set has memory for them, and their diagonals. Diagonals
 * are computed once and in small blocks, since a call may cost more than the values it returns.
 * Called by exact.c and base-block.c. MATHEMATICS.md, section 4.1. */
#include "kernel/functions.h"

#include "base/memory.h"
#include "base/simd.h"
#include "kernel/structure.h"

#include <math.h>

#define DIAGONAL_BLOCK 16 /* samples of one call */

/* ---- values ---- */

/* Copies stored values; returns 1 if all of the block are known. */
static int recall_block(const mk_member *member, size_t n, const mk_block *block, double *out) {
  for (size_t c = 0; c < block->col_count; c++)
    for (size_t r = 0; r < block->row_count; r++, out++) {
      *out = member->value[(size_t)block->cols[c] * n + (size_t)block->rows[r]];
      if (isnan(*out)) return 0;
    }
  return 1;
}

static void remember_block(const mk_member *member, size_t n, const mk_block *block,
                           const double *value) {
  for (size_t c = 0; c < block->col_count; c++)
    for (size_t r = 0; r < block->row_count; r++, value++) {
      size_t i = (size_t)block->rows[r], j = (size_t)block->cols[c];
      member->value[j * n + i] = member->value[i * n + j] = *value;
    }
}

mk_status mk_function_values(const mk_kernel_set *set, size_t m, const mk_block *block,
                             double *out) {
  const mk_member *member = &set->member[m];
  const mk_kernel_spec *spec = &member->spec;
  if (member->value != NULL && recall_block(member, set->n, block, out)) return MK_OK;
  if (spec->function(spec->function_data, block->rows, block->row_count, block->cols,
                     block->col_count, out) != 0)
    return MK_CALLBACK;
  for (size_t k = 0; k < block->row_count * block->col_count; k++)
    if (!isfinite(out[k]) && !spec->may_overflow) return MK_NOT_FINITE;
  if (member->value != NULL) remember_block(member, set->n, block, out);
  return MK_OK;
}

/* ---- diagonals ---- */

static mk_status take_block(const mk_kernel_set *set, size_t m, size_t from, size_t size) {
  double value[DIAGONAL_BLOCK * DIAGONAL_BLOCK];
  int rows[DIAGONAL_BLOCK] = {0};
  for (size_t k = 0; k < size; k++) rows[k] = (int)(from + k);
  mk_block block = {rows, rows, size, size};
  MK_TRY(mk_function_values(set, m, &block, value));
  for (size_t k = 0; k < size; k++) set->member[m].diagonal[from + k] = value[k * size + k];
  return MK_OK;
}

mk_status mk_function_diagonal(const mk_kernel_set *set, size_t m, const mk_control *control) {
  if (!isnan(set->member[m].diagonal[set->n - 1])) return MK_OK;
  for (size_t from = 0; from < set->n; from += DIAGONAL_BLOCK) {
    if (control != NULL) MK_TRY(mk_check(control));
    MK_TRY(take_block(set, m, from, mk_smaller(set->n - from, DIAGONAL_BLOCK)));
  }
  return MK_OK;
}

mk_status mk_function_diagonals(const mk_kernel_set *set) {
  for (size_t m = 0; m < set->kernels; m++)
    if (set->member[m].spec.function != NULL) MK_TRY(mk_function_diagonal(set, m, NULL));
  return MK_OK;
}

/* ---- memory for values ---- */

static int is_slow(const mk_member *member) {
  return member->spec.function != NULL && !member->spec.thread_safe;
}

mk_status mk_set_keep_values(mk_kernel_set *set, size_t bytes) {
  size_t n = set->n, count = 0;
  for (size_t m = 0; m < set->kernels; m++) count += is_slow(&set->member[m]) != 0;
  if ((double)count * (double)n * (double)n * sizeof(double) > (double)bytes) return MK_OK;
  for (size_t m = 0; m < set->kernels; m++) {
    mk_member *member = &set->member[m];
    if (!is_slow(member) || member->value != NULL) continue;
    member->value = MK_NEW(double, n *n);
    if (member->value == NULL) return MK_NO_MEMORY;
    for (size_t k = 0; k < n * n; k++) member->value[k] = NAN;
  }
  return MK_OK;
}

size_t mk_set_value_bytes(const mk_kernel_set *set) {
  size_t count = 0;
  for (size_t m = 0; m < set->kernels; m++)
    count += set->member[m].value != NULL && !set->member[m].value_lent;
  return count * set->n * set->n * sizeof(double);
}
