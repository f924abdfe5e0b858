/* A thin matrix Z = (X - 1 shift') diag(root): many rows, few columns. Rows are stored together,
 * dense or sparse; root may change at any time. Products with K = Z Z' cost two passes over X, and
 * systems with K cost one factor of as many variables as there are columns (Woodbury's formula).
 * Called by svm/proximal-system.c, rows/gram-columns.c and optimizer/interior-system.c. */
#ifndef MK_THIN_H
#define MK_THIN_H

#include "base/control.h"
#include "base/pool.h"
#include "base/memory.h"

#include <stddef.h>

typedef struct mk_thin {
  size_t rows, count; /* count: number of columns */
  double *value;      /* dense: rows x count by rows; sparse: value of each entry */
  size_t *start;      /* sparse: rows + 1 offsets */
  int *column;        /* sparse: column of each entry; NULL: dense */
  double *shift;      /* count: what is subtracted from the columns of X */
  double *root;
  mk_pool memory; /* owns the vectors above */
} mk_thin;

/* Allocates so many entries, or all values if entries = MK_DENSE. Roots are 1, shifts 0, values
 * undefined. z must be cleared even after MK_NO_MEMORY. */
#define MK_DENSE ((size_t)-1)
mk_status mk_thin_new(mk_thin *z, size_t rows, size_t count, size_t entries);
/* Centres the columns. */
void mk_thin_centre(mk_thin *z);
void mk_thin_clear(mk_thin *z);
size_t mk_thin_bytes(const mk_thin *z);

/* ---- products; `list` has the `count` rows that take part; NULL: the first ones ---- */

/* Computes out = Z'x. */
void mk_thin_project(const mk_thin *z, const int *list, size_t count, const double *x, double *out);
/* Computes out = Z g and overwrites g. */
void mk_thin_combine(const mk_thin *z, const int *list, size_t count, double *g, double *out);

/* Writes the rows of Z' to out, `apart` values from each other. */
void mk_thin_spread(const mk_thin *z, const int *list, size_t count, double *out, size_t apart);

/* Solves (Z Z' + diag(delta)) x + offset 1 = r over the listed rows with sum x = sum, or without an
 * offset for any sum. x holds r, then the solution. MK_STALLED: rounding does not allow it. */
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
size_t mk_thin_work_bytes(size_t columns, int dense); /* largest size of `work` */

#endif
