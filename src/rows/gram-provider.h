/* Providers of kernel rows. A provider holds the kernels of one sort and contains everything that
 * makes their rows cheap; gram.c calls all providers and adds their parts. A new provider is one
 * file with the functions below and one row of the table in gram.c. src/README.md lists the other
 * places that depend on its kernels.
 *
 * Matrices in files (matrix/kernel-file.h) are mapped, and gram-matrices.c reads them like those in
 * memory, whole rows in their own precision; `bytes` leaves out what is mapped. Sequences need no
 * provider: kernels that count words are linear kernels on sparse columns, and weighted degree
 * kernels are functions (string/). */
#ifndef MK_GRAM_PROVIDER_H
#define MK_GRAM_PROVIDER_H

#include "base/memory.h"
#include "base/threads.h"
#include "rows/gram.h"
#include "rows/mixture.h"

/* rows of the mixture computed together, for which the budget always has room */
#define MK_ROWS_MADE 512

/* The data that all providers use. A position is a sample's place in an order that begins with the
 * working set. */
typedef struct mk_gram_context {
  const mk_kernel_set *set;
  const mk_control *control;
  int threads;
  mk_scratch **scratch; /* one per thread */
  int single;           /* 1 if rows are floats */
  int offset;           /* 1 if alphas sum to 0, so that responses matter up to a constant */
  int exact;            /* 1 if rows must not be approximate any more */
  int rows_only;        /* 1 if the solver reads exact rows alone */
  int *sample, *place;  /* sample of each position; position of each sample */
  size_t n, count;      /* number of samples; of those in the working set */
  mk_mixture *mixture;  /* mixture of all kernels for the theta of the last mix */
  /* largest memory before or after `grow`, if that was more than is held now */
  size_t most_bytes;
  mk_buffer row_memory; /* memory of the cached rows; `grow` may free it if it needs the room */
} mk_gram_context;

/* A request for responses of all kernels at some positions of the working set. */
typedef struct mk_member_ask {
  const double *alpha; /* alphas over the working set */
  const int *positions;
  size_t count, kernels;
  double *u; /* count x kernels by rows */
} mk_member_ask;

/* A provider. NULL functions are not needed. `own` is what `open` made. */
typedef struct mk_provider {
  int doubles; /* 1 if its rows are doubles whatever is asked for */
  /* Makes *own, which stays NULL if the set has no kernel of the sort. It is called again for
   * another precision, after close. */
  mk_status (*open)(mk_gram_context *at, void **own);
  void (*close)(void *own);
  size_t (*bytes)(const void *own);
  /* Updates `own` after the working set has grown, within a budget of bytes. */
  mk_status (*grow)(void *own, size_t budget);
  /* Returns 1 if one row alone costs nearly as much as a block of them. */
  int (*prefers_blocks)(const void *own);
  /* Called before and after the mixture is compiled for another theta; `renewed` is 1 if rows have
   * changed. */
  void (*before_mix)(void *own);
  mk_status (*mix)(void *own, const double *theta, int renewed);
  /* Returns 1 if its rows are approximate for this theta, so that `response` changes them.
   * Responses and forms are always exact. */
  int (*is_approximate)(const void *own);
  /* Adds its kernels' part between position rows[r] and the k-th of the working set to
   * target[r][k]. */
  mk_status (*rows)(void *own, const int *rows, size_t count, const mk_row *target);
  /* Adds its kernels' part between positions rows[r] and rows[c] to target[r][c]; NULL: gram.c uses
   * whole rows. */
  mk_status (*square)(void *own, const int *rows, size_t count, const mk_row *target);
  /* Adds its part of K_theta alpha_t over the working set to out[t]. If lacking is 1, out already
   * has its rows' part, and only the difference to the true responses is added. NULL: its rows are
   * enough. */
  mk_status (*response)(void *own, const mk_alphas *alphas, int lacking, double **out);
  /* Adds its part of K_theta alpha_t to out[t] by sample, for samples at positions from `from` on;
   * values of other samples are undefined. */
  mk_status (*response_from)(void *own, const mk_alphas *alphas, size_t from, double **out);
  /* Computes s_m = sum over tasks of alpha'K_m alpha for its kernels; others keep theirs. */
  mk_status (*forms)(void *own, const mk_alphas *alphas, double *s);
  int shares_forms; /* 1 if it computes no more forms than its control's share of the pairs */
  /* Computes K_m alpha for its kernels; others keep theirs. */
  mk_status (*members)(void *own, const mk_member_ask *ask);
  /* Returns Z with K = Z Z' over the working set, or NULL if there are only rows. */
  const mk_thin *(*thin)(const void *own);
} mk_provider;

extern const mk_provider mk_base_provider;   /* gram-bases.c */
extern const mk_provider mk_matrix_provider; /* gram-matrices.c */
extern const mk_provider mk_column_provider; /* gram-columns.c */
extern const mk_provider mk_local_provider;  /* gram-local.c */

/* Lists the positions of the working set with an alpha in any task, and returns their number. */
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

#endif
