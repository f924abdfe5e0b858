/* The values of a dictionary's kernels. */
#ifndef MK_DICTIONARY_VALUES_H
#define MK_DICTIONARY_VALUES_H

#include "rls/dictionary.h"

/* Writes the kernel's columns to z (n x width). */
void mk_dictionary_columns(mk_dictionary *dictionary, size_t m, double *z);
/* Returns the lower triangle of K_m, n x n by rows, valid until the next call of any of these
 * functions; NULL: see *status. */
const double *mk_dictionary_values(mk_dictionary *dictionary, size_t m, mk_status *status);

typedef struct mk_bench mk_bench; /* one thread's work space */
/* Returns the number of doubles for `width` columns of a kernel and the work space of their
 * products. */
size_t mk_panel_size(const mk_dictionary *d, size_t width);
/* Writes the k-th column of linear kernel m at the samples that take part. */
void mk_dictionary_column(const mk_dictionary *d, size_t m, size_t k, mk_bench *b, double *out);
/* Computes the lower triangle of Z'Z. */
mk_status mk_dictionary_multiply(const mk_dictionary *d, size_t m, mk_bench *b, mk_team *team,
                                 double *out);
/* Computes the lower triangle of K_m, on all threads if they are free. */
mk_status mk_dictionary_fill(mk_dictionary *d, size_t m, mk_bench *b, double *out);
/* Computes the base of family f, unless it is there. */
mk_status mk_dictionary_lay_base(mk_dictionary *d, size_t f);

#endif
