/* The samples that a fit begins with, and the even samples after them. */
#ifndef MK_CANDIDATES_H
#define MK_CANDIDATES_H

#include "optimizer/machine.h"

/* Others at most for each candidate of an even sample, all violators of which may come at once. */
#define MK_LEAP 4

/* Samples whose alpha can be other than 0. */
int mk_is_usable(const mk_problem *problem, size_t i);
size_t mk_usable_count(const mk_problem *problem);

/* 1: the first candidates' boxes stand for all samples. Not those of several tasks, which are not
 * even samples of each task's classes, nor where there are alphas to begin with. */
int mk_stand_for_all(const mk_problem *problem, const mk_start *start);

/* All samples, or a first few of each class and whatever the start supports, into the machine's
 * list; machine->doublings says how many even samples are to follow. */
mk_status mk_first_candidates(mk_machine *machine, const mk_start *start, size_t *count);
/* As many of each class again, evenly spaced among the others; of one task. */
mk_status mk_next_candidates(mk_machine *machine, size_t *count);

#endif
