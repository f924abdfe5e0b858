/* What the files of the Gram rows share; nobody else includes it. */
#ifndef MK_GRAM_INTERNAL_H
#define MK_GRAM_INTERNAL_H

#include "base/threads.h"
#include "cache/cache.h"
#include "kernel/features.h"
#include "optimizer/gram.h"

/* How bases of storable families are kept: rows over all positions, rows over
 * those of the candidates, or not at all. */
typedef enum mk_keep { KEEP_NONE, KEEP_CANDIDATES, KEEP_ALL } mk_keep;

/* Base rows of one family by candidate position; row = NULL: none are kept. */
typedef struct mk_store {
  void **row;
  size_t length; /* row_length when they were made */
  void **slab;   /* the memory behind them, one piece for each extension */
  size_t slabs, bytes;
} mk_store;

typedef struct mk_gram_matrices mk_gram_matrices;
/* Feature blocks: alphas by sample and their products with the columns, of
 * the last alphas looked at and of those kept for mk_gram_blend(). */
typedef struct mk_projection {
  size_t tasks;
  double **alpha, **g;         /* tasks: n values; slots */
  double **old_alpha, **old_g; /* the same before */
  double **response;           /* tasks: n values, scratch */
} mk_projection;

struct mk_gram {
  const mk_kernel_set *set;
  const mk_control *control;
  mk_bases *bases;
  mk_mixture *mixture;
  int single;           /* bases and rows are floats */
  mk_scratch **scratch; /* one per thread */
  mk_sums **sums;       /* one per thread */
  int threads;
  int serial;        /* a function kernel is not stored: one thread only */
  int *sample;       /* position -> sample: the candidates, then the others */
  int *place;        /* sample -> position */
  mk_packed *packed; /* all samples by position */
  size_t count, families;
  mk_keep kept;
  size_t row_length; /* of a stored base row: room for so many values ... */
  size_t row_values; /* ... and those that are there */
  mk_store *base;    /* one per family */
  mk_cache *cache;
  mk_buffer rows;             /* its memory */
  mk_gram_matrices *matrices; /* NULL: no precomputed kernels */
  double *diagonal;           /* padded */
  int *list;                  /* n: scratch positions */
  size_t most_bytes;
  mk_projection *projection; /* NULL until needed */
  size_t projection_bytes;   /* of the largest so far */
  int whole;                 /* 1: rows take all columns of feature blocks */
  int is_thin;               /* 1: `thin` stands for rows */
  mk_thin thin;              /* the candidates' columns */
  int learns;                /* 1: the next responses are of a new mixture, worth learning from */
};

/* Positions `rows` against some columns. */
typedef struct mk_gram_block {
  const int *rows;         /* positions ... */
  size_t first, row_count; /* ... of the sweep's rows from `first` on */
  const int *positions;    /* of the columns; NULL: they are ... */
  size_t from, count;      /* ... from..from + count, otherwise that part of a list */
  const mk_packed *packed; /* what `from` and `count` are a part of */
  mk_columns columns;      /* these samples; mk_gram_visit() sees to it */
  int mixing;              /* 1: feature blocks give their rows too */
} mk_gram_block;

/* Called for every family and row of a block with its base values (none for
 * families that read their matrices directly). */
typedef void (*mk_gram_visitor)(void *data, size_t f, size_t r, const mk_gram_block *b, mk_row base,
                                int thread);

/* Running sums, without what gram-local.c has. */
mk_sums *mk_gram_sums(const mk_gram *gram);

mk_status mk_gram_visit(mk_gram *gram, mk_gram_block *b, int thread, mk_gram_visitor visit,
                        void *data);

/* All blocks between `rows` (positions) and the columns. Columns are dealt out
 * to threads in chunks of fixed size and owner, so that results do not depend
 * on timing. `symmetric`: rows and columns are one list and only blocks on and
 * above the diagonal are visited. */
typedef struct mk_sweep {
  const int *rows;
  size_t row_count;
  const int *positions; /* of the columns; NULL: from, from + 1, ... */
  mk_packed *packed;    /* these, or all samples by position */
  size_t from, count;
  int symmetric;
  int mixing;
  mk_gram_visitor visit;
  void (*finish)(void *data, const mk_gram_block *b,
                 int thread); /* after all families; may be NULL */
} mk_sweep;

mk_status mk_gram_sweep(mk_gram *gram, const mk_sweep *s, void *data);
/* Columns of a chunk where there are `count` in all. */
size_t mk_sweep_chunk(const mk_gram *gram, size_t count);

/* Takes down what is held, with `more` bytes that only live for a while. */
void mk_gram_account(mk_gram *gram, size_t more);

/* Base rows of family f from candidate `first` on; those before are kept as `old_kept`
 * (gram-store.c). */
mk_status mk_gram_fill_store(mk_gram *gram, size_t f, size_t first, mk_keep old_kept);
void mk_store_clear(mk_store *store);

/* ---- precomputed kernels (gram-matrices.c); without any, these do nothing ---- */

mk_status mk_gram_matrices_new(mk_gram *gram);
void mk_gram_matrices_free(mk_gram_matrices *matrices);
size_t mk_gram_matrices_bytes(const mk_gram_matrices *matrices);
void mk_gram_matrices_mix(mk_gram *gram, const double *theta);
/* 1: family f is precomputed, and its part of rows comes whole ... */
int mk_gram_matrices_whole(const mk_gram *gram, size_t f);
/* ... from here: target[r][c] += its part at the candidates. */
void mk_gram_matrices_rows(mk_gram *gram, const int *rows, size_t row_count, const mk_row *target);
/* As mk_gram_forms (which they are added to), mk_gram_member_responses and, where `generators` is
 * 1, mk_gram_generator_responses, for these kernels only. */
mk_status mk_gram_matrices_forms(mk_gram *gram, const mk_alphas *alphas, double *s);
mk_status mk_gram_matrices_member_responses(mk_gram *gram, const double *alpha,
                                            const int *positions, size_t count, int generators,
                                            double *u);
/* 1: there are no other kernels, and responses over the candidates or over all samples come
 * cheaply from here. */
int mk_gram_matrices_only(const mk_gram *gram);
mk_status mk_gram_matrices_response(mk_gram *gram, const mk_alphas *alphas, int all, double **out);
/* ---- feature blocks (gram-features.c); without any, these do nothing ---- */

/* out[t] += what they add to the responses of all samples. */
mk_status mk_gram_add_features(mk_gram *gram, const mk_alphas *alphas, double **out);
/* As mk_gram_forms and, by `generators`, member or generator responses, for these kernels only. */
mk_status mk_gram_feature_forms(mk_gram *gram, const mk_alphas *alphas, double *s);
mk_status mk_gram_feature_member_responses(mk_gram *gram, const double *alpha, const int *positions,
                                           size_t count, int generators, double *u);
/* The model's responses, over the candidates, become the true ones. */
mk_status mk_gram_correct(mk_gram *gram, const mk_alphas *alphas, double **out);
/* Their responses alone, over the candidates. */
mk_status mk_gram_feature_response(mk_gram *gram, const mk_alphas *alphas, double **out);
void mk_gram_free_projection(mk_gram *gram);
/* Forms of the linear kernels that are no feature blocks, by their features. */
mk_status mk_gram_linear_forms(mk_gram *gram, const mk_alphas *alphas, double *s);

/* ---- locally linear kernels (gram-local.c); without any, these do nothing ---- */

/* As mk_gram_forms and, by `generators`, member or generator responses, for these kernels only. */
mk_status mk_gram_local_forms(mk_gram *gram, const mk_alphas *alphas, double *s);
mk_status mk_gram_local_member_responses(mk_gram *gram, const double *alpha, const int *positions,
                                         size_t count, int generators, double *u);

/* ---- feature blocks of few columns (gram-thin.c) ---- */

int mk_gram_wants_thin(const mk_gram *gram); /* 1: there is nothing else, and they fit the memory */
mk_status mk_gram_fill_thin(mk_gram *gram);  /* after candidates have changed */

#endif
