/* Sweeps over blocks of bases. Called by the files of gram-bases.c. */
#ifndef MK_GRAM_SWEEP_H
#define MK_GRAM_SWEEP_H

#include "rows/gram-bases.h"
#include "rows/packed.h"

/* Returns 1 if values against positions up to `last` come from functions that only one thread may
 * call. */
int mk_calls_functions(const mk_base_rows *b, size_t last);

/* A block: positions `rows` against other samples. */
typedef struct mk_sweep_block {
  const int *rows;         /* positions of the sweep's rows from `first` on */
  size_t first, row_count; /* number of the first row in the sweep; number of rows */
  const int *positions;    /* positions of the others; NULL: from .. from + count */
  size_t from, count;      /* range of positions, or part of a list */
  const mk_packed *packed; /* the list of which `from` and `count` are a part */
  mk_samples others;       /* the other samples; set by mk_visit_bases() */
} mk_sweep_block;

/* A function that is called for every family with a base and every row of a block. */
typedef void (*mk_base_visitor)(void *data, size_t f, size_t r, const mk_sweep_block *block,
                                mk_row base, int thread);

mk_status mk_visit_bases(mk_base_rows *b, mk_sweep_block *block, int thread, mk_base_visitor visit,
                         void *data);

/* A sweep over all blocks between `rows` (positions) and other samples. These are dealt out to
 * threads in chunks of fixed size and owner, so that results do not depend on timing. If
 * `symmetric`, rows and others are one list and only blocks on and above the diagonal are
 * visited. */
typedef struct mk_base_sweep {
  const int *rows;
  size_t row_count;
  const int *positions; /* positions of the others; NULL: from, from + 1, ... */
  mk_packed *packed;    /* the others, packed; NULL: all samples by position */
  size_t from, count;
  int symmetric;
  mk_base_visitor visit;
  void (*finish)(void *data, const mk_sweep_block *block,
                 int thread); /* called after all families; or NULL */
} mk_base_sweep;

mk_status mk_sweep_bases(mk_base_rows *b, const mk_base_sweep *sweep, void *data);

/* Returns the number of columns that one thread takes at a time, of `count` in all. */
size_t mk_column_chunk(const mk_gram_context *at, size_t count);

#endif
