/* Base values, from which the values of all kernels of a family follow (squared distances, values
 * of a function), in blocks of either precision. They do not depend on theta and may be stored. */
#ifndef MK_BASE_BLOCK_H
#define MK_BASE_BLOCK_H

#include "base/control.h"
#include "base/row.h"
#include "kernel/samples.h"
#include "kernel/set.h"

/* Work space of one thread. */
typedef struct mk_scratch mk_scratch;
mk_scratch *mk_scratch_new(const mk_kernel_set *set);
void mk_scratch_free(mk_scratch *scratch);
size_t mk_scratch_bytes(const mk_scratch *scratch);

#define MK_BLOCK_ROWS 64  /* largest number of rows of a block in scratch */
#define MK_BLOCK_COLS 512 /* largest number of columns of a block in scratch */
mk_row mk_scratch_block(mk_scratch *scratch, int single); /* MK_BLOCK_ROWS x MK_BLOCK_COLS */
double *mk_scratch_row(mk_scratch *scratch, int which);   /* 3 rows of MK_BLOCK_COLS */

/* Returns 0 if computing the family's base values anew is as quick as reading them. */
int mk_family_worth_storing(const mk_kernel_set *set, size_t f);

/* The data that base blocks are computed from, in one precision. */
typedef struct mk_bases mk_bases;
mk_status mk_bases_new(mk_bases **bases, const mk_kernel_set *set, int single,
                       const mk_control *control);
void mk_bases_free(mk_bases *bases);
size_t mk_bases_bytes(const mk_bases *bases);

/* Computes base values of family f: out[r * ld + c], for any number of rows and columns, in the
 * precision of the bases. */
mk_status mk_base_block(const mk_bases *bases, size_t f, const int *rows, size_t row_count,
                        const mk_samples *others, mk_row out, size_t ld, mk_scratch *scratch);

#endif
