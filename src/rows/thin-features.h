/* All columns of feature blocks at once, where they are few beside the samples. */
#ifndef MK_THIN_FEATURES_H
#define MK_THIN_FEATURES_H

#include "base/thin.h"
#include "kernel/features.h"

/* 1: there are only feature blocks, of few columns; without an offset none is centred, either. */
int mk_set_is_thin(const mk_kernel_set *set, int offset);
size_t mk_features_thin_bytes(const mk_kernel_set *set);
/* Z with the samples' values of all columns, with an offset less their means: for alphas whose sum
 * is zero and up to a constant, Z Z'alpha is then what the weights' mixture gives, centred or not.
 * MK_NO_MEMORY leaves something to clear. */
mk_status mk_features_thin(const mk_kernel_set *set, const int *samples, size_t count, int offset,
                           mk_thin *z);
void mk_features_root(const mk_kernel_set *set, const mk_column_weights *weights, mk_thin *z);

#endif
