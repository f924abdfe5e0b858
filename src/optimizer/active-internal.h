/* What the rounds with some kernels (active-kernels.c) share with where these come from. */
#ifndef MK_ACTIVE_INTERNAL_H
#define MK_ACTIVE_INTERNAL_H

#include "optimizer/active-kernels.h"

typedef struct mk_active mk_active;

struct mk_pool {
  size_t taken;    /* kernels that join at a time ... */
  double least;    /* ... whose forms are above this share of the largest that takes part */
  double newcomer; /* weight of a kernel that joins, of the largest */
  mk_status (*prepare)(mk_active *a); /* `own` */
  void (*release)(mk_active *a);
  /* First alphas, their forms and gap; perhaps theta. */
  mk_status (*begin)(mk_active *a, const mk_start *start);
  /* 1: kernel m takes part in the next round whatever joins; `most`: largest weight, and form */
  int (*stays)(const mk_active *a, size_t m, double most_weight, double most_form);
  mk_status (*price)(mk_active *a); /* forms of all kernels at the solution's alphas */
  /* The problem of the kernels in the list, to a relative gap of `goal` of its own. */
  mk_status (*solve)(mk_active *a, const mk_start *start, double goal, mk_solution *part);
};

struct mk_active {
  const mk_problem *problem;
  const mk_control *control;
  mk_solution *solution;
  const mk_pool *pool;
  void *own;      /* the pool's */
  size_t kernels; /* of the whole set */
  int *list;      /* kernels that take part, increasing ... */
  size_t count;
  char *in;     /* M: ... and as marks */
  double *s;    /* M: forms at the solution's alphas */
  double *rank; /* M: scratch */
  double iterations, solves;
  double gap;             /* of the whole problem; infinite: not known */
  double *best, best_gap; /* M + n x tasks: the best pair so far, and its gap */
};

#endif
