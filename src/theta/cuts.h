/* The cuts of cutting-plane methods: J(t) >= linear_j - slope_j't for every theta that was
 * evaluated, in the norm's coordinates t on the ball sum t^p <= 1. A program over all cuts is
 * solved on the active ones, and violated cuts join until there are none. If memory is short, cuts
 * that were inactive for long are deleted; then cuts of small multipliers are merged, which keeps
 * the bound (aggregation, Kiwiel 1990). Called by cutting-plane.c and level.c. MATHEMATICS.md,
 * section 3.2. */
#ifndef MK_THETA_CUTS_H
#define MK_THETA_CUTS_H

#include "theta/rule.h"

typedef struct mk_cuts {
  size_t kernels, count, room; /* room: number of cuts that the budget allows */
  size_t row;                  /* values of a cut: its slope, then the alpha it comes from */
  const mk_norm *norm;
  mk_team *team;
  double *linear, *slope; /* room; room x row */
  double *share;          /* room: multipliers that give the last bound, as shares */
  int *age;               /* room: programs solved since the cut was active */
  double *t, *centre;     /* kernels: coordinates of the last solution; of the point to project */
  double lower;           /* best bound so far: no theta has a smaller J */
  double *mean;           /* row: mean of the cuts by multipliers; its alpha proves `lower` */
  double *scratch;        /* kernels */
  double *multiplier;     /* room: scratch of the programs */
  double *chosen_linear;  /* room: scratch of the programs */
  const double **chosen;
  int *list;
} mk_cuts;

/* Returns 1 for lp norms with p < infinity, weighted or not, and the elastic net. */
int mk_cuts_serve(const mk_norm *norm);
mk_status mk_cuts_begin(mk_cuts *cuts, const mk_rule *rule);
void mk_cuts_end(mk_cuts *cuts);
/* Writes the bound, the mean alpha that proves it, and the memory of the cuts. */
void mk_cuts_tell(const mk_cuts *cuts, mk_question *question);

/* Adds a cut. MK_STALLED: there is no memory left, and no cuts can be merged. */
mk_status mk_cuts_add(mk_cuts *cuts, const mk_answer *answer);
/* Finds the theta at which the largest cut is least, and raises `lower`. */
mk_status mk_cuts_minimise(mk_cuts *cuts, double *theta);
/* Finds the theta nearest to `from`, in coordinates, at which no cut exceeds the level. */
mk_status mk_cuts_project(mk_cuts *cuts, const double *from, double level, double *theta);

#endif
