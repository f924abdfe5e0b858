/* Rounding errors of single values, in units of the last place. */
#ifndef MK_EXPANSION_UNITS_H
#define MK_EXPANSION_UNITS_H

#include "kernel/set.h"

/* Returns the roundings of a value of kernel m, in a family whose distances have roundings of
 * values up to `reach` (0: roundings of the distances themselves only). */
double mk_value_units(const mk_kernel_set *set, size_t m, double reach);
/* Returns the roundings of a value by exact.h, whose sparse distances are never sums of squared
 * differences. */
double mk_exact_units(const mk_kernel_set *set, size_t m, double reach);

#endif
