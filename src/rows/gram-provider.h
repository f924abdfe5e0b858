/* Where kernel rows come from. A provider holds the kernels of one kind and alone knows what makes
 * their rows cheap; gram.c asks all of them and adds up. A new one is one file, with the functions
 * below, and one row of the table in gram.c; README.md says what else must know of its kernels.
 *
 * Matrices in files (matrix/kernel-file.h) are mapped, and gram-matrices.c reads them like those in
 * memory: whole rows of them, in their own precision; `bytes` leaves out what is mapped.
 * Sequences need none: kernels that count words are linear ones on sparse columns, and weighted
 * degree kernels are functions (string/). */
#ifndef MK_GRAM_PROVIDER_H
#define MK_GRAM_PROVIDER_H

#include "base/memory.h"
#include "base/threads.h"
#include "rows/gram.h"
#include "rows/mixture.h"

#define MK_ROWS_MADE 512 /* of the mixture together, which the budget has room for in any case */

/* What all providers see. A position is a sample's place: the working set comes first. */
typedef struct mk_gram_context {
  const mk_kernel_set *set;
  const mk_control *control;
  int threads;
  mk_scratch **scratch; /* one per thread */
  int single;           /* rows are floats */
  int offset;           /* alphas sum to zero, and responses matter but for a constant */
  int exact;            /* rows may not be approximate any more */
  int *sample, *place;  /* position -> sample; sample -> position */
  size_t n, count;      /* samples; those of the working set */
  mk_mixture *mixture;  /* of all kernels, for the theta of the last mix */
  size_t most_bytes;    /* held at a time, where that was more than before or after `grow` */
  mk_buffer row_memory; /* of the cached rows: whoever needs the room may free it in `grow` */
} mk_gram_context;

/* Responses of all kernels at some positions of the working set. */
typedef struct mk_member_ask {
  const double *alpha; /* over the working set */
  const int *positions;
  size_t count, kernels;
  double *u; /* count x kernels by rows */
} mk_member_ask;

/* NULL: there is nothing to do or to say. `own` is what `open` made. */
typedef struct mk_provider {
  int doubles; /* 1: its rows are doubles whatever is asked for */
  /* *own stays NULL where the set has no kernel of the kind. Called again for another precision,
   * after close. */
  mk_status (*open)(mk_gram_context *at, void **own);
  void (*close)(void *own);
  size_t (*bytes)(const void *own);
  mk_status (*grow)(void *own, size_t budget); /* the working set has; most bytes to hold */
  /* 1: one row alone costs nearly what a block of them does. */
  int (*prefers_blocks)(const void *own);
  /* Before the mixture is compiled for another theta, and behind it; renewed: rows have changed. */
  void (*before_mix)(void *own);
  mk_status (*mix)(void *own, const double *theta, int renewed);
  /* 1: its rows are not quite true for this theta. Responses and forms always are. */
  int (*is_approximate)(const void *own);
  /* target[r][k] += its kernels' part between position rows[r] and the working set's k-th. */
  mk_status (*rows)(void *own, const int *rows, size_t count, const mk_row *target);
  /* target[r][c] += the same between positions rows[r] and rows[c] alone; NULL: by whole rows. */
  mk_status (*square)(void *own, const int *rows, size_t count, const mk_row *target);
  /* out[t] += its part of K_theta alpha_t over the working set. lacking: 1 if its rows are in out
   * already; then only what they lack, nothing where they are true. NULL: by its rows alone. */
  mk_status (*response)(void *own, const mk_alphas *alphas, int lacking, double **out);
  /* The same by sample, for those at positions from `from` on; others' values mean nothing. */
  mk_status (*response_from)(void *own, const mk_alphas *alphas, size_t from, double **out);
  /* s_m = sum over tasks of alpha'K_m alpha for its kernels; all others' are left alone. */
  mk_status (*forms)(void *own, const mk_alphas *alphas, double *s);
  /* K_m alpha for its kernels; all others' are left alone. */
  mk_status (*members)(void *own, const mk_member_ask *ask);
  /* Z with K = Z Z' over the working set; NULL: rows are all there is. */
  const mk_thin *(*thin)(const void *own);
} mk_provider;

extern const mk_provider mk_base_provider;   /* gram-bases.c */
extern const mk_provider mk_matrix_provider; /* gram-matrices.c */
extern const mk_provider mk_column_provider; /* gram-columns.c */
extern const mk_provider mk_local_provider;  /* gram-local.c */

/* The samples of the working set with an alpha in any task, as positions; how many. */
static inline size_t mk_list_support(const mk_gram_context *at, const mk_alphas *alphas,
                                     int *list) {
  size_t count = 0;
  for (size_t i = 0; i < at->count; i++) {
    int any = 0;
    for (size_t t = 0; t < alphas->tasks; t++) any |= alphas->alpha[t][i] != 0.0;
    if (any) list[count++] = (int)i;
  }
  return count;
}

/* Columns that one thread takes at a time where there are `count` in all. */
size_t mk_column_chunk(const mk_gram_context *at, size_t count);

#endif
