/* Multiple kernel learning with p = 1 over a stream of kernels (SequentialMKL, MATHEMATICS.md,
 * section 6.3). The ordinary optimiser fits the few kernels that matter in memory. All other
 * kernels are scanned, and kernels that exceed the largest strength join. */
#ifndef MK_SEQUENTIAL_H
#define MK_SEQUENTIAL_H

#include "optimizer/optimizers.h"
#include "problem/problem.h"
#include "sequential/stream.h"

typedef struct mk_sequential_settings {
  mk_optimizer optimizer; /* optimiser of the fits on the active kernels */
  size_t insert;          /* most kernels that join at once; 0: chosen automatically */
  size_t pool;            /* kernels that are scanned more often; 0: chosen automatically */
} mk_sequential_settings;

/* One scan, and the fit before it. */
typedef struct mk_sequential_pass {
  double scanned, inserted, active; /* numbers of kernels; active: with positive weight */
  double objective, gap;            /* dual value and relative gap over the scanned kernels */
  double seconds;                   /* seconds since the beginning */
} mk_sequential_pass;

typedef struct mk_sequential_solution {
  size_t count, *selected; /* kernels of positive weight, by rising number */
  mk_solution fit;         /* solution over these kernels, with dual and gap over all kernels */
  double largest;          /* largest strength in the dictionary */
  /* 0 if it ended before all kernels were scanned; the dual value is then that of alpha = 0 */
  int complete;
  size_t passes, room;
  mk_sequential_pass *pass;
} mk_sequential_solution;

/* Fits. The problem's set and norm are not read. MK_OK, MK_TIME_LIMIT, MK_ITERATION_LIMIT (max_iter
 * counts passes) and MK_STALLED leave a usable solution, which must be cleared in any case. After
 * MK_TIME_LIMIT it is empty if there was no time to evaluate a single kernel. */
mk_status mk_sequential(const mk_stream *stream, const mk_problem *problem,
                        const mk_sequential_settings *settings, const mk_control *control,
                        mk_sequential_solution *solution);
void mk_sequential_clear(mk_sequential_solution *solution);

#endif
