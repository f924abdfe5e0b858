/* One view of the samples: a dense column-major matrix or a sparse one by
 * columns, both the caller's memory. What rows need is derived once. */
#ifndef MK_VIEW_H
#define MK_VIEW_H

#include "base/row.h"
#include "base/control.h"

#include <stddef.h>

typedef struct mk_view {
  size_t rows, cols;
  const double *x;     /* dense: rows x cols by columns; NULL when sparse */
  const int *start;    /* sparse by columns: cols + 1 offsets, ... */
  const int *row;      /* ... row of each entry, ... */
  const double *value; /* ... and its value */
  size_t *row_start;   /* sparse by rows, owned: rows + 1 offsets, ... */
  int *row_col;        /* ... column of each entry, increasing within a row, ... */
  double *row_value;   /* ... and its value */
  double *owned;       /* what x points to, where it is owned */
  const double *has;   /* rows: 1 for samples that have the view, 0 for others; NULL: all do */
} mk_view;

/* Validates a sparse view (offsets, indices) and builds its rows; a dense view needs nothing. */
mk_status mk_view_prepare(mk_view *view, mk_team *team);
/* A dense view BY ROWS, column means removed; the caller frees out->at. */
mk_status mk_view_centred(const mk_view *view, int single, mk_team *team, mk_row *out);
void mk_view_column(const mk_view *view, size_t j, double *out); /* its values in all rows */
double mk_dense_mean(const mk_view *view, size_t j); /* of a dense column; 0 of a sparse one */
/* Samples that constants are taken from, as those of a fold's training part: weight 1, others 0.
 * Where a function takes it, NULL means all samples. */
typedef struct mk_counted {
  const double *weight; /* n */
  double count;
} mk_counted;

/* A column's mean over the first `known` samples; over those that count, with its sum of squares
 * about that; over all, with its largest distance from it, too. */
double mk_column_mean(const mk_view *view, size_t j, size_t known);
void mk_counted_moments(const mk_view *view, size_t j, const mk_counted *counted, double *mean,
                        double *spread);
void mk_column_moments(const mk_view *view, size_t j, double *mean, double *spread, double *most);
void mk_view_clear(mk_view *view); /* frees what is owned */

#endif
