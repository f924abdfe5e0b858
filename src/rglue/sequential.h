/* Results of sequential fits for R. */
#ifndef MK_RGLUE_SEQUENTIAL_H
#define MK_RGLUE_SEQUENTIAL_H

#include "problem/problem.h"
#include "rglue/glue.h"

struct mk_sequential_solution;
SEXP mk_wrap_sequential(const mk_problem *problem, const struct mk_sequential_solution *s,
                        mk_status status);

#endif
