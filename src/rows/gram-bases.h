/* The structures and functions shared by the files of gram-bases.c only: kernels of families with a
 * base (squared distances, values of functions), whose blocks are computed or stored. From the
 * ground up: gram-store.c, gram-values.c, gram-sweep.c, gram-pairs.c, gram-bases.c. */
#ifndef MK_GRAM_BASES_H
#define MK_GRAM_BASES_H

#include "base/pool.h"
#include "rows/gram-provider.h"
#include "rows/sums.h"

typedef struct mk_value_store mk_value_store;

typedef struct mk_base_rows {
  mk_gram_context *at;
  mk_pool memory; /* owns the lists below */
  mk_bases *bases;
  mk_packed *packed; /* all samples, packed by position */
  mk_sums **sums;    /* one per thread */
  size_t families;
  size_t first;           /* first family with a base */
  int functions;          /* 1 if there are function kernels */
  mk_buffer *store;       /* by family: stored rows over the working set; at = NULL: not stored */
  size_t stored;          /* number and length of the stored rows */
  mk_value_store *values; /* stored values of all kernels; NULL: bases are better */
  int *list;              /* n: scratch positions */
} mk_base_rows;

/* ---- gram-store.c ---- */

/* Extends the stored rows after the working set has grown; families that exceed the budget are
 * dropped. */
mk_status mk_store_grow(mk_base_rows *b, size_t budget);
mk_row mk_stored_row(const mk_base_rows *b, size_t f, size_t i); /* row of position i */
size_t mk_store_bytes(const mk_base_rows *b);
void mk_store_free(mk_base_rows *b);

/* ---- gram-values.c ---- */

/* Makes b->values after the working set has grown, if they are better than bases. */
mk_status mk_values_grow(mk_base_rows *b, size_t budget);
void mk_values_free(mk_value_store *values);
size_t mk_values_bytes(const mk_value_store *values); /* 0 for NULL */
/* Do what the provider's functions of the same names do, if b->values exist. */
void mk_values_mix(mk_base_rows *b, const double *theta);
mk_status mk_values_rows(const mk_base_rows *b, const int *rows, size_t count,
                         const mk_row *target);
mk_status mk_values_forms(const mk_base_rows *b, const mk_alphas *alphas, double *s);
mk_status mk_values_members(const mk_base_rows *b, const mk_member_ask *ask);

/* ---- gram-sweep.c ---- */

/* Returns 1 if values against positions up to `last` come from functions that only one thread may
 * call. */
int mk_calls_functions(const mk_base_rows *b, size_t last);

/* A block: positions `rows` against some columns. */
typedef struct mk_sweep_block {
  const int *rows;         /* positions of the sweep's rows from `first` on */
  size_t first, row_count; /* number of the first row in the sweep; number of rows */
  const int *positions;    /* positions of the columns; NULL: from .. from + count */
  size_t from, count;      /* range of positions, or part of a list */
  const mk_packed *packed; /* the list of which `from` and `count` are a part */
  mk_samples others;       /* samples of the columns; set by mk_visit_bases() */
} mk_sweep_block;

/* A function that is called for every family with a base and every row of a block. */
typedef void (*mk_base_visitor)(void *data, size_t f, size_t r, const mk_sweep_block *block,
                                mk_row base, int thread);

mk_status mk_visit_bases(mk_base_rows *b, mk_sweep_block *block, int thread, mk_base_visitor visit,
                         void *data);

/* A sweep over all blocks between `rows` (positions) and the columns. Columns are dealt out to
 * threads in chunks of fixed size and owner, so that results do not depend on timing. If
 * `symmetric`, rows and columns are one list and only blocks on and above the diagonal are
 * visited. */
typedef struct mk_base_sweep {
  const int *rows;
  size_t row_count;
  const int *positions; /* positions of the columns; NULL: from, from + 1, ... */
  mk_packed *packed;    /* packed columns; NULL: all samples by position */
  size_t from, count;
  int symmetric;
  mk_base_visitor visit;
  void (*finish)(void *data, const mk_sweep_block *block,
                 int thread); /* called after all families; or NULL */
} mk_base_sweep;

mk_status mk_sweep_bases(mk_base_rows *b, const mk_base_sweep *sweep, void *data);

/* ---- gram-pairs.c ---- */

mk_sums *mk_new_sums(const mk_base_rows *b); /* without locally linear kernels */
/* The provider's functions `forms` and `members`. */
mk_status mk_form_by_pairs(void *own, const mk_alphas *alphas, double *s);
mk_status mk_respond_by_pairs(void *own, const mk_member_ask *ask);

#endif
