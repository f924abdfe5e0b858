#include "values.h"

#include "base/memory.h"
#include "exact.h"
#include "internal.h"

#include <math.h>
#include <string.h>

/* Roots of Gaussians that are not centred are 1. */
int mk_is_plain_gaussian(const mk_kernel_set *set, size_t m, double *width) {
  const mk_member *member = &set->member[m];
  *width = member->spec.width;
  return member->spec.type == MK_GAUSSIAN && member->mean == NULL;
}

void mk_values_from_base(const mk_kernel_set *set, size_t m, int row, const mk_columns *columns,
                         const double *base, double *out) {
  mk_member_values(set, m, row, columns, base, out);
}

size_t mk_family_of(const mk_kernel_set *set, size_t m) {
  return set->member[m].family;
}

/* ---- columns of linear kernels ---- */

size_t mk_linear_width(const mk_kernel_set *set, size_t m) {
  return set->member[m].spec.type == MK_LINEAR ? mk_member_columns(set, m) : 0;
}

/* Over the first `known` samples, those of them that have the view. */
static double known_mean(const double *column, const double *has, size_t known) {
  double sum = 0.0, count = 0.0;
  for (size_t i = 0; i < known; i++) {
    double weight = has != NULL ? has[i] : 1.0;
    sum += weight * column[i];
    count += weight;
  }
  return sum / count;
}

void mk_linear_column(const mk_kernel_set *set, size_t m, size_t k, size_t known, double *out) {
  const mk_member *member = &set->member[m];
  const mk_view *view = &set->view[member->spec.view];
  size_t j = mk_member_column(set, m, k);
  double shift = 0.0, size = sqrt(member->scale);
  mk_view_column(view, j, out);
  if (member->centred || member->mean != NULL) shift = known_mean(out, view->has, known);
  for (size_t i = 0; i < set->n; i++) {
    double root = member->root != NULL ? member->root[i] : 1.0;
    out[i] = size * root * (out[i] - shift);
  }
}

/* ---- diagonals ---- */

/* The largest sum of squares of a sample over a feature block's columns. */
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
    if (set->family[member->family].type == MK_FAMILY_FEATURES) {
      largest[m] = largest_square(set, m, work);
    } else {
      status = mk_exact_diagonal(set, m, NULL, work);
      largest[m] = largest_of_diagonal(member, set->n, work);
    }
  }
  mk_free(work);
  return status;
}
