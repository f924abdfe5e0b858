/* Multiple kernel learning with p = 1 over a stream of kernels (SequentialMKL, MATHEMATICS.md,
 * section 6): the few kernels that matter are fitted in memory by the ordinary optimiser; the
 * others are scanned for those that would have more than the largest strength, which join. */
#ifndef MK_SEQUENTIAL_H
#define MK_SEQUENTIAL_H

#include "optimizer/optimizers.h"
#include "problem/problem.h"
#include "sequential/stream.h"

typedef struct mk_sequential_settings {
  mk_optimizer optimizer; /* of the fits on the active kernels */
  size_t insert;          /* most kernels that join at once; 0: chosen */
  size_t pool;            /* kernels that are scanned more often than all; 0: chosen */
} mk_sequential_settings;

/* One scan, and the fit before it. */
typedef struct mk_sequential_pass {
  double scanned, inserted, active; /* kernels; active: with positive weight */
  double objective, gap;            /* dual value and relative gap over the kernels scanned */
  double seconds;                   /* since the beginning */
} mk_sequential_pass;

typedef struct mk_sequential_solution {
  size_t count, *selected; /* kernels of positive weight, by rising number */
  mk_solution fit;         /* over those; but dual and gap, which count all kernels */
  double largest;          /* strength of all */
  int complete;            /* 0: ended before all kernels were scanned once: dual is that of alpha
                            * = 0 */
  size_t passes, room;
  mk_sequential_pass *pass;
} mk_sequential_solution;

/* The problem's set and norm are not read. MK_OK, MK_TIME_LIMIT, MK_ITERATION_LIMIT (max_iter
 * counts passes) and MK_STALLED leave a usable solution, to be cleared in any case. After
 * MK_TIME_LIMIT it has no kernels, and nothing else, where evaluating one took too long. */
mk_status mk_sequential(const mk_stream *stream, const mk_problem *problem,
                        const mk_sequential_settings *settings, const mk_control *control,
                        mk_sequential_solution *solution);
void mk_sequential_clear(mk_sequential_solution *solution);

#endif
