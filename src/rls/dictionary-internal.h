/* The structures shared by dictionary.c and dictionary-values.c only. */
#ifndef MK_DICTIONARY_INTERNAL_H
#define MK_DICTIONARY_INTERNAL_H

#include "base/memory.h"
#include "base/pool.h"
#include "rls/dictionary-values.h"
#include "rows/base-block.h"

struct mk_bench {
  mk_scratch *scratch;
  mk_buffer room;   /* values of a kernel and its factor */
  mk_buffer panel;  /* columns, and work space of their products */
  double *column;   /* one column, at all samples of the set */
  double *solution; /* n x tasks */
  long bad;         /* first kernel without a factor, or -1 */
};

struct mk_dictionary {
  const mk_gomp_problem *problem;
  const mk_control *control;
  mk_bases *bases;
  size_t kernels, samples; /* numbers of the set */
  int whole;               /* 1 if all samples of the set take part, in their order */
  size_t *width;           /* by kernel: number of columns, or 0 for kernels by n x n values */
  char *keeps;             /* by kernel: 1 if its factor is kept */
  double **factor;         /* by kernel: its kept factor, a packed lower triangle, or NULL */
  int benches, rooms;      /* number of benches; number of benches with memory for a factor */
  mk_bench *bench;
  mk_buffer base; /* base of a family whose members share it */
  size_t based;   /* number of that family; the number of families: none */
  int shares;     /* 1 if there is memory for a shared base */
  int *list;      /* numbers of the kernels in progress */
  /* residual and shared base of the present pass */
  const double *r, *shared;
  double *score, square;
  mk_control inner; /* team and limits for work on one kernel */
  size_t filled;    /* kernel or family whose strips are being filled */
  mk_pool memory;   /* owns the lists by kernel and the benches */
  double *target;   /* memory for these strips */
};

#endif
