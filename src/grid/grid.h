/* Fits of several problems at many costs each: a grid of cross-validation. From one cost to the
 * next, larger one the fits are warm. Each fit has one thread, so that numbers don't depend on how
 * many there are: these have problems to share, and the memory of the budget. Called by
 * rglue/grid.c. MATHEMATICS.md, section 1. */
#ifndef MK_GRID_H
#define MK_GRID_H

#include "optimizer/optimizers.h"

typedef struct mk_cell {
  mk_solution solution; /* empty where there was no time to begin */
  mk_status status;
  double seconds;
} mk_cell;

/* A solution of a problem at smaller costs; NULL: there is none. */
typedef struct mk_known {
  const mk_solution *solution;
  double scale;
} mk_known;

typedef struct mk_grid {
  mk_optimizer optimizer;
  const mk_problem *problem; /* problems; costs are those at scale 1 */
  const mk_known
      *known; /* problems x 2, where chains go on: the last and the one before, or NULL */
  size_t problems;
  const double *scale; /* scales, rising: factors on the costs */
  size_t scales;
  double deadline; /* mk_seconds() after which no fit goes on */
  mk_cell *cell;   /* problems x scales, by rows, zeroed; to be cleared by the caller */
} mk_grid;

/* A fit that fails leaves its status in its cell. Otherwise MK_OK or MK_INTERRUPTED. `max_time` of
 * control is each fit's; its progress hears of the number of cells done, as iterations. */
mk_status mk_fit_grid(const mk_grid *grid, const mk_control *control);
void mk_grid_clear(mk_grid *grid);

#endif
