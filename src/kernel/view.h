/* One view of the samples: a dense column-major matrix or a sparse one by columns, in the caller's
 * memory. Row access is derived once. */
#ifndef MK_VIEW_H
#define MK_VIEW_H

#include "base/row.h"
#include "base/control.h"

#include <stddef.h>

typedef struct mk_view {
  size_t rows, cols;
  const double *x;     /* dense: rows x cols by columns; NULL if sparse */
  const int *start;    /* sparse by columns: cols + 1 offsets */
  const int *row;      /* sparse by columns: row of each entry */
  const double *value; /* sparse by columns: value of each entry */
  size_t *row_start;   /* sparse by rows, owned: rows + 1 offsets */
  int *row_col;        /* sparse by rows, owned: column of each entry, increasing within a row */
  double *row_value;   /* sparse by rows, owned: value of each entry */
  double *owned;       /* memory behind x if the view owns it */
  const double *has;   /* rows: 1 for samples that have the view, 0 for others; NULL: all have it */
} mk_view;

/* Validates a sparse view (offsets, indices) and builds its rows. A dense view needs no
 * preparation. */
mk_status mk_view_prepare(mk_view *view, mk_team *team);
/* Copies a dense view BY ROWS with its column means subtracted. The caller frees out->at. */
mk_status mk_view_centred(const mk_view *view, int single, mk_team *team, mk_row *out);
/* writes the column's values in all rows */
void mk_view_column(const mk_view *view, size_t j, double *out);
/* mean of a dense column; 0 for a sparse one */
double mk_dense_mean(const mk_view *view, size_t j);
/* The samples that constants are computed from, such as the training part of a fold: weight 1,
 * others 0. NULL instead of a pointer to mk_counted means all samples. */
typedef struct mk_counted {
  const double *weight; /* n */
  double count;
} mk_counted;

/* Moments of a column: the mean over the first `known` samples; mean and sum of squares about it
 * over the counted samples; the same over all samples, with the largest distance from the mean. */
double mk_column_mean(const mk_view *view, size_t j, size_t known);
void mk_counted_moments(const mk_view *view, size_t j, const mk_counted *counted, double *mean,
                        double *spread);
void mk_column_moments(const mk_view *view, size_t j, double *mean, double *spread, double *most);
void mk_view_clear(mk_view *view); /* frees what the view owns */

#endif
