/* Fits of several problems at many costs each, as cross-validation needs them. Fits at increasing
 * costs start warm. Each fit has one thread, so that results do not depend on the number of
 * threads, which share the problems and the memory budget. Called by rglue/grid.c. MATHEMATICS.md,
 * section 1.6. */
#ifndef MK_GRID_H
#define MK_GRID_H

#include "optimizer/optimizers.h"

typedef struct mk_cell {
  mk_solution solution; /* empty if there was no time to begin */
  mk_status status;
  double seconds;
} mk_cell;

/* A solution of a problem at smaller costs, or NULL. */
typedef struct mk_known {
  const mk_solution *solution;
  double scale;
} mk_known;

typedef struct mk_grid {
  mk_optimizer optimizer;
  const mk_problem *problem; /* the problems, with costs at scale 1 */
  const mk_known *known; /* problems x 2: the last two solutions of chains that continue; or NULL */
  size_t problems;
  const double *scale; /* increasing factors of the costs */
  size_t scales;
  double deadline; /* mk_seconds() after which fits end */
  mk_cell *cell;   /* problems x scales, by rows; zeroed and later cleared by the caller */
} mk_grid;

/* Fits all cells. A fit that fails leaves its status in its cell. Returns MK_OK or MK_INTERRUPTED.
 * `max_time` of control applies to each fit; progress is called with the number of cells done as
 * iterations. */
mk_status mk_fit_grid(const mk_grid *grid, const mk_control *control);
void mk_grid_clear(mk_grid *grid);

#endif
