/* The samples over which SVMs are solved. A fit begins with a few samples of each class and adds
 * those that violate optimality most, since only support vectors matter in the end. Called by
 * fit-state.c and interleaved.c. MATHEMATICS.md, section 3.2. */
#ifndef MK_WORKING_SET_H
#define MK_WORKING_SET_H

#include "problem/problem.h"

/* largest number of samples that all take part from the start, in working sets and in Hessians */
#define MK_SMALL_PROBLEM 1000

/* Returns the number of samples that can have a nonzero alpha. */
size_t mk_usable_count(const mk_problem *problem);

/* Writes the first working set, `count` samples, into `list` (n): a few of each class of each task,
 * evenly spaced, and the samples that the start supports; or all samples, if `cheap` is 1, because
 * more samples take little time or most are support vectors. */
mk_status mk_first_working_set(const mk_problem *problem, const mk_control *control,
                               const mk_start *start, int cheap, int *list, size_t *count);

/* Lists, worst first, the samples `outside` the working set (with alpha = 0) that have a loss and,
 * if there are any, those that nearly have one. *count is at most the number of samples inside, or
 * that of all outside if few would be left. decision[t] has f of task t. */
mk_status mk_find_violators(const mk_problem *problem, const int *outside, size_t others,
                            double *const *decision, int *list, size_t *count);

#endif
