/* All columns of feature blocks as one thin matrix, for columns that are few beside the samples. */
#ifndef MK_THIN_FEATURES_H
#define MK_THIN_FEATURES_H

#include "base/thin.h"
#include "kernel/features.h"

/* Returns 1 if there are only feature blocks with few columns in all and, without an offset, none
 * of them is centred. */
int mk_set_is_thin(const mk_kernel_set *set, int offset);
size_t mk_features_thin_bytes(const mk_kernel_set *set);
/* Makes Z with the samples' values of all columns, centred if there is an offset: for alphas that
 * sum to 0 and up to a constant, Z Z'alpha then equals the response of the weights' mixture,
 * centred or not. Z must be cleared even after MK_NO_MEMORY. */
mk_status mk_features_thin(const mk_kernel_set *set, const int *samples, size_t count, int offset,
                           mk_thin *z);
void mk_features_root(const mk_kernel_set *set, const mk_column_weights *weights, mk_thin *z);

#endif
