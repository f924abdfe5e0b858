/* What cutting-plane methods remember: J(t) >= linear_j - slope_j't for every theta that was looked
 * at, in the norm's coordinates t, which are on the ball sum t^p <= 1.
 * Programs over all cuts are solved on those that matter, with others that turn out to be violated
 * taken in until none is. Where room is short, cuts that have not mattered for long are forgotten,
 * then those that matter least merge, which keeps the bound (Kiwiel 1990 calls it aggregation).
 * Called by cutting-plane.c and level.c. MATHEMATICS.md, section 3. */
#ifndef MK_THETA_CUTS_H
#define MK_THETA_CUTS_H

#include "theta/rule.h"

typedef struct mk_cuts {
  size_t kernels, count, room; /* room: cuts that the budget holds */
  size_t row;                  /* values of a cut: its slope, then the alpha that it comes from */
  const mk_norm *norm;
  mk_team *team;
  double *linear, *slope; /* room; room x row */
  double *share;          /* room: of the multipliers that give the last bound */
  int *age;               /* programs solved since the cut was active */
  double *t, *centre;     /* kernels: coordinates of the last point, and of where it is near to */
  double lower;           /* the best bound so far: no theta has a smaller J */
  double *mean;           /* row: of the cuts, by multipliers; its alpha proves `lower` */
  double *scratch;        /* kernels */
  double *multiplier;     /* scratch of the programs, as are ... */
  double *chosen_linear;  /* ... these */
  const double **chosen;
  int *list;
} mk_cuts;

int mk_cuts_serve(
    const mk_norm *norm); /* lp norms, weighted or not, of p < infinity; elastic net */
mk_status mk_cuts_begin(mk_cuts *cuts, const mk_rule *rule);
void mk_cuts_end(mk_cuts *cuts);
/* The bound, what proves it, and what the cuts take. */
void mk_cuts_tell(const mk_cuts *cuts, mk_question *question);

/* MK_STALLED: there is no room, and all cuts matter. */
mk_status mk_cuts_add(mk_cuts *cuts, const mk_answer *answer);
/* The theta of which the largest cut is least; raises `lower`. */
mk_status mk_cuts_minimise(mk_cuts *cuts, double *theta);
/* The theta nearest to `from` (in coordinates) of which no cut exceeds the level. */
mk_status mk_cuts_project(mk_cuts *cuts, const double *from, double level, double *theta);

#endif
