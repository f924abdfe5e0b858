/* Kernels with explicit features: a sequence's counts of k-mers, as columns of a sparse matrix, and
 * linear functions of them without it. Columns belong to keys; a k-mer without one takes part in
 * lengths alone. */
#ifndef MK_KMER_FEATURES_H
#define MK_KMER_FEATURES_H

#include "base/control.h"
#include "string/kmers.h"

/* Adds what the sequences have to the counter's index. */
mk_status mk_kmers_meet(mk_kmer_counter *counter, const mk_control *control);

/* Those below work on the numbers below `keys` of the counter's index as columns. */

/* Entries of each column; before mk_kmers_fill(). */
mk_status mk_kmers_sizes(mk_kmer_counter *counter, size_t keys, size_t *size,
                         const mk_control *control);
/* next: where the next entry of each column goes; afterwards where the next column begins. Rows
 * rise. */
mk_status mk_kmers_fill(mk_kmer_counter *counter, size_t keys, int *next, int *row, double *value,
                        const mk_control *control);
/* out_j = sum_i weight_i count_ij */
mk_status mk_kmers_sums(mk_kmer_counter *counter, size_t keys, const double *weight, double *out,
                        const mk_control *control);
/* out_it = sum_j count_ij weight_jt for `count` columns t of weights; square_i = sum of all squared
 * counts of sequence i. */
mk_status mk_kmers_scores(mk_kmer_counter *counter, size_t keys, const double *weight, size_t count,
                          double *out, double *square, const mk_control *control);

#endif
