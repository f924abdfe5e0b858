#include "view.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Offsets first: entries are looked at only once these are known to be in bounds. */
static int valid_sparse(const mk_view *view) {
  if (view->start[0] != 0) return 0;
  for (size_t j = 0; j < view->cols; j++)
    if (view->start[j + 1] < view->start[j]) return 0;
  for (int e = 0; e < view->start[view->cols]; e++)
    if (view->row[e] < 0 || (size_t)view->row[e] >= view->rows || !isfinite(view->value[e])) return 0;
  return 1;
}

/* A counting sort of the entries by row; columns come out increasing. */
static mk_status sparse_rows(mk_view *view) {
  size_t entries = (size_t)view->start[view->cols];
  view->row_start = MK_NEW0(size_t, view->rows + 2);
  view->row_col = MK_NEW(int, entries + 1);
  view->row_value = MK_NEW(double, entries + 1);
  if (view->row_start == NULL || view->row_col == NULL || view->row_value == NULL)
    return MK_NO_MEMORY;
  size_t *next = view->row_start + 1;
  for (size_t e = 0; e < entries; e++) next[view->row[e] + 1]++;
  for (size_t i = 0; i < view->rows; i++) next[i + 1] += next[i];
  for (size_t j = 0; j < view->cols; j++)
    for (int e = view->start[j]; e < view->start[j + 1]; e++) {
      size_t at = next[view->row[e]]++;
      view->row_col[at] = (int)j;
      view->row_value[at] = view->value[e];
    }
  return MK_OK;
}

mk_status mk_view_prepare(mk_view *view) {
  if (view->x != NULL) {
    for (size_t k = 0, size = view->rows * view->cols; k < size; k++)
      if (!isfinite(view->x[k])) return MK_BAD_ARGUMENT;
    return MK_OK;
  }
  if (!valid_sparse(view)) return MK_BAD_ARGUMENT;
  return sparse_rows(view);
}

#define BLOCK 64

mk_status mk_view_centre(mk_view *view) {
  if (view->x == NULL || view->centred != NULL) return MK_OK;
  size_t n = view->rows, d = view->cols;
  if (d != 0 && n > (size_t)-1 / sizeof(double) / d) return MK_TOO_LARGE;
  double *out = MK_NEW(double, n *d);
  if (out == NULL) return MK_NO_MEMORY;
  for (size_t j0 = 0; j0 < d; j0 += BLOCK) {
    size_t j1 = j0 + BLOCK < d ? j0 + BLOCK : d;
    double mean[BLOCK];
    for (size_t j = j0; j < j1; j++) {
      double sum = 0.0;
      for (size_t i = 0; i < n; i++) sum += view->x[j * n + i] / (double)n;
      mean[j - j0] = sum;
    }
    for (size_t i0 = 0; i0 < n; i0 += BLOCK) {
      size_t i1 = i0 + BLOCK < n ? i0 + BLOCK : n;
      for (size_t j = j0; j < j1; j++)
        for (size_t i = i0; i < i1; i++) out[i * d + j] = view->x[j * n + i] - mean[j - j0];
    }
  }
  view->centred = out;
  return MK_OK;
}

void mk_view_clear(mk_view *view) {
  mk_free(view->centred);
  mk_free(view->row_start);
  mk_free(view->row_col);
  mk_free(view->row_value);
  view->centred = NULL;
  view->row_start = NULL;
  view->row_col = NULL;
  view->row_value = NULL;
}
