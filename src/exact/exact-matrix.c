/* Blocks of one kernel's exact values, normalised as in the set, on all threads. Called by
 * rglue/set.c for kernel_matrix(), and by normalize/. MATHEMATICS.md, section 4. */
#include "exact/exact-matrix.h"

#include "base/memory.h"
#include "base/threads.h"
#include "exact/exact.h"
#include "kernel/structure.h"

#include <math.h>
#include <string.h>

typedef struct filling {
  const mk_matrix_ask *ask;
  mk_exact **exact; /* one per thread */
} filling;

/* Computes some columns against all rows. */
static mk_status fill_columns(void *data, size_t k, int thread) {
  const filling *fill = data;
  const mk_matrix_ask *ask = fill->ask;
  mk_exact *exact = fill->exact[thread];
  size_t from = k * MK_EXACT_COLS, width = mk_smaller(ask->col_count - from, MK_EXACT_COLS);
  mk_samples others = mk_list(ask->cols + from, width);
  double value[MK_EXACT_COLS];
  for (size_t r = 0; r < ask->row_count; r += MK_EXACT_ROWS) {
    size_t height = mk_smaller(ask->row_count - r, MK_EXACT_ROWS);
    MK_TRY(
        mk_exact_block(exact, mk_family_of(ask->set, ask->kernel), ask->rows + r, height, &others));
    for (size_t i = 0; i < height; i++) {
      mk_exact_values(exact, ask->kernel, i, value);
      for (size_t j = 0; j < width; j++) ask->out[(from + j) * ask->row_count + r + i] = value[j];
    }
  }
  return MK_OK;
}

mk_status mk_exact_matrix(const mk_matrix_ask *ask, const mk_control *control) {
  size_t f = mk_family_of(ask->set, ask->kernel);
  mk_team *team = mk_family_serial(ask->set, f) ? NULL : control->team;
  int threads = mk_team_size(team);
  filling fill = {ask, MK_NEW0(mk_exact *, (size_t)threads)};
  mk_status status = fill.exact != NULL ? MK_OK : MK_NO_MEMORY;
  for (int t = 0; status == MK_OK && t < threads; t++)
    if ((fill.exact[t] = mk_exact_new(ask->set)) == NULL) status = MK_NO_MEMORY;
  if (status == MK_OK)
    status = mk_for_each((ask->col_count + MK_EXACT_COLS - 1) / MK_EXACT_COLS, team, control,
                         fill_columns, &fill);
  for (int t = 0; fill.exact != NULL && t < threads; t++) mk_exact_free(fill.exact[t]);
  mk_free(fill.exact);
  return status;
}

/* ---- diagonals ---- */

/* Returns the largest sum of squares of a sample over a feature block's columns. */
static double largest_square(const mk_kernel_set *set, size_t m, double *sum) {
  const mk_member *member = &set->member[m];
  const mk_view *view = &set->view[member->spec.view];
  size_t from = set->features->from[member->spec.view];
  double most = 0.0;
  memset(sum, 0, set->n * sizeof *sum);
  for (size_t k = 0; k < mk_member_columns(set, m); k++) {
    size_t j = mk_member_column(set, m, k);
    double shift = member->centred ? set->features->shift[from + j] : 0.0;
    if (view->x != NULL) {
      set->simd->add_squares(set->n, shift, view->x + j * view->rows, sum);
      continue;
    }
    for (size_t i = 0; shift != 0.0 && i < set->n; i++) sum[i] += shift * shift;
    for (int e = view->start[j]; e < view->start[j + 1]; e++)
      sum[view->row[e]] += view->value[e] * (view->value[e] - 2.0 * shift);
  }
  for (size_t i = 0; i < set->n; i++) most = fmax(most, sum[i]);
  return member->scale * most;
}

static double largest_of_diagonal(const mk_member *member, size_t n, const double *diagonal) {
  double most = 0.0;
  for (size_t i = 0; i < n; i++) {
    double value = diagonal[i];
    if (member->mean != NULL) value += member->total - 2.0 * member->mean[i];
    if (member->root != NULL) value *= member->root[i] * member->root[i];
    most = fmax(most, value);
  }
  return member->scale * most;
}

mk_status mk_set_largest_diagonal(const mk_kernel_set *set, double *largest) {
  double *work = MK_NEW(double, set->n);
  mk_status status = work == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t m = 0; status == MK_OK && m < set->kernels; m++) {
    const mk_member *member = &set->member[m];
    if (mk_is_block(set, m)) {
      largest[m] = largest_square(set, m, work);
    } else {
      status = mk_exact_diagonal(set, m, NULL, work);
      largest[m] = largest_of_diagonal(member, set->n, work);
    }
  }
  mk_free(work);
  return status;
}
