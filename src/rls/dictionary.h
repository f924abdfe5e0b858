/* The kernels of a dictionary for a matching pursuit: their improvements, and their values for the
 * refit. K_j + delta I is factored once, or Z'Z + delta I if K_j = ZZ' has few columns. Factors are
 * kept as far as the memory budget allows; the others are computed anew each time. */
#ifndef MK_DICTIONARY_H
#define MK_DICTIONARY_H

#include "gomp.h"

typedef struct mk_dictionary mk_dictionary;

mk_status mk_dictionary_new(mk_dictionary **dictionary, const mk_gomp_problem *problem,
                            const mk_control *control);
void mk_dictionary_free(mk_dictionary *dictionary);
size_t mk_dictionary_bytes(const mk_dictionary *dictionary);
size_t mk_dictionary_kept(const mk_dictionary *dictionary);
long mk_dictionary_bad(const mk_dictionary *dictionary); /* kernel to which MK_STALLED applies */

/* Computes score[j] = I_j for the residual r (n x tasks) and all kernels that are not skipped. */
mk_status mk_dictionary_score(mk_dictionary *dictionary, const double *r, const char *skipped,
                              double *score);

/* Returns the number of columns of a kernel that is used by columns, 0 for others. */
size_t mk_dictionary_width(const mk_dictionary *dictionary, size_t m);

#endif
