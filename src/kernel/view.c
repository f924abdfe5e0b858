/* Checks the caller's views of the samples and prepares them for reading by rows. Called by set.c
 * and base-block.c. MATHEMATICS.md, section 4.1: x. */
#include "view.h"

#include "base/columns.h"
#include "base/memory.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

/* Checks offsets before entries, since entries can be read only within bounds. */
static int valid_sparse(const mk_view *view) {
  if (view->start[0] != 0) return 0;
  for (size_t j = 0; j < view->cols; j++)
    if (view->start[j + 1] < view->start[j]) return 0;
  for (int e = 0; e < view->start[view->cols]; e++)
    if (view->row[e] < 0 || (size_t)view->row[e] >= view->rows || !isfinite(view->value[e]))
      return 0;
  return 1;
}

/* Sorts the entries by row (counting sort), with increasing columns in each row. */
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

mk_status mk_view_prepare(mk_view *view, mk_team *team) {
  if (view->x != NULL) {
    size_t size = view->rows * view->cols;
    return mk_first_not_finite(view->x, size, team) < size ? MK_BAD_ARGUMENT : MK_OK;
  }
  if (!valid_sparse(view)) return MK_BAD_ARGUMENT;
  return sparse_rows(view);
}

/* ---- moments of columns ---- */

#define LANES 8

static double dense_sum(const double *x, size_t n, double shift, int square) {
  double lane[LANES] = {0}, sum = 0.0;
  size_t i = 0;
  if (square)
    for (; i + LANES <= n; i += LANES)
      for (size_t k = 0; k < LANES; k++) lane[k] += (x[i + k] - shift) * (x[i + k] - shift);
  else
    for (; i + LANES <= n; i += LANES)
      for (size_t k = 0; k < LANES; k++) lane[k] += x[i + k];
  for (; i < n; i++) lane[0] += square ? (x[i] - shift) * (x[i] - shift) : x[i];
  for (size_t k = 0; k < LANES; k++) sum += lane[k];
  return sum;
}

/* Returns the mean over the first `known` samples. */
double mk_column_mean(const mk_view *view, size_t j, size_t known) {
  if (view->x != NULL) return dense_sum(view->x + j * view->rows, known, 0.0, 0) / (double)known;
  double sum = 0.0;
  for (int e = view->start[j]; e < view->start[j + 1]; e++)
    if ((size_t)view->row[e] < known) sum += view->value[e];
  return sum / (double)known;
}

void mk_counted_moments(const mk_view *view, size_t j, const mk_counted *counted, double *mean,
                        double *spread) {
  const double *weight = counted->weight, *x = view->x != NULL ? view->x + j * view->rows : NULL;
  double sum = 0.0, squares = 0.0, seen = 0.0;
  if (x != NULL)
    for (size_t i = 0; i < view->rows; i++) sum += weight[i] * x[i];
  else
    for (int e = view->start[j]; e < view->start[j + 1]; e++)
      sum += weight[view->row[e]] * view->value[e];
  *mean = sum / counted->count;
  if (x != NULL) {
    for (size_t i = 0; i < view->rows; i++) squares += weight[i] * (x[i] - *mean) * (x[i] - *mean);
    *spread = squares;
    return;
  }
  for (int e = view->start[j]; e < view->start[j + 1]; e++) {
    double own = weight[view->row[e]], away = view->value[e] - *mean;
    squares += own * away * away;
    seen += own;
  }
  *spread = squares + (counted->count - seen) * *mean * *mean;
}

void mk_view_column(const mk_view *view, size_t j, double *out) {
  if (view->x != NULL) {
    memcpy(out, view->x + j * view->rows, view->rows * sizeof *out);
    return;
  }
  memset(out, 0, view->rows * sizeof *out);
  for (int e = view->start[j]; e < view->start[j + 1]; e++) out[view->row[e]] = view->value[e];
}

double mk_dense_mean(const mk_view *view, size_t j) {
  return view->x != NULL ? mk_column_mean(view, j, view->rows) : 0.0;
}

static double farthest(const double *x, size_t n, double from) {
  double lane[LANES] = {0}, most = 0.0;
  size_t i = 0;
  for (; i + LANES <= n; i += LANES)
    for (size_t k = 0; k < LANES; k++) {
      double away = fabs(x[i + k] - from);
      lane[k] = away > lane[k] ? away : lane[k];
    }
  for (; i < n; i++) most = fmax(most, fabs(x[i] - from));
  for (size_t k = 0; k < LANES; k++) most = fmax(most, lane[k]);
  return most;
}

void mk_column_moments(const mk_view *view, size_t j, double *mean, double *spread, double *most) {
  *mean = mk_column_mean(view, j, view->rows);
  if (view->x != NULL) {
    *spread = dense_sum(view->x + j * view->rows, view->rows, *mean, 1);
    *most = farthest(view->x + j * view->rows, view->rows, *mean);
    return;
  }
  size_t from = (size_t)view->start[j], count = (size_t)view->start[j + 1] - from;
  *spread =
      dense_sum(view->value + from, count, *mean, 1) + (double)(view->rows - count) * *mean * *mean;
  *most = fmax(farthest(view->value + from, count, *mean), fabs(*mean));
}

/* ---- centring ---- */

#define BLOCK 64

typedef struct centring {
  const mk_view *view;
  mk_row out;
} centring;

static mk_status centre_columns(void *data, size_t k, int thread) {
  const centring *c = data;
  const mk_view *view = c->view;
  size_t n = view->rows, d = view->cols, j0 = k * BLOCK, j1 = j0 + BLOCK < d ? j0 + BLOCK : d;
  (void)thread;
  double mean[BLOCK];
  for (size_t j = j0; j < j1; j++) mean[j - j0] = mk_dense_mean(view, j);
  for (size_t i0 = 0; i0 < n; i0 += BLOCK) {
    size_t i1 = i0 + BLOCK < n ? i0 + BLOCK : n;
    for (size_t i = i0; i < i1; i++)
      for (size_t j = j0; j < j1; j++) {
        double value = view->x[j * n + i] - mean[j - j0];
        if (c->out.single)
          ((float *)c->out.at)[i * d + j] = (float)value;
        else
          ((double *)c->out.at)[i * d + j] = value;
      }
  }
  return MK_OK;
}

mk_status mk_view_centred(const mk_view *view, int single, mk_team *team, mk_row *out) {
  size_t n = view->rows, d = view->cols;
  *out = (mk_row){NULL, single};
  if (d != 0 && n > (size_t)-1 / d) return MK_TOO_LARGE;
  out->at = mk_alloc(n * d, mk_row_size(single));
  if (out->at == NULL) return MK_NO_MEMORY;
  centring c = {view, *out};
  return mk_deal_out((d + BLOCK - 1) / BLOCK, team, centre_columns, &c);
}

void mk_view_clear(mk_view *view) {
  mk_free(view->row_start);
  mk_free(view->row_col);
  mk_free(view->row_value);
  mk_free(view->owned);
  view->owned = NULL;
  view->row_start = NULL;
  view->row_col = NULL;
  view->row_value = NULL;
}
