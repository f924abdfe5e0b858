/* The samples that the SVMs are solved over: in the end only support vectors matter, so a fit
 * begins with a stratified few and takes in those of the others that violate optimality most.
 * Called by fit-state.c and interleaved.c. */
#ifndef MK_WORKING_SET_H
#define MK_WORKING_SET_H

#include "problem/problem.h"

#define MK_SMALL_PROBLEM 1000 /* samples up to which all of them are the working set at once */

/* How many samples can have an alpha other than 0. */
size_t mk_usable_count(const mk_problem *problem);

/* The first working set, `count` samples into `list` (n): a few of each class of each task, evenly
 * spaced, and whatever the start supports; or all, where `cheap` says that more samples cost little
 * or nothing is gained by leaving some out. */
mk_status mk_first_working_set(const mk_problem *problem, const mk_control *control,
                               const mk_start *start, int cheap, int *list, size_t *count);

/* Of the samples `outside` the working set, which have alpha = 0, those that cost something, and if
 * there are any those that nearly do, worst first, into `list`: `count` of them, at most as many as
 * there are inside, or all if few others are left then. decision[t] has f of task t. */
mk_status mk_find_violators(const mk_problem *problem, const int *outside, size_t others,
                            double *const *decision, int *list, size_t *count);

#endif
