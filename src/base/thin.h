/* A thin matrix Z = (X - 1 shift') diag(root): many rows, few columns. Rows lie together, dense
 * or sparse; root may change at any time. Products with K = Z Z' cost two passes over X, and
 * systems with K one factor of as many variables as there are columns (Woodbury's formula).
 * Called by svm/proximal-system.c, rows/gram-columns.c and optimizer/interior-system.c. */
#ifndef MK_THIN_H
#define MK_THIN_H

#include "base/control.h"
#include "base/memory.h"

#include <stddef.h>

typedef struct mk_thin {
  size_t rows, count; /* count: columns */
  double *value;      /* dense: rows x count by rows; sparse: of the entries */
  size_t *start;      /* sparse: rows + 1 offsets, ... */
  int *column;        /* ... column of each entry; NULL: dense */
  double *shift;      /* what is to be taken off X yet */
  double *root;
} mk_thin;

/* Room for so many entries, or for all values: MK_DENSE. MK_NO_MEMORY leaves something to clear.
 * Roots are 1, shifts 0, values undefined. */
#define MK_DENSE ((size_t)-1)
mk_status mk_thin_new(mk_thin *z, size_t rows, size_t count, size_t entries);
/* Columns lose their means. */
void mk_thin_centre(mk_thin *z);
void mk_thin_clear(mk_thin *z);
size_t mk_thin_bytes(const mk_thin *z);

/* ---- products; `list` says which `count` rows are meant, NULL: the first ones ---- */

/* out = Z'x, of as many numbers as there are columns */
void mk_thin_project(const mk_thin *z, const int *list, size_t count, const double *x, double *out);
/* out = Z g; g does not survive. */
void mk_thin_combine(const mk_thin *z, const int *list, size_t count, double *g, double *out);

/* out = Z' by rows, which begin `apart` from each other. */
void mk_thin_spread(const mk_thin *z, const int *list, size_t count, double *out, size_t apart);

/* (Z Z' + diag(delta)) x + offset 1 = r over the listed rows, sum x = sum, or without an offset
 * whatever the sum; x comes as r. The matrices' memory is `work`. MK_STALLED: rounding does not
 * allow it. */
typedef struct mk_thin_system {
  const mk_thin *z;
  const int *list;
  size_t count;
  const double *delta; /* count */
  int no_offset;
  double sum, offset;
  double *x;
} mk_thin_system;
mk_status mk_thin_solve(mk_thin_system *system, mk_buffer *work, mk_team *team);
size_t mk_thin_work_bytes(size_t columns, int dense); /* what `work` grows to */

#endif
