/* Installs the constants of normalisation that normalize/ finds; for linear kernels computes them
 * in closed form from columns. MATHEMATICS.md, section 4.2. */
#include "constants.h"

#include "base/memory.h"
#include "kernel/features.h"
#include "kernel/geometry.h"
#include "kernel/structure.h"

#include <math.h>
#include <string.h>

static mk_status copy_vector(double **to, const double *from, size_t n) {
  mk_free(*to);
  *to = NULL;
  if (from == NULL) return MK_OK;
  *to = MK_NEW(double, n);
  if (*to == NULL) return MK_NO_MEMORY;
  memcpy(*to, from, n * sizeof *from);
  return MK_OK;
}

mk_status mk_set_normalization(mk_kernel_set *set, size_t m, double scale, const double *mean,
                               double total, const double *root) {
  if (m >= set->kernels || !isfinite(scale) || scale <= 0 || !isfinite(total))
    return MK_BAD_ARGUMENT;
  mk_member *member = &set->member[m];
  if (root != NULL && member->tabled >= 0) return MK_BAD_ARGUMENT;
  member->scale = scale;
  member->total = total;
  MK_TRY(copy_vector(&member->mean, mean, set->n));
  return copy_vector(&member->root, root, set->n);
}

const double *mk_set_root(const mk_kernel_set *set, size_t m) {
  return set->member[m].root;
}

const double *mk_set_has(const mk_kernel_set *set, size_t m) {
  int view = set->member[m].spec.view;
  return view >= 0 ? set->view[view].has : NULL;
}

int mk_set_zero_rows(const mk_kernel_set *set, size_t m) {
  return set->member[m].spec.zero_rows;
}

double mk_set_scale(const mk_kernel_set *set, size_t m) {
  return set->member[m].scale;
}

/* ---- linear kernels ---- */

static double counted_mean(const mk_view *view, size_t j, size_t known, const mk_counted *counted) {
  double mean, spread;
  if (counted == NULL) return mk_column_mean(view, j, known);
  mk_counted_moments(view, j, counted, &mean, &spread);
  return mean;
}

void mk_linear_moments(const mk_kernel_set *set, size_t m, const mk_counted *counted, double *trace,
                       double *spread) {
  const mk_member *member = &set->member[m];
  const mk_view *view = &set->view[member->spec.view];
  int known = counted == NULL && mk_family_explicit(set, member->family);
  double count = counted != NULL ? counted->count : (double)set->n;
  size_t from = known ? set->features->from[member->spec.view] : 0;
  const mk_geometry *pairs = counted == NULL ? set->family[member->family].geometry : NULL;
  *trace = *spread = 0.0;
  for (size_t i = 0; pairs != NULL && i < set->n; i++) {
    *spread += pairs->square[i];
    *trace += pairs->square[i] + 2.0 * pairs->shift[i];
  }
  for (size_t k = 0; pairs == NULL && k < mk_member_columns(set, m); k++) {
    size_t j = mk_member_column(set, m, k);
    double centre, square, most;
    if (counted != NULL) {
      mk_counted_moments(view, j, counted, &centre, &square);
    } else if (known) {
      centre = set->features->mean[from + j];
      square = set->features->spread[from + j];
    } else {
      mk_column_moments(view, j, &centre, &square, &most);
    }
    *spread += square;
    *trace += square + count * centre * centre;
  }
}

/* Computes row means of a linear kernel with a base from the means of its columns. */
static mk_status centre_rows(mk_kernel_set *set, size_t m, double scale, size_t known,
                             const mk_counted *counted) {
  const mk_view *view = &set->view[set->member[m].spec.view];
  double *row = MK_NEW0(double, set->n), total = 0.0;
  if (row == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < mk_member_columns(set, m); k++) {
    size_t j = mk_member_column(set, m, k);
    double mean = counted_mean(view, j, known, counted);
    total += mean * mean;
    if (view->x != NULL)
      set->simd->axpy(set->n, mean, view->x + j * set->n, row);
    else
      for (int e = view->start[j]; e < view->start[j + 1]; e++)
        row[view->row[e]] += mean * view->value[e];
  }
  mk_status status = mk_set_normalization(set, m, scale, row, total, NULL);
  mk_free(row);
  return status;
}

static mk_status centre_columns(mk_kernel_set *set, size_t m, size_t known,
                                const mk_counted *counted) {
  mk_features *features = set->features;
  const mk_member *member = &set->member[m];
  const mk_view *view = &set->view[member->spec.view];
  size_t from = features->from[member->spec.view];
  if (features->shift == NULL) features->shift = MK_TAKE0(&set->grouping, double, features->ids);
  if (features->shift == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < mk_member_columns(set, m); k++) {
    size_t j = mk_member_column(set, m, k);
    features->shift[from + j] = known < set->n || counted != NULL
                                    ? counted_mean(view, j, known, counted)
                                    : features->mean[from + j];
  }
  return MK_OK;
}

mk_status mk_linear_normalize(mk_kernel_set *set, size_t m, double scale, int centred, size_t known,
                              const mk_counted *counted) {
  mk_member *member = &set->member[m];
  int explicit = mk_family_explicit(set, member->family);
  if (centred && !explicit) return centre_rows(set, m, scale, known, counted);
  member->centred = centred;
  MK_TRY(mk_set_normalization(set, m, scale, NULL, 0.0, NULL));
  return centred ? centre_columns(set, m, known, counted) : MK_OK;
}
