/* Optimisers with two loops: theta moves by a rule, and for every theta the SVMs are solved on all
 * rows. The certificate decides when they end. Called by optimizers.c, and by column-generation.c
 * for its first moves. MATHEMATICS.md, section 3.2. */
#ifndef MK_OUTER_LOOP_H
#define MK_OUTER_LOOP_H

#include "problem/problem.h"
#include "theta/rule.h"

/* Fits like mk_interleaved(). rule = NULL: Newton's method, which needs more than a rule's
 * answer. */
mk_status mk_outer_loop(const mk_problem *problem, const mk_control *control, const mk_start *start,
                        const mk_rule_type *rule, mk_solution *solution);

#endif
