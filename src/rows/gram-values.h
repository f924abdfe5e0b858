/* Stored values of all kernels over few samples. Called by the files of gram-bases.c. */
#ifndef MK_GRAM_VALUES_H
#define MK_GRAM_VALUES_H

#include "rows/gram-bases.h"

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

#endif
