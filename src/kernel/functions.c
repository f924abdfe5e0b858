/* The diagonals of users' functions, asked for once for a set and in small blocks, since a call may
 * cost more than the values that it returns. Called by exact.c and base-block.c.
 * Mathematics: section 4. */
#include "base/control.h"
#include "base/simd.h"
#include "internal.h"

#include <math.h>

#define DIAGONAL_BLOCK 16 /* samples of one call */

static mk_status take_block(const mk_kernel_spec *spec, size_t from, size_t size, double *out) {
  double block[DIAGONAL_BLOCK * DIAGONAL_BLOCK];
  int rows[DIAGONAL_BLOCK] = {0};
  for (size_t k = 0; k < size; k++) rows[k] = (int)(from + k);
  if (spec->function(spec->function_data, rows, size, rows, size, block) != 0) return MK_CALLBACK;
  for (size_t k = 0; k < size; k++) {
    out[k] = block[k * size + k];
    if (!isfinite(out[k])) return MK_NOT_FINITE;
  }
  return MK_OK;
}

mk_status mk_function_diagonal(const mk_kernel_set *set, size_t m, const mk_control *control) {
  const mk_member *member = &set->member[m];
  if (!isnan(member->diagonal[set->n - 1])) return MK_OK;
  for (size_t from = 0; from < set->n; from += DIAGONAL_BLOCK) {
    if (control != NULL) MK_TRY(mk_check(control));
    size_t size = mk_smaller(set->n - from, DIAGONAL_BLOCK);
    MK_TRY(take_block(&member->spec, from, size, member->diagonal + from));
  }
  return MK_OK;
}

mk_status mk_function_diagonals(const mk_kernel_set *set, const mk_control *control) {
  for (size_t m = 0; m < set->kernels; m++)
    if (set->member[m].spec.type == MK_FUNCTION) MK_TRY(mk_function_diagonal(set, m, control));
  return MK_OK;
}
