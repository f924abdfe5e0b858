/* Gaussians of many widths in terms of few.
 *
 * As a function of x = log w, g(x) = exp(-d e^-x) is analytic everywhere, and
 * |g(x + iy)| = exp(-d e^-x cos y) <= 1 for |y| <= pi/2, whatever d >= 0 is. On a
 * cell of half-width h in x the ellipse of Bernstein with (rho - 1/rho)/2 = pi/(2h)
 * lies in that strip, and interpolation at N Chebyshev nodes errs by at most
 *   4 rho^(1 - N) / (rho - 1)    (Trefethen 2013, Theorem 8.2).
 * A cell of at most two octaves, h <= log 2, has rho > 4.743: with N = 32 nodes
 * that is below 1.2e-21.
 *
 * The nodes' own errors, 2.1e-20 each (pieces.c), enter with the sum of the shares'
 * sizes, which is at most 1 + 2 log(N)/pi < 3.21 (Rivlin 1974, Theorem 1.2). In all
 * 3.21 * 2.1e-20 + 1.2e-21 < MK_PIECES_ERROR. */
#include "base/chebyshev.h"
#include "expansion-internal.h"

#include <math.h>

#define NODES 32
#define CELL_OCTAVES 2.0
#define MOST_CELLS 17 /* of what pieces can span */

/* The widths by their logarithms in equal cells. */
typedef struct cells {
  mk_chebyshev rule;
  size_t count;
  double octaves;           /* of a cell */
  double first[MOST_CELLS]; /* the narrowest width of a cell; offsets are from it */
  size_t crowd[MOST_CELLS]; /* how many widths it has */
} cells;

static size_t cells_needed(double narrowest, double widest) {
  double needed = ceil(log2(widest / narrowest) / CELL_OCTAVES);
  return needed < 1.0 ? 1 : mk_smaller((size_t)needed, MOST_CELLS);
}

static size_t cell_of(const cells *cells, double width) {
  if (cells->octaves == 0.0) return 0;
  double at = log2(width / cells->first[0]) / cells->octaves;
  return at < 0.0 ? 0 : mk_smaller((size_t)at, cells->count - 1);
}

static void find_cells(cells *cells, size_t count, const double *width) {
  double narrowest = INFINITY, widest = 0.0;
  for (size_t k = 0; k < count; k++) {
    narrowest = fmin(narrowest, width[k]);
    widest = fmax(widest, width[k]);
  }
  mk_chebyshev_init(&cells->rule, NODES);
  cells->count = cells_needed(narrowest, widest);
  cells->octaves = log2(widest / narrowest) / (double)cells->count;
  for (size_t c = 0; c < cells->count; c++) {
    cells->first[c] = narrowest * exp2((double)c * cells->octaves);
    cells->crowd[c] = 0;
  }
  for (size_t k = 0; k < count; k++) cells->crowd[cell_of(cells, width[k])]++;
}

/* Fewer widths are taken one by one. */
static int is_crowded(const cells *cells, size_t cell) {
  return cells->crowd[cell] > NODES;
}

static double node_width(const cells *cells, size_t cell, size_t j) {
  return cells->first[cell] * exp2(0.5 * (cells->rule.node[j] + 1.0) * cells->octaves);
}

static void find_shares(const cells *cells, size_t cell, double width, double *share) {
  double offset = log2(width / cells->first[cell]);
  mk_chebyshev_shares(&cells->rule,
                      cells->octaves > 0.0 ? 2.0 * offset / cells->octaves - 1.0 : 0.0, share);
}

size_t mk_widths_needed(size_t count, double narrowest, double widest) {
  return mk_smaller(count, cells_needed(narrowest, widest) * NODES);
}

void mk_widths_add(const mk_pieces *pieces, const mk_simd *simd, size_t count, const double *width,
                   const double *weight) {
  double node[MOST_CELLS][NODES] = {{0}}, share[NODES];
  cells cells;
  find_cells(&cells, count, width);
  for (size_t k = 0; k < count; k++) {
    size_t cell = cell_of(&cells, width[k]);
    if (!is_crowded(&cells, cell)) {
      mk_pieces_add(pieces, simd, width[k], weight[k], pieces->coef);
      continue;
    }
    find_shares(&cells, cell, width[k], share);
    simd->axpy(NODES, weight[k], share, node[cell]);
  }
  for (size_t cell = 0; cell < cells.count; cell++)
    for (size_t j = 0; is_crowded(&cells, cell) && j < NODES; j++)
      mk_pieces_add(pieces, simd, node_width(&cells, cell, j), node[cell][j], pieces->coef);
}

void mk_widths_sum(const mk_pieces *pieces, const mk_simd *simd, size_t count, const double *width,
                   double *sum) {
  double node[MOST_CELLS][NODES], share[NODES];
  cells cells;
  find_cells(&cells, count, width);
  for (size_t cell = 0; cell < cells.count; cell++)
    for (size_t j = 0; is_crowded(&cells, cell) && j < NODES; j++)
      node[cell][j] = mk_pieces_sum(pieces, simd, node_width(&cells, cell, j));
  for (size_t k = 0; k < count; k++) {
    size_t cell = cell_of(&cells, width[k]);
    if (is_crowded(&cells, cell)) {
      find_shares(&cells, cell, width[k], share);
      sum[k] = simd->dot(NODES, share, node[cell]);
    } else {
      sum[k] = mk_pieces_sum(pieces, simd, width[k]);
    }
  }
}
