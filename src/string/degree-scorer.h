/* Sums of weighted degree kernels over support vectors, without pairs. */
#ifndef MK_DEGREE_SCORER_H
#define MK_DEGREE_SCORER_H

#include "base/control.h"
#include "string/weighted-degree.h"

/* Is an mk_kernel_expansion without pairs, for kernels without mismatches. */
mk_status mk_weighted_degree_expand(void *kernel, const int *support, size_t support_count,
                                    const double *alpha, const int *sample, size_t count,
                                    const mk_control *control, double *out);
/* Returns the roundings of a term of mk_weighted_degree_expand(), in addition to one per support
 * vector. */
double mk_weighted_degree_units(const mk_weighted_degree *kernel);

/* Computes the part of alpha'K alpha that belongs to each position, by the matches that begin
 * there, for kernels without mismatches. out has mk_weighted_degree_length() values. */
mk_status mk_weighted_degree_profile(const mk_weighted_degree *kernel, const int *support,
                                     size_t support_count, const double *alpha,
                                     const mk_control *control, double *out);
size_t mk_weighted_degree_length(const mk_weighted_degree *kernel);

#endif
