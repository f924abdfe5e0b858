/* Facts about matrices that are to be kernels: one pass over the tiles of each matrix and their
 * mirror images, then a bounded look at its spectrum. Called by rglue/. MATHEMATICS.md, section 1
 * assumes K >= 0. */
#include "matrix/inspect.h"

#include "base/pool.h"
#include "base/simd.h"
#include "base/threads.h"
#include "matrix/spectrum.h"

#include <math.h>

#define EFFORT 2e9 /* bytes that the Lanczos steps on all matrices may read */
#define STEPS 30   /* expected number of Lanczos steps */
#define LEAST_ROWS 200
#define FEW_STRIPS 4 /* strips that one thread inspects alone */

/* ---- values ---- */

typedef struct inspection {
  const double *matrix, *diagonal;
  size_t n;
  const mk_simd *simd;
  mk_matrix_facts *seen; /* by thread */
} inspection;

/* Returns the smallest eigenvalue of the tile's 2 x 2 principal minors. */
static double tile_minor(const inspection *in, size_t row, size_t col, size_t rows, size_t cols) {
  double least = INFINITY;
  for (size_t j = col; j < col + cols; j++)
    for (size_t i = row > j ? row : j + 1; i < row + rows; i++) {
      double own = in->diagonal[j], other = in->diagonal[i];
      double off_diagonal = in->matrix[j * in->n + i];
      least = fmin(least, 0.5 * (own + other) - hypot(0.5 * (own - other), off_diagonal));
    }
  return least;
}

/* Compares the tiles on and below the diagonal in a strip of columns with their mirror images. */
static mk_status inspect_strip(void *data, size_t strip, int thread) {
  const inspection *in = data;
  mk_matrix_facts *facts = &in->seen[thread];
  size_t n = in->n, col = strip * MK_MIRROR, cols = n - col < MK_MIRROR ? n - col : MK_MIRROR;
  for (size_t row = col; row < n; row += MK_MIRROR) {
    size_t rows = n - row < MK_MIRROR ? n - row : MK_MIRROR;
    mk_comparison seen = {0};
    in->simd->compare_mirror(rows, cols, n, in->matrix + col * n + row, in->matrix + row * n + col,
                             in->diagonal + row, in->diagonal + col, &seen);
    facts->largest = seen.largest > facts->largest ? seen.largest : facts->largest;
    facts->asymmetry = fmax(facts->asymmetry, seen.difference);
    if (!seen.finite) facts->largest = NAN;
    if (seen.minor > 0.0)
      facts->smallest = fmin(facts->smallest, tile_minor(in, row, col, rows, cols));
  }
  return MK_OK;
}

static void merge_facts(mk_matrix_facts *facts, const mk_matrix_facts *own) {
  double bad = own->largest - own->largest + (facts->largest - facts->largest); /* keeps NaN */
  facts->largest = fmax(facts->largest, own->largest) + bad;
  facts->asymmetry = fmax(facts->asymmetry, own->asymmetry);
  facts->smallest = fmin(facts->smallest, own->smallest);
}

/* ---- spectrum ---- */

/* Chooses one row from each of `count` equal shares, at a pseudo-random place. */
static void spread_rows(size_t n, size_t count, size_t *rows) {
  unsigned long state = 1;
  for (size_t k = 0; k < count; k++) {
    size_t from = k * n / count, to = (k + 1) * n / count;
    state = (state * 1103515245ul + 12345ul) & 0x7ffffffful;
    rows[k] = from + (state >> 8) % (to - from);
  }
}

typedef struct spectra {
  const double *const *matrix;
  size_t n, row_count;
  size_t *rows;
  /* control of one matrix: matrices share the threads, or a single one has all */
  mk_control control;
  mk_matrix_facts *facts;
} spectra;

/* Makes Lanczos steps on the submatrix of the chosen rows. If all rows are chosen, the matrix is
 * read in place. */
static mk_status inspect_spectrum(void *data, size_t m, int thread) {
  const spectra *in = data;
  const double *matrix = in->matrix[m];
  size_t n = in->n, count = in->row_count;
  double smallest, largest, *part = NULL;
  mk_pool pool = {NULL, 0, 0};
  (void)thread;
  if (!isfinite(in->facts[m].largest)) return MK_OK;
  if (count < n) {
    part = MK_TAKE(&pool, double, count *count);
    if (part == NULL) return MK_NO_MEMORY;
    for (size_t j = 0; j < count; j++)
      for (size_t i = 0; i < count; i++)
        part[j * count + i] = matrix[in->rows[j] * n + in->rows[i]];
  }
  mk_status status = mk_extreme_eigenvalues(part != NULL ? part : matrix, count, &in->control,
                                            &smallest, &largest);
  if (status == MK_OK) in->facts[m].smallest = fmin(in->facts[m].smallest, smallest);
  mk_pool_free(&pool);
  return status;
}

static size_t affordable_rows(size_t n, size_t count) {
  double rows = sqrt(EFFORT / (sizeof(double) * STEPS * (double)count));
  rows = rows < LEAST_ROWS ? LEAST_ROWS : rows;
  return rows < (double)n ? (size_t)rows : n;
}

static void inspect_one(const double *matrix, size_t n, double *diagonal, mk_team *team,
                        mk_matrix_facts *seen, mk_matrix_facts *facts) {
  inspection in = {matrix, diagonal, n, mk_simd_best(), seen};
  size_t strips = (n + MK_MIRROR - 1) / MK_MIRROR;
  *facts = (mk_matrix_facts){0.0, 0.0, INFINITY};
  for (size_t i = 0; i < n; i++) {
    diagonal[i] = matrix[i * n + i];
    facts->smallest = fmin(facts->smallest, diagonal[i]);
  }
  for (int t = 0; t < mk_team_size(team); t++) seen[t] = (mk_matrix_facts){0.0, 0.0, INFINITY};
  mk_deal_out(strips, strips > FEW_STRIPS ? team : NULL, inspect_strip, &in);
  for (int t = 0; t < mk_team_size(team); t++) merge_facts(facts, &seen[t]);
}

mk_status mk_inspect(const double *const *matrix, size_t n, size_t count, const mk_control *control,
                     mk_matrix_facts *facts) {
  int alone = count == 1;
  spectra in = {.matrix = matrix, .n = n, .row_count = affordable_rows(n, count), .facts = facts};
  in.control = (mk_control){.max_time = INFINITY, .team = alone ? control->team : NULL};
  mk_pool pool = {NULL, 0, 0};
  in.rows = MK_TAKE(&pool, size_t, n);
  double *diagonal = MK_TAKE(&pool, double, n);
  mk_matrix_facts *seen = MK_TAKE(&pool, mk_matrix_facts, (size_t)mk_team_size(control->team));
  mk_status status = mk_pool_status(&pool);
  for (size_t m = 0; status == MK_OK && m < count; m++) {
    inspect_one(matrix[m], n, diagonal, control->team, seen, &facts[m]);
    status = mk_check(control);
  }
  if (status == MK_OK) {
    spread_rows(n, in.row_count, in.rows);
    status = mk_for_each(count, alone ? NULL : control->team, control, inspect_spectrum, &in);
  }
  mk_pool_free(&pool);
  return status;
}
