/* What dictionary.c and dictionary-values.c share. */
#ifndef MK_DICTIONARY_INTERNAL_H
#define MK_DICTIONARY_INTERNAL_H

#include "base/memory.h"
#include "rows/bases.h"
#include "dictionary.h"

/* One thread's work space. */
typedef struct mk_bench {
  mk_scratch *scratch;
  mk_buffer room;   /* a kernel and its factor */
  mk_buffer panel;  /* columns and what their products take */
  double *column;   /* at all samples of the set, ... */
  double *solution; /* ... and n x tasks */
  long bad;         /* the first kernel that has no factor, or -1 */
} mk_bench;

struct mk_dictionary {
  const mk_gomp_problem *problem;
  const mk_control *control;
  mk_bases *bases;
  size_t kernels, samples; /* of the set */
  int whole;               /* 1: all of its samples take part, in their order */
  size_t *width;           /* by kernel: columns, or 0 for one of n x n values */
  char *keeps;             /* its factor is to be kept ... */
  double **factor;         /* ... here: the packed lower triangle */
  int benches, rooms;      /* rooms: benches with room for a factor at once */
  mk_bench *bench;
  mk_buffer base; /* of a family whose members share it, ... */
  size_t based;   /* ... of this one; the number of families: none */
  int shares;     /* 1: there is memory for that */
  int *list;      /* kernels at work */
  /* of the pass at hand */
  const double *r, *shared;
  double *score, square;
  mk_control inner; /* for one kernel at a time: who works at it, within which limits */
  size_t filled;    /* the kernel, or family, that strips are of */
  double *target;   /* where they go */
};

/* Doubles for `width` columns of a kernel and what their products take. */
size_t mk_panel_size(const mk_dictionary *d, size_t width);
/* The k-th column of linear kernel m at the samples that take part. */
void mk_dictionary_column(const mk_dictionary *d, size_t m, size_t k, mk_bench *b, double *out);
/* The lower triangle of Z'Z. */
mk_status mk_dictionary_multiply(const mk_dictionary *d, size_t m, mk_bench *b, mk_team *team,
                                 double *out);
/* The lower triangle of K_m, by all threads where they are free. */
mk_status mk_dictionary_fill(mk_dictionary *d, size_t m, mk_bench *b, double *out);
/* The base of family f, if it isn't there already. */
mk_status mk_dictionary_lay_base(mk_dictionary *d, size_t f);

#endif
